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
    private static func basic(_ password: String) -> [String: String] {
        ["Authorization": "Basic \(Data("u:\(password)".utf8).base64EncodedString())"]
    }
    private static let password = "Content-Disposition: form-data; name=\"password\""
    private static func multipart(_ head: String, _ body: String, _ boundary: String = "xyz") -> Data {
        Data("--\(boundary)\r\n\(head)\r\n\r\n\(body)\r\n--\(boundary)--\r\n".utf8)
    }
    private static let form = ["Content-Type": "application/x-www-form-urlencoded"]
    private static let mixed = ["Content-Type": "multipart/form-data; boundary=xyz"]

    static let headers: [Sample] = [
        Sample(name: "Authorization", headers: bearer()),
        Sample(name: "Basic", headers: basic(secret)),
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
        Sample(
            name: "JSON with the type of a form", headers: form,
            body: Data("{\"client_secret\":\"\(secret)\"}".utf8)),
        Sample(name: "JSON without its type", body: Data("{\"client_secret\":\"\(secret)\"}".utf8)),
        Sample(
            name: "JSON, deep below its name", body: Data("{\"credentials\":{\"a\":[\"\(secret)\"]}}".utf8)),
        Sample(name: "JSON, its name escaped", body: Data(#"{"pass\u0077ord":"h8Yq2-topsecret"}"#.utf8)),
        Sample(name: "JSON that is cut", body: Data("{\"password\":\"\(secret)".utf8)),
        Sample(name: "lines of JSON", body: Data("{\"a\":1}\n{\"token\":\"\(secret)\"}\n".utf8)),
        Sample(name: "a code that looks like one", reply: .json(["code": "4/0AX4XfWh8Yq2-topsecret"])),
        Sample(name: "multipart", headers: mixed, body: multipart(password, secret)),
        Sample(
            name: "multipart with its boundary in a line", headers: mixed,
            body: multipart(password, "--xyz \(secret)")),
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
            body: multipart(password, secret, "a b") + Data([0xFF, 0xFE])),
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
            name: "a copy of a part", headers: mixed, body: multipart(password, secret),
            reply: .text("<b>\(secret)</b>")),
        Sample(
            name: "a copy of a password", headers: basic(odd), reply: .json(["you": .value("said \(odd)")]),
            leaks: ["w ord", "p4ss"]),
        Sample(
            name: "a copy in a URL", body: Data(#"{"password":"p4ss\/\"w ord\\\u00e9"}"#.utf8),
            reply: .redirect(to: "/p4ss%2F%22w%20ord%5C%C3%A9/in"), leaks: ["w ord", "p4ss"]),
    ]

    private static let json = ["Content-Type": "application/json"]
    private static func latin1(_ text: String) -> Data {
        Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }
    private static func utf16(_ text: String, _ mark: [UInt8] = [], isBigEndian: Bool = false) -> Data {
        let bytes = text.utf16.flatMap { (unit: UInt16) -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
        return Data(mark + bytes)
    }
    private static let login = "{\"name\":\"Müller\",\"access_token\":\"\(secret)\"}"

    /// Bodies that are not UTF-8, or not only UTF-8.
    static let bytes: [Sample] = [
        Sample(name: "JSON in Latin-1", headers: json, body: latin1(login)),
        Sample(name: "JSON in Latin-1 of a reply", reply: .data(latin1(login), as: .json)),
        Sample(name: "JSON in Latin-1 without its type", reply: .data(latin1(login))),
        Sample(name: "JSON in Latin-1, cut", reply: .data(latin1(login).dropLast(4), as: .json)),
        Sample(
            name: "JSON in Latin-1 with a backslash",
            reply: .data(
                latin1("{\"a\":\"ü\\n\",\"password\":\"\(secret)\"}"),
                as: "application/json; charset=iso-8859-1")),
        Sample(
            name: "JSON cut in a character",
            reply: .data(Data(login.utf8.prefix(11)) + Data("\",\(login)".utf8))),
        Sample(name: "JSON cut at its start", reply: .text("ller\",\(login.dropFirst())", as: .json)),
        Sample(name: "JSON beside bytes", reply: .data(Data([0, 0xFF]) + Data(login.utf8))),
        Sample(name: "form in Latin-1", headers: form, body: latin1("name=Müller&password=\(secret)&a=é")),
        Sample(
            name: "form with an accent on its separator", headers: form,
            body: Data("a=1&\u{301}password=\(secret)".utf8)),
        Sample(
            name: "form with an accent on its value", headers: form,
            body: Data("password=\u{301}\(secret)".utf8)),
        Sample(name: "text in Latin-1", reply: .data(latin1("für Bearer \(secret)"), as: .text)),
        Sample(
            name: "a part in Latin-1", headers: mixed,
            body: Data("--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8) + latin1(login)
                + Data("\r\n--xyz--\r\n".utf8)),
        Sample(name: "multipart with another boundary", headers: mixed, body: Data(login.utf8)),
        Sample(name: "JSON with a byte order mark", body: Data([0xEF, 0xBB, 0xBF]) + Data(login.utf8)),
        Sample(name: "UTF-16", reply: .data(utf16(login), as: .json)),
        Sample(name: "UTF-16, big-endian", reply: .data(utf16(login, isBigEndian: true), as: .json)),
        Sample(name: "UTF-16 with a byte order mark", reply: .data(utf16("\u{2028}\(login)", [0xFF, 0xFE]))),
        Sample(name: "UTF-16, cut", reply: .data(utf16(login).dropLast(5), as: .json)),
        Sample(
            name: "UTF-16 that is declared",
            reply: .data(utf16("ü\(login)", isBigEndian: true), as: "application/json; charset=utf-16")),
        Sample(name: "a copy in UTF-16", headers: bearer(), reply: .data(utf16("you: \(secret)"), as: .text)),
        Sample(
            name: "a copy in an image", headers: bearer(),
            reply: .data(Data([0x89, 0x50, 0]) + Data(secret.utf8), as: "image/png")),
        Sample(
            name: "a secret in Latin-1", headers: json, body: latin1("{\"password\":\"Grün-\(secret)\"}"),
            reply: .data(latin1("you said Grün-\(secret)"), as: .text)),
    ]

    @Test(arguments: headers + urls + bodies + texts + copies + bytes)
    func `a recording contains no secrets`(sample: Sample) async throws {
        let server = MockServer(clock: VirtualClock()) { Route(.any) { sample.reply } }
        let request = URLRequest(
            try #require(URL(string: sample.url)), method: sample.body == nil ? "GET" : "POST",
            headers: sample.headers, body: sample.body)
        let (whole, _) = try await server.data(request)
        for times in [HAR.Times.stable, .recorded] {
            let data = try server.recording.data(times: times)
            let archive = try HAR(parsing: data)
            let bodies = archive.entries.flatMap { [$0.request.body, $0.response.body] }
            for leak in sample.leaks {
                #expect(!String(decoding: data, as: UTF8.self).contains(leak))
                // Without the zeros of UTF-16.
                #expect(bodies.allSatisfy { Data($0.filter { $0 != 0 }).range(of: Data(leak.utf8)) == nil })
            }
            // A replay matches the request and returns a similar reply.
            guard times == .stable else { continue }
            let replay = MockServer { archive.routes() }
            let (body, _) = try await replay.data(request)
            #expect(body.isEmpty == whole.isEmpty)
        }
        var dumped = ""
        dump(server.recording, to: &dumped)
        #expect(sample.leaks.allSatisfy { !dumped.contains($0) })
    }

    @Test func `the bytes around a masked secret are recorded unchanged`() async throws {
        let masked = Self.login.replacing(Self.secret, with: "***")
        let pairs: [(Data, Data)] = [
            (Self.latin1(Self.login), Self.latin1(masked)),
            (Self.utf16(Self.login, [0xFF, 0xFE]), Self.utf16(masked, [0xFF, 0xFE])),
            (
                Data([0xFF, 0xF4, 0x8F, 0xBF, 0x80, 0xC3]) + Data(Self.login.utf8),
                Data([0xFF, 0xF4, 0x8F, 0xBF, 0x80, 0xC3]) + Data(masked.utf8)
            ),
        ]
        for (body, expected) in pairs {
            let server = MockServer { Route(.any) { Reply.data(body, as: .json) } }
            _ = try await server.data("http://shop.example/")
            #expect(server.recording.entries.first?.response.body == expected)
        }
    }

    static let unsearchable: [(body: [UInt8], type: String, coding: String)] = [
        ([0x1F, 0x8B, 8, 0, 1, 0xFF], "application/json", "gzip"),
        ([0x1F, 0x8B, 8, 0, 1, 0xFF], "application/octet-stream", ""),
        ([0x78, 0x9C, 0xCB, 0x48, 0xCD], "application/json", "deflate"),
        ([0x8B, 0x82, 0x80, 0x7B, 0x22, 0xFF], "text/plain", "br"),
        ([0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x80], "text/plain", "zstd"),
        ([0x50, 0x4B, 3, 4, 0xFF], "application/zip", ""),
        ([0x0A, 3, 0xFF, 0x61], "application/x-protobuf", ""),
        (Array(latin1("{\"a\":\"\u{83}\\\",\"token\":\"\(secret)\"}")), "application/json", ""),
        (Array(latin1("{\"a\":\"\u{83}\",\"b\":\"\"}")), "application/json; charset=Shift_JIS", ""),
        (Array("{}".unicodeScalars).flatMap { [0, 0, 0, UInt8($0.value)] }, "application/json", ""),
        (
            Array("--x\r\nContent-Type: text/plain\r\n\r\n".utf8) + [1, 0xFF] + Array("\r\n--x--".utf8),
            "multipart/mixed; boundary=x", ""
        ),
    ]

    @Test(arguments: unsearchable)
    func `a body that cannot be searched is left out, and its replay says so`(
        body: [UInt8], type: String, coding: String
    ) async throws {
        let reply = Reply.data(Data(body), as: MediaType(rawValue: type))
        let server = MockServer {
            Route(.any) { coding.isEmpty ? reply : reply.header(.contentEncoding, coding) }
        }
        var request = URLRequest(
            URL(literal: "http://shop.example/"), method: "POST", headers: ["Content-Type": type],
            body: Data(body))
        if !coding.isEmpty { request.setValue(coding, forHTTPHeaderField: "Content-Encoding") }
        _ = try await server.data(request)
        let data = try server.recording.data()
        let archive = try HAR(parsing: data)
        #expect(archive.entries.map(\.request.body) == [Data()])
        #expect(archive.entries.map(\.response.body) == [Data()])
        #expect(try archive.data() == data)
        let replay = MockServer { archive.routes() }
        let error = try await replay.refusal(of: request)
        let shown = coding.isEmpty ? "" : ", encoded as \(coding)"
        #expect(
            error == """
                the recorded response to POST http://shop.example/ cannot be replayed: its body (\(body.count) bytes of \
                \(type)\(shown)) was not recorded, because it cannot be searched for secrets. Let the server send \
                uncompressed text in UTF-8 and record it again, or add a route that replies instead
                """)
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
        let credential = "Basic \(Data("user:secret".utf8).base64EncodedString())"
        _ = try await server.data(
            URLRequest(
                "http://shop.example/",
                headers: ["Cookie": "theme=default; lang=english", "Authorization": credential]))
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
