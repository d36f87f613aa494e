import Foundation
import MockTransport
import Testing

/// Recordings contain no secrets, wherever they occur, and a replay still matches the request.
@Suite struct RecordedSecretsTests {
    static let secret = "h8Yq2-topsecret"
    /// A secret whose encodings in URLs, JSON and base64 differ.
    static let odd = "p4ss/\"w ord\\é"

    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        var url = "http://shop.example/in"
        var headers: [String: String] = [:]
        var body: Data?
        var reply = Reply.text("ok")
        /// The texts that must not be recorded.
        var leaks = [secret, Data("u:\(secret)".utf8).base64EncodedString()]
        var testDescription: String { name }
    }

    private static func bearer(_ secret: String = secret) -> [String: String] {
        ["Authorization": "Bearer \(secret)"]
    }
    private static func multipart(_ head: String, _ body: String, _ boundary: String = "xyz") -> Data {
        Data("--\(boundary)\r\n\(head)\r\n\r\n\(body)\r\n--\(boundary)--\r\n".utf8)
    }
    private static let form = ["Content-Type": "application/x-www-form-urlencoded"]
    private static let mixed = ["Content-Type": "multipart/form-data; boundary=xyz"]

    static let headers: [Sample] = [
        Sample(name: "Authorization", headers: bearer()),
        Sample(
            name: "Basic",
            headers: ["Authorization": "Basic \(Data("u:\(secret)".utf8).base64EncodedString())"]),
        Sample(name: "Proxy-Authorization", headers: ["Proxy-Authorization": "Bearer \(secret)"]),
        Sample(name: "Cookie", headers: ["Cookie": "a=1; sid=\(secret)"]),
        Sample(name: "a cookie of any name", headers: ["Cookie": "a=1; flavour=\(secret)"]),
        Sample(name: "a cookie without a name", headers: ["Cookie": secret]),
        Sample(name: "X-Api-Key", headers: ["X-Api-Key": secret]),
        Sample(name: "X-Auth-Token", headers: ["X-Auth-Token": secret]),
        Sample(name: "Referer", headers: ["Referer": "http://shop.example/?token=\(secret)"]),
        Sample(name: "Set-Cookie", reply: .text("ok").header(.setCookie, "sid=\(secret); Path=/")),
        Sample(
            name: "two Set-Cookies",
            reply: .text("ok").header(.setCookie, "a=1").header(.setCookie, "b=\(secret); HttpOnly")),
        Sample(name: "Location", reply: .redirect(to: "http://shop.example/?code=\(secret)")),
        Sample(name: "a relative Location", reply: .redirect(to: "/next?access_token=\(secret)")),
        Sample(name: "a fragment", reply: .redirect(to: "http://shop.example/#access_token=\(secret)")),
        Sample(name: "Link", reply: .text("ok").header(.link, "</?api_key=\(secret)>; rel=next")),
    ]

    static let urls: [Sample] = [
        Sample(name: "query", url: "http://shop.example/in?page=1&access_token=\(secret)"),
        Sample(name: "query, its name encoded", url: "http://shop.example/in?access%5Ftoken=\(secret)"),
        Sample(
            name: "a URL in a query", url: "http://shop.example/in?to=http%3A%2F%2Fa%2F%3Ftoken%3D\(secret)"),
        Sample(name: "user info", url: "http://u:\(secret)@shop.example/in"),
        Sample(name: "a copy in the path", url: "http://shop.example/\(secret)/in", headers: bearer()),
    ]

    static let bodies: [Sample] = [
        Sample(name: "form", headers: form, body: Data("grant_type=password&password=\(secret)".utf8)),
        Sample(
            name: "JSON", headers: ["Content-Type": "application/json"],
            body: Data("{\"a\":[{\"password\":\"\(secret)\"}]}".utf8)),
        Sample(name: "JSON without its type", body: Data("{\"client_secret\":\"\(secret)\"}".utf8)),
        Sample(
            name: "JSON, deep below its name", body: Data("{\"credentials\":{\"a\":[\"\(secret)\"]}}".utf8)),
        Sample(name: "JSON, its name escaped", body: Data(#"{"pass\u0077ord":"h8Yq2-topsecret"}"#.utf8)),
        Sample(name: "JSON that is cut", body: Data("{\"password\":\"\(secret)".utf8)),
        Sample(name: "lines of JSON", body: Data("{\"a\":1}\n{\"token\":\"\(secret)\"}\n".utf8)),
        Sample(name: "a code that looks like one", reply: .json(["code": "4/0AX4XfWh8Yq2-topsecret"])),
        Sample(
            name: "multipart", headers: mixed,
            body: multipart("Content-Disposition: form-data; name=\"password\"", secret)),
        Sample(
            name: "multipart, the name without quotes", headers: mixed,
            body: multipart("Content-Disposition: form-data;name=password", secret)),
        Sample(
            name: "multipart, cut", headers: mixed,
            body: Data("--xyz\r\nContent-Disposition: form-data; name=token\r\n\r\n\(secret)".utf8)),
        Sample(
            name: "JSON in multipart", headers: mixed,
            body: multipart(
                "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json",
                "{\"token\":\"\(secret)\"}")),
        Sample(
            name: "multipart with bytes", headers: ["Content-Type": "multipart/mixed; boundary=\"a b\""],
            body: multipart("Content-Disposition: form-data; name=\"password\"", secret, "a b")
                + Data([0xFF, 0xFE])),
        Sample(name: "JSON of a reply", reply: .json(["access_token": .value(secret), "expires_in": 3_600])),
        Sample(name: "a form of a reply", reply: .text("access_token=\(secret)", as: .form)),
        Sample(
            name: "a reply in pieces",
            reply: .json(["access_token": .value(secret)]).dribble(chunks: 7, over: .seconds(1))),
    ]

    static let texts: [Sample] = [
        Sample(name: "a link in JSON", reply: .json(["next": .value("http://h.example/?token=\(secret)")])),
        Sample(name: "JSON in JSON", reply: .json(["a": .value("{\"token\":\"\(secret)\"}")])),
        Sample(name: "a token of any header", headers: ["X-Forwarded": "Bearer \(secret)"]),
        Sample(name: "a form as text", body: Data("password=\(secret)".utf8)),
        Sample(name: "a token in a text", reply: .text("use Bearer \(secret)")),
    ]

    static let copies: [Sample] = [
        Sample(name: "a copy of a header", headers: bearer(), reply: .text("you said \(secret)")),
        Sample(
            name: "a copy in another header", headers: bearer(), reply: .text("ok").header("X-Was", secret)),
        Sample(
            name: "a copy of a query", url: "http://shop.example/in?token=\(secret)",
            reply: .json(["url": .value("http://shop.example/in?token=\(secret)")])),
        Sample(
            name: "a copy among bytes", headers: ["Cookie": "sid=\(secret)"],
            reply: .data(Data([0xFF]) + Data(secret.utf8) + Data([0]))),
        Sample(
            name: "a copy of a part", headers: mixed,
            body: multipart("Content-Disposition: form-data; name=\"password\"", secret),
            reply: .text("<b>\(secret)</b>")),
        Sample(
            name: "a copy of a password",
            headers: ["Authorization": "Basic \(Data("u:\(odd)".utf8).base64EncodedString())"],
            reply: .json(["you": .value("said \(odd)")]), leaks: ["w ord", "p4ss"]),
        Sample(
            name: "a copy in a URL", body: Data(#"{"password":"p4ss\/\"w ord\\\u00e9"}"#.utf8),
            reply: .redirect(to: "/p4ss%2F%22w%20ord%5C%C3%A9/in"), leaks: ["w ord", "p4ss"]),
    ]

    @Test(arguments: headers + urls + bodies + texts + copies)
    func `a recording contains no secrets`(
        sample: Sample
    ) async throws {
        let server = MockServer(clock: VirtualClock()) { Route(.any) { sample.reply } }
        var request = URLRequest(url: try #require(URL(string: sample.url)))
        request.httpMethod = sample.body == nil ? "GET" : "POST"
        request.httpBody = sample.body
        for (name, value) in sample.headers { request.setValue(value, forHTTPHeaderField: name) }
        let (whole, _) = try await server.data(request)
        for times in [HAR.Times.stable, .recorded] {
            let data = try server.recording.data(times: times)
            let archive = try HAR(parsing: data)
            let bodies = archive.entries.flatMap { [$0.request.body, $0.response.body] }
            for leak in sample.leaks {
                #expect(!String(decoding: data, as: UTF8.self).contains(leak))
                #expect(bodies.allSatisfy { $0.range(of: Data(leak.utf8)) == nil })
            }
            // A replay matches the request and returns a similar reply.
            let replay = MockServer { archive.routes() }
            let (body, _) = try await replay.data(request)
            #expect(body.isEmpty == whole.isEmpty)
        }
        var dumped = ""
        dump(server.recording, to: &dumped)
        #expect(sample.leaks.allSatisfy { !dumped.contains($0) })
    }

    @Test(arguments: ["https:6u@?token=t", "s3cr3t:x"])
    func `a URL that is invalid after masking is replaced by a placeholder`(text: String) throws {
        let url = try #require(URL(string: text))
        let request = HAR.Request(url: url, headers: ["X-Api-Key": "s3cr3t:"])
        let archive = HAR([HAR.Entry(start: .now, request: request, response: HAR.Response(status: 200))])
        let again = try HAR(parsing: archive.data())
        #expect(again.entries.map(\.request.url.absoluteString) == ["file:///***"])
        #expect(try again.data() == archive.data())
    }

    @Test func `values that are not secrets are recorded unchanged`() async throws {
        let text =
            #"{"code": 404, "key": "tea", "session": {"id": 7}, "expires_token": null, "token_expires_in": 60,"#
            + #" "cookie": ["oat"], "next_page_token": "abc", "secrets": {"count": 2, "on": true}}"#
        let server = MockServer { Route(.any) { Reply.text(text, as: .json) } }
        var request = URLRequest(url: try #require(URL(string: "http://shop.example/")))
        request.setValue("theme=default; lang=english", forHTTPHeaderField: "Cookie")
        request.setValue(
            "Basic \(Data("user:secret".utf8).base64EncodedString())", forHTTPHeaderField: "Authorization")
        _ = try await server.data(request)
        let entry = try #require(server.recording.entries.first)
        #expect(String(decoding: entry.response.body, as: UTF8.self) == text)
        #expect(entry.request.headers[.cookie] == "theme=***; lang=***")
    }

    @Test func `a masked JSON value remains valid JSON`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.json([
                    "password": 123_456, "tokens": ["a", "b"], "secret": nil,
                    "pin_secret": ["n": 7, "t": "x"],
                ])
            }
        }
        _ = try await server.text("http://shop.example/")
        let body = try #require(server.recording.entries.first?.response.body)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"password":0,"tokens":["a","b"],"secret":null,"pin_secret":{"n":7,"t":"***"}}"#)
    }

    @Test func `a replay matches requests with different secrets`() async throws {
        let server = MockServer {
            Route(.get, "/a") { Reply.text("a").header(.setCookie, "sid=h8Yq2-topsecret; Path=/") }
            Route(.post, "/in") { Reply.text("in") }
            Route(.get, "/:user/b") { Reply.text("b") }
        }
        func visit(_ server: MockServer, _ secret: String) async throws -> [String] {
            [
                try await server.text("http://shop.example/a?token=\(secret)"),
                try await server.text(
                    "http://shop.example/in", method: "POST",
                    body: "{\"password\":\"\(secret)\",\"id\":\"\(secret)-7\"}"),
                try await server.text("http://shop.example/\(secret)/b"),
            ]
        }
        let live = try await visit(server, Self.secret)
        let archive = try HAR(parsing: server.recording.data())
        #expect(archive.entries.map(\.request.url.path) == ["/***/b", "/a", "/in"])
        #expect(archive.entries[1].response.headers[.setCookie] == "sid=***; Path=/")
        let replay = MockServer { archive.routes() }
        #expect(try await visit(replay, "another-one-7") == live)
        await #expect(throws: (any Error).self) {
            try await replay.text(
                "http://shop.example/in", method: "POST", body: "{\"password\":\"x\",\"id\":\"x-8\"}")
        }
    }
}
