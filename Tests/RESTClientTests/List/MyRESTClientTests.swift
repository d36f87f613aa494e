import Foundation
import MockTransport
import RESTClient
import Testing

@Suite struct MyRESTClientTests {
    private static func error(
        _ body: String, at path: MemberPath = "items", status: HTTPStatus = 200, as type: MediaType = .json
    ) async throws -> RESTClientError {
        let server = MockServer { Route(.any) { Reply.text(body, as: type, status: status) } }
        let client = MyRESTClient(url: try shop(), manager: server.manager(), listing: ItemListing(at: path))
        return try await failure { try await client.getAvailableItems() }
    }

    private struct Coach: Decodable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    @Test func `a request without a URL is an error, not an empty list`() async throws {
        var request = URLRequest(url: try shop())
        request.url = nil
        let client = MyRESTClient(SessionManager.default.request(request))
        let error = try await failure { try await client.getAvailableItems() }
        #expect(error.kind == .invalidRequest(.missingURL))
    }

    @Test func `the list can be at any path`() async throws {
        let server = MockServer {
            Route(.get, "/root") { Reply.json(["a"]) }
            Route(.get, "/deep") { Reply.json(["data": ["results": ["a"]]]) }
            Route(.get, "/dotted") { Reply.json(["a.b": ["a"]]) }
        }
        let manager = server.manager()
        let places: [(String, MemberPath)] = [
            ("/root", .root), ("/deep", "data.results"), ("/dotted", ["a.b"]),
        ]
        for (path, place) in places {
            let client = MyRESTClient(url: try shop(path), manager: manager, listing: ItemListing(at: place))
            #expect(try await client.getAvailableItems() == ["a"])
        }
    }

    @Test func `a shape error names the keys and the lists of the response`() async throws {
        let error = try await Self.error(#"{"concepts": [1], "total": 7, "data": {"rows": []}}"#)
        #expect(
            "\(error)" == """
                expected a list at "items", found "concepts", "total", "data": GET http://shop.example/items
                  hint: "concepts" is a list; use ItemListing(at:) to select it
                """)
    }

    @Test(
        arguments: [("7", .number), (#""x""#, .string), ("true", .boolean), ("{}", .object)]
            as [(String, FoundJSON)])
    func `a shape error names the value that is not a list`(value: String, found: FoundJSON) async throws {
        let error = try await Self.error(#"{"items": \#(value)}"#)
        #expect(error.kind == .wrongShape(path: "items", expected: .list, found: found))
    }

    @Test(arguments: [1, 2, 5, 40])
    func `the items before the first error are delivered, for any chunk size`(pieces: Int) async throws {
        let server = MockServer {
            Route(.get, "/strings") {
                Reply.text(#"{"items": ["a", "\u0062", "é", 7, "c"#, as: .json).dribble(
                    chunks: pieces, over: .zero)
            }
            Route(.get, "/objects") {
                Reply.text(#"{"items": [{"id": 1, "name": "Ann"}, {"id": "x"}, {"id": 3, oops"#, as: .json)
                    .dribble(chunks: pieces, over: .zero)
            }
        }
        let manager = server.manager()
        func client(_ path: String) throws -> MyRESTClient {
            MyRESTClient(url: try shop(path), manager: manager)
        }
        let strings = RESTClientError.Kind.wrongShape(path: "$.items[3]", expected: .string, found: .number)
        let objects = RESTClientError.Kind.wrongShape(
            path: "$.items[1].id", expected: .number, found: .string)
        for (kind, count, list) in [
            (strings, 3, { _ = try await client("/strings").getAvailableItems() }),
            (strings, 3, { _ = try await client("/strings").getAvailableItems(as: String.self) }),
            (objects, 1, { _ = try await client("/objects").getAvailableItems(as: Coach.self) }),
        ] as [(RESTClientError.Kind, Int, () async throws -> Void)] {
            let error = try await failure { try await list() }
            #expect(error.kind == kind)
            #expect(error.listingProgress?.itemCount == count)
        }
    }

    @Test func `plain, escaped and non-ASCII strings are decoded`() async throws {
        let texts = [
            "", "tea", "fifteen letters", "sixteen letters.", "a \"quote\"", "caf\u{E9}", "語\u{7F}😀\n",
        ]
        let server = MockServer { Route(.any) { Reply.json(["items": texts]) } }
        let client = MyRESTClient(url: try shop(), manager: server.manager())
        #expect(try await client.getAvailableItems() == texts.map { MyItem(name: $0) })
        #expect(try await client.getAvailableItems(as: String.self) == texts)
        #expect(await client.items(as: String.self).collect().elements == texts)
    }

    @Test(arguments: ["", "<!doctype html><p>Log in", "nope"])
    func `a response that is not JSON is reported with its start`(body: String) async throws {
        let error = try await Self.error(body)
        #expect(error.kind == .notJSON(found: body, isHTML: body.hasPrefix("<")))
        #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == body)
    }

    @Test(arguments: [204, 205] as [HTTPStatus])
    func `a status without content is an error, whatever the body`(status: HTTPStatus) async throws {
        let error = try await Self.error(#"{"items": ["a"]}"#, status: status)
        #expect(error.kind == .notJSON(found: ""))
        #expect(
            error.message
                == "the response has no content: GET http://shop.example/items (HTTP \(status.rawValue))")
    }

    @Test(arguments: [
        #"{"items": ["a",]}"#, #"{"items": ["a"]} trailing"#, #"{"items": ["a"], "items": ["b"]}"#,
        #"{"items": [01]}"#, #"{'items': []}"#,
    ])
    func `invalid JSON is an error, also if the platform's decoder accepts it`(body: String) async throws {
        let error = try await Self.error(body)
        guard case .malformedJSON = error.kind else { throw error }
    }

    @Test func `a list that is cut at any byte is an error`() async throws {
        let whole = #"{"n": 1, "items": ["tea", "caf\u00e9", {"a": [true]}], "next": null}"#
        for end in 0..<whole.utf8.count {
            let error = try await Self.error(String(decoding: whole.utf8.prefix(end), as: UTF8.self))
            switch error.kind {
            case .malformedJSON(_, _, .unexpectedEnd), .notJSON(found: "", _),
                .wrongShape(path: "$.items[2]", _, _):
                continue
            default: Issue.record("cut at \(end): \(error.kind) \(String(describing: error.underlying))")
            }
        }
    }
}
