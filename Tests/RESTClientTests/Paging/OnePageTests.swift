import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// Lists of one page, whose responses have members that could be mistaken for signs of more pages.
@Suite struct OnePageTests {
    struct Response: Decodable, Sendable, CustomTestStringConvertible {
        enum CodingKeys: String, CodingKey {
            case path = "list at"
            case name, request, headers, body, requests
        }

        let name: String
        let request: String
        let path: String
        let headers: [String: String]
        let body: JSONLiteral
        /// The number of requests; otherwise a page that can be full may be followed by one request.
        let requests: Int?

        var testDescription: String { name }
        var listPath: MemberPath { path == "." ? .root : MemberPath(path) }
    }

    private static let responses: [Response] = Fixture.lines("one-page-bodies")

    @Test func `there are 200 responses, each with another name`() {
        #expect(Self.responses.count >= 200)
        #expect(Set(Self.responses.map(\.name)).count == Self.responses.count)
    }

    /// The number of requests for each response.
    private static let counts = LockedState<[Int: Int]>([:])
    /// One for all responses, because hundreds take a second. A header field of the request is the number of the response.
    private static let server = MockServer {
        Route(.any) { request in
            let number = request.headers["X-Number"].flatMap { Int($0) } ?? 0
            counts.withLock { $0[number, default: 0] += 1 }
            let response = responses[number]
            return response.headers.reduce(Reply.data(try response.body.encoded(), as: .json)) {
                $0.header(HTTPHeaders.Name($1.key), $1.value)
            }
        }
    }
    private static let manager = server.manager()

    @Test(arguments: responses)
    func `a misleading member does not make a list incomplete`(_ response: Response) async throws {
        let number = try #require(Self.responses.firstIndex { $0.name == response.name })
        let request = Self.manager.request(
            "https://shop.example\(response.request)", headers: ["X-Number": "\(number)"])
        let client = MyRESTClient(request, listing: ItemListing(at: response.listPath))
        for try await _ in client.elements() {}
        let count = Self.counts.withLock { $0[number] ?? 0 }
        #expect(count > 0 && count <= response.requests ?? 2)
    }
}
