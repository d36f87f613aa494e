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

    @Test(arguments: responses)
    func `a misleading member does not make a list incomplete`(_ response: Response) async throws {
        let body = try response.body.encoded()
        let server = MockServer {
            Route(.any) {
                response.headers.reduce(Reply.data(body, as: .json)) {
                    $0.header(HTTPHeaders.Name($1.key), $1.value)
                }.repeats()
            }
        }
        let client = server.client(
            ItemListing(at: response.listPath), path: "https://shop.example\(response.request)")
        for try await _ in client.elements() {}
        #expect(server.requests.count <= response.requests ?? 2)
    }
}
