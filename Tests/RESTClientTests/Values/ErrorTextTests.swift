import Foundation
import MockTransport
import Testing

@testable import RESTClient

/// The text that a developer reads when a request has failed: the first line names the failure and the request, and the hint says what
/// to try.
@Suite struct ErrorTextTests {
    struct Situation: Sendable, CustomTestStringConvertible {
        let status: HTTPStatus
        let type: String
        let body: String
        let message: String
        let hint: String?

        init(
            _ status: HTTPStatus, as type: String = "application/json", _ body: String, _ message: String,
            _ hint: String?
        ) {
            (self.status, self.type, self.body, self.message, self.hint) = (status, type, body, message, hint)
        }

        var testDescription: String { "\(status) \(body.prefix(60))" }
    }

    private static func error(_ situation: Situation) async throws -> RESTClientError {
        let server = MockServer {
            Route(.any) {
                Reply.data(
                    Data(situation.body.utf8), as: MediaType(rawValue: situation.type),
                    status: situation.status)
            }
        }
        let client = MyRESTClient(url: "http://shop.example/items", manager: server.manager())
        return try #require(
            await #expect(throws: RESTClientError.self) { _ = try await client.getAvailableItems() })
    }

    static let refusals = [
        Situation(
            400, #"{"message":"Bad tea"}"#, "HTTP 400 Bad Request from http://shop.example/items", "Bad tea"),
        Situation(
            400, #"{"error":{"code":400,"message":"API key not valid."}}"#, "HTTP 400", "API key not valid."),
        Situation(
            400, #"{"error":"invalid_grant","error_description":"The token is expired."}"#, "HTTP 400",
            "The token is expired. (invalid_grant)"),
        Situation(
            422,
            #"{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}"#,
            "HTTP 422", "Validation Failed: title: missing_field"),
        Situation(
            422, #"{"detail":[{"loc":["body","age"],"msg":"field required","type":"value_error.missing"}]}"#,
            "HTTP 422", "body.age: field required"),
        Situation(400, #"{"errors":["too short","too old"]}"#, "HTTP 400", "too short; too old"),
        Situation(409, #"{"errors":[{"detail":"Name is taken"}]}"#, "HTTP 409", "Name is taken"),
        Situation(500, #"{"fault":{"faultstring":"Policy failed"}}"#, "HTTP 500", "Policy failed"),
        Situation(500, #"{"ErrorMessage":"Database is down"}"#, "HTTP 500", "Database is down"),
        Situation(
            422, #"{"message":"The data was invalid.","errors":{"email":["is taken"]}}"#, "HTTP 422",
            "The data was invalid. email: is taken"),
        Situation(
            402, #"{"error":{"code":"card_declined","message":"Your card was declined."}}"#, "HTTP 402",
            "Your card was declined. (card_declined)"),
        Situation(400, #"{"errorMessages":["No such project"],"errors":{}}"#, "HTTP 400", "No such project"),
        Situation(
            404, as: "application/problem+json", #"{"title":"Not Found","detail":"No tea here"}"#, "HTTP 404",
            "No tea here"),
        Situation(
            500, as: "text/xml",
            #"<s:Envelope xmlns:s="x"><s:Body><s:Fault><faultstring>Out of &quot;tea&quot;</faultstring></s:Fault></s:Body></s:Envelope>"#,
            "HTTP 500", #"Out of \"tea\""#),
        Situation(
            403, as: "application/xml",
            "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
            "HTTP 403", "Access Denied (AccessDenied)"),
        Situation(
            404, as: "application/xml",
            "<?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code><Message/></Error>",
            "HTTP 404", "NoSuchKey"),
        Situation(
            400, as: "text/xml", "<error><message><![CDATA[a < b]]></message></error>", "HTTP 400", "a < b"),
        Situation(503, as: "text/plain", "upstream connect error\n", "HTTP 503", "upstream connect error"),
        Situation(502, as: "text/html", "<html><title>Bad day</title></html>", "HTTP 502", "Bad day"),
        Situation(418, #"{"tea":true}"#, "HTTP 418", #"{"tea":true}"#),
    ]

    @Test(arguments: refusals) func `the words of the server are shown as text`(
        situation: Situation
    ) async throws {
        let error = try await Self.error(situation)
        #expect(error.message.hasPrefix(situation.message))
        let words = situation.hint.map { $0.hasPrefix("{") ? $0 : "\"\($0)\"" }
        #expect(error.hint == words.map { "message of the server: \($0)" })
    }

    static let contents = [
        Situation(
            200, #"{"ok":false,"error":"invalid_auth"}"#,
            #"expected a list at "items", found "ok", "error": GET http://shop.example/items"#,
            #"message of the server: "invalid_auth""#),
        Situation(
            200, #"{"data":null,"errors":[{"message":"No such field"}]}"#,
            #"expected a list at "items", found "data", "errors": GET http://shop.example/items"#,
            #"message of the server: "No such field""#),
        Situation(
            200, #"{"status":"error","message":"Quota used up"}"#,
            #"expected a list at "items", found "status", "message": GET http://shop.example/items"#,
            #"message of the server: "Quota used up""#),
        Situation(
            200, #"{"teas":[],"warnings":[{}]}"#,
            #"expected a list at "items", found "teas", "warnings": GET http://shop.example/items"#,
            #""teas" is a list; use ItemListing(at:) to select it"#),
        Situation(
            200, #"{"error":null,"warnings":[{}]}"#,
            #"expected a list at "items", found "error", "warnings": GET http://shop.example/items"#, nil),
        Situation(
            206, #"{"items":["a"}"#,
            "the response is not valid JSON at byte 13 ($.items): expected a comma or the end of the list, found \"}\": GET http://shop.example/items (HTTP 206)",
            nil),
        Situation(200, "", "the response is empty, not JSON: GET http://shop.example/items", nil),
        Situation(
            200, as: "text/html", "<html><title>Sign in</title></html>",
            "the response is HTML, not JSON (text/html, starts \"<html><title>Sign in</title></html>\"): GET http://shop.example/items",
            "this looks like a login page; the request may need a credential"),
        Situation(
            200, as: "text/html", "<html><title>Teas</title></html>",
            "the response is HTML, not JSON (text/html, starts \"<html><title>Teas</title></html>\"): GET http://shop.example/items",
            "this is a web page; pass the URL of its data"),
        Situation(
            403, #"{"message":"You have exceeded a secondary rate limit."}"#,
            "HTTP 403 Forbidden from http://shop.example/items",
            #"a rate limit is exhausted; message of the server: "You have exceeded a secondary rate limit.""#),
        Situation(
            400, as: "text/html", "<title>400 The plain HTTP request was sent to HTTPS port</title>",
            "HTTP 400 Bad Request from http://shop.example/items", "the port expects TLS; use https"),
    ]

    @Test(arguments: contents) func `an error says what failed and what to try`(
        situation: Situation
    ) async throws {
        let error = try await Self.error(situation)
        #expect(error.message == situation.message)
        #expect(error.hint == situation.hint)
        #expect(error.localizedDescription == error.message)
    }

    @Test func `a missing key is reported with the keys that are there`() async throws {
        struct Tea: Decodable, Sendable { let grade: Int }
        let server = MockServer { Route(.any) { Reply.json(["items": [["id": 7, "name": "Assam"]]]) } }
        let client = MyRESTClient(url: "http://shop.example/teas", manager: server.manager())
        let error = await #expect(throws: RESTClientError.self) {
            _ = try await client.getAvailableItems(as: Tea.self)
        }
        #expect(
            error?.message
                == #"expected a member at "$.items[0].grade", found "id", "name": GET http://shop.example/teas"#
        )
    }

    @Test func `a web page after a redirect to another host may be a portal`() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.redirect(to: "http://portal.example/welcome") }
            Route(.get, "/welcome") { Reply.text("<html>Hello</html>", as: .html) }
        }
        let client = MyRESTClient(url: "http://shop.example/items", manager: server.manager())
        let error = await #expect(throws: RESTClientError.self) { _ = try await client.getAvailableItems() }
        #expect(error?.message.hasSuffix("GET http://portal.example/welcome") == true)
        #expect(
            error?.hint
                == "the request was redirected to http://portal.example/welcome, perhaps a login page or the portal of a network"
        )
    }

    @Test func `a failure after retries names their number, and a timeout its value`() async throws {
        let server = MockServer { Route(.any) { Reply.status(503) } }
        let manager = SessionManager(
            configuration: server.configuration,
            interceptors: [.retry(maxAttempts: 3, backoff: .constant(.zero))])
        let failed = await #expect(throws: RESTClientError.self) {
            try await manager.request("http://shop.example/").data()
        }
        #expect(failed?.message.contains("(after 3 attempts") == true)
        let clock = VirtualClock(.stepped)
        let silent = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(60)) } }
        let request = silent.manager(clock: clock).request("http://shop.example/").timeout(.seconds(5))
        let result = Task { try await request.data() }
        try await clock.advance(by: .seconds(6))
        let late = await #expect(throws: RESTClientError.self) { try await result.value }
        #expect(late?.message == "the total timeout elapsed: GET http://shop.example/ (limit: 5 s)")
    }

    // MARK: Texts

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
        let error = await #expect(throws: RESTClientError.self) {
            try await server.manager().request("http://shop.example/").string()
        }
        #expect(error?.kind == .invalidResponse(.undecodableText(charset: name)))
        #expect(error?.hint == "use data() to get the bytes")
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
        let teas = MyRESTClient(url: "teas", manager: manager, at: "data")
        #expect(try await teas.getAvailableItems(as: String.self, limit: 2) == ["a", "b"])
        #expect(try await teas.getAvailableItems(as: String.self, limit: 0) == [])
    }
}
