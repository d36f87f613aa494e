import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// Texts of errors and of responses. `Tests/ErrorMessages.txt` has the text of each failure.
@Suite struct ErrorTextTests {
    @Test(
        arguments: [
            ("text/plain; charset=windows-1251", [0xCF, 0xF0, 0xE8], "При"),
            ("text/plain; charset=Shift_JIS", [0x93, 0xFA], "日"),
            ("text/plain; charset=gbk", [0xC4, 0xE3], "你"),
            ("text/plain; charset=\"ISO-8859-2\"", [0xB1], "ą"),
            ("text/plain; charset=iso-8859-1", [0xE9], "é"),
            ("text/plain; charset=utf-16", [0x00, 0x41], "A"), ("text/plain", [0xFF, 0xFE, 0x41, 0x00], "A"),
            ("text/plain", [0xEF, 0xBB, 0xBF, 0x41], "A"), ("text/plain", [0xC3, 0xA9], "é"),
        ] as [(String, [UInt8], String)])
    func `a text is decoded in its encoding`(type: String, bytes: [UInt8], text: String) async throws {
        let server = MockServer { Route(.any) { Reply.data(Data(bytes), as: MediaType(rawValue: type)) } }
        #expect(try await server.manager().request("http://shop.example/").string() == text)
    }

    @Test(arguments: [("text/plain", "utf-8"), ("text/plain; charset=klingon", "klingon")])
    func `bytes that are not text are an error`(type: String, name: String) async throws {
        let server = MockServer { Route(.any) { Reply.data(Data([0xE9]), as: MediaType(rawValue: type)) } }
        let error = try await failure { try await server.manager().request("http://shop.example/").string() }
        #expect(error.kind == .invalidResponse(.undecodableText(charset: name)))
        #expect(error.hint == "use data() to get the bytes")
    }

    @Test func `a response without a body is nil if the type is optional`() async throws {
        let server = MockServer { Route(.any) { Reply.status(204) } }
        let request = server.manager().request("http://shop.example/")
        #expect(try await request.decode(Int?.self) == nil)
        await #expect(throws: RESTClientError.self) { try await request.decode(Int.self) }
    }

    // MARK: Other spellings

    @Test func `the calls that are tried first compile, and do what they say`() async throws {
        struct Order: Encodable { let tea: String }
        let server = MockServer {
            Route(.post, "/v2/orders") { request in
                Reply.text(
                    "\(request.headers["X-Trace"] ?? "") \(String(decoding: request.body, as: UTF8.self))")
            }
            Route(.get, "/v2/teas") { Reply.json(["data": ["a", "b", "c"]]) }
        }
        let manager = SessionManager(baseURL: "http://shop.example/v2", configuration: server.configuration)
        let order = manager.request("orders", method: .post, body: Order(tea: "Assam"))
            .header("X-Trace", "7").progress { _ in await Task.yield() }
        #expect(try await order.string() == #"7 {"tea":"Assam"}"#)
        func sent(_ request: DataRequest) async throws -> String { try await request.string() }
        #expect(try await sent(manager.request("orders", method: .post, body: Data("raw".utf8))) == " raw")
        #expect(try await sent(manager.request("orders", method: .post, body: "text")) == " text")
        #expect(try await sent(manager.request("orders", method: .post, body: Order?.none)) == " ")
        let mixed = manager.request("orders", method: .post, body: .json(["id": 7, "name": "Assam"]))
        #expect(try await sent(mixed) == #" {"id":7,"name":"Assam"}"#)
        let literal = manager.request("orders", method: .post, body: ["id": 7, "name": "Assam"])
        #expect(try await sent(literal) == #" {"id":7,"name":"Assam"}"#)
        let search = manager.request("teas", query: [URLQueryItem(name: "q", value: "a b")])
        #expect(search.urlRequest.url?.query() == "q=a%20b")
        let teas = MyRESTClient(url: "teas", manager: manager, at: "data")
        #expect(try await teas.getAvailableItems(as: String.self, limit: 2) == ["a", "b"])
        let first: [String] = try await teas.getAvailableItems(limit: 1)
        #expect(first == ["a"])
        #expect(try await teas.getAvailableItems(as: String.self, limit: 0) == [])
    }
}
