import Foundation
import RESTClientHTTP
import MockTransport
import Testing

/// Invalid requests of attackers and broken clients: each is rejected with a message or answered, without a trap or hang.
@Suite struct LoopbackAttackTests {
    private let server = MockServer {
        Route(.any) { request in .text("<\(request.method) \(request.url.absoluteString) \(request.text)>") }
    }
    private static let get = "GET /tea HTTP/1.1\r\nHost: localhost\r\n"
    private static let post = "POST /in HTTP/1.1\r\nHost: localhost\r\n"
    private static let chunked = post + "Transfer-Encoding: chunked\r\n"
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let status: Int

        init(_ name: String, _ text: String, _ status: Int = 400) {
            (testDescription, self.text, self.status) = (name, text, status)
        }
    }

    static let attacks: [Attack] = [
        Attack("length and chunks", chunked + "Content-Length: 4\r\n\r\n0\r\n\r\n" + smuggled),
        Attack("two lengths", post + "Content-Length: 0\r\nContent-Length: 60\r\n\r\n" + smuggled),
        Attack("two lengths in one field", post + "Content-Length: 0, 60\r\n\r\n" + smuggled),
        Attack("a method that is not a token", "G@T /tea HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("a length with a sign", post + "Content-Length: +5\r\n\r\nhello"),
        Attack("a length in hexadecimal", post + "Content-Length: 0x5\r\n\r\nhello"),
        Attack("a length that is empty", post + "Content-Length:\r\n\r\n" + smuggled),
        Attack("a length beyond 64 bits", post + "Content-Length: 18446744073709551617\r\n\r\n", 413),
        Attack("chunked twice", post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 501),
        Attack("chunked and identity", chunked + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", 501),
        Attack("an empty coding", post + "Transfer-Encoding:\r\n\r\n" + smuggled, 501),
        Attack(
            "a coding after a no-break space", post + "Transfer-Encoding: \u{A0}chunked\r\n\r\n0\r\n\r\n",
            501),
        Attack(
            "a coding with a Kelvin sign", post + "Transfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n", 501),
        Attack("a coding after a vertical tab", post + "Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n"),
        Attack("a space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
        Attack("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Attack("a folded field", get + "A: b\r\n\tc\r\n\r\n"),
        Attack("a field folded onto the request line", "GET /tea HTTP/1.1\r\n Host: localhost\r\n\r\n"),
        Attack("lines that end in LF", "GET /tea HTTP/1.1\nHost: x\n\n"),
        Attack("one line that ends in LF", get + "A: b\nB: c\r\n\r\n"),
        Attack("a CR inside a value", get + "A: b\rB: c\r\n\r\n"),
        Attack("a NUL in a value", get + "A: \0\r\n\r\n"), Attack("a NUL in a name", get + "A\0: b\r\n\r\n"),
        Attack("a NUL in the target", "GET /te\0a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("only NULs", String(repeating: "\0", count: 70_000), 431),
        Attack("a name with UTF-8", get + "Ä: b\r\n\r\n"),
        Attack("a chunk size beyond 64 bits", chunked + "\r\n10000000000000000\r\n"),
        Attack("a chunk size of 64 bits", chunked + "\r\nffffffffffffffff\r\n"),
        Attack("a chunk size of 63 bits", chunked + "\r\n7fffffffffffffff\r\n", 413),
        Attack("a negative chunk size", chunked + "\r\n-1\r\n"),
        Attack("a chunk size with 0x", chunked + "\r\n0x1\r\na\r\n"),
        Attack("no chunk size", chunked + "\r\n\r\n"),
        Attack("a chunk size with trailing text", chunked + "\r\n1 a\r\n"),
        Attack("a chunk extension with a CR", chunked + "\r\n1;a\rb\r\nx\r\n0\r\n\r\n"),
        Attack("a chunk extension with an LF", chunked + "\r\n1;a\nb\r\nx\r\n0\r\n\r\n"),
        Attack("a chunk longer than its size", chunked + "\r\n1\r\nab\r\n0\r\n\r\n"),
        Attack("a request in place of trailers", chunked + "\r\n0\r\n" + smuggled),
        Attack("a trailer that is folded", chunked + "\r\n0\r\nA: b\r\n c\r\n\r\n"),
        Attack("many trailers", chunked + "\r\n0\r\n" + String(repeating: "a: b\r\n", count: 20_000)),
        Attack("many fields", get + String(repeating: "a: b\r\n", count: 20_000), 431),
        Attack("one endless field", get + "A: " + String(repeating: "a", count: 200_000), 431),
        Attack("an endless target", "GET /" + String(repeating: "a", count: 200_000), 431),
        Attack("an endless method", String(repeating: "A", count: 200_000), 431),
        Attack("two Hosts", get + "Host: y\r\n\r\n"),
        Attack("a Host with a path", "GET /tea HTTP/1.1\r\nHost: x/y\r\n\r\n"),
        Attack("a Host with user info", "GET /tea HTTP/1.1\r\nHost: u@x\r\n\r\n"),
        Attack("a Host with an invalid port", "GET /tea HTTP/1.1\r\nHost: x:y\r\n\r\n"),
        Attack("an https target", "GET https://x/ HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("a target without a host", "GET http:///tea HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("a target that is not a URL", "GET http://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("an asterisk without OPTIONS", "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("a tunnel", "CONNECT x:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", 501),
        Attack("an expectation with a Kelvin sign", get + "Expect: 100-continue\u{212A}\r\n\r\n", 417),
        Attack("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Attack("no request line", "nonsense\r\n\r\n"), Attack("no version", "GET /tea\r\n\r\n"),
        Attack("two spaces", "GET  /tea HTTP/1.1\r\n\r\n"), Attack("no Host", "GET /tea HTTP/1.1\r\n\r\n"),
        Attack("a DEL in the target", "GET /te\u{7f} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("a target without a slash", "GET tea HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Attack("a line without a colon", get + "no colon\r\n\r\n"),
        Attack("a control character in a value", get + "A: \u{1}\r\n\r\n"),
        Attack("another expectation", get + "Expect: tea\r\n\r\n", 417),
        Attack("a large body", post + "Content-Length: 100000000\r\n\r\n", 413),
        Attack("a coding before chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        Attack("a chunk size that is not a number", chunked + "\r\nx\r\n"),
        Attack("a long chunk extension", chunked + "\r\n1;" + String(repeating: "x", count: 5_000)),
        Attack("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{FC}\u{3}\u{3}\n\n"),
    ]

    @Test(arguments: attacks) func `an invalid request is rejected`(attack: Attack) async throws {
        let loopback = try await server.listen()
        let client = try TestSocket(loopback)
        client.send(attack.text)
        let (text, end) = await client.receive()
        #expect(text.hasPrefix("HTTP/1.1 \(attack.status) "))
        #expect(text.contains("\r\nConnection: close\r\n"))
        // Exactly one response: the smuggled request is not answered.
        #expect(text.matches(of: #/HTTP/1\.1 [0-9]{3} /#).count == 1)
        #expect(end == .closed)
        #expect(server.requests.isEmpty)
    }

    static let unusualRequests: [(name: String, text: String, answer: String)] = [
        (
            "the same length twice", post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\ntea",
            "<POST http://localhost/in tea>"
        ),
        ("a length with zeros", post + "Content-Length: 0003\r\n\r\ntea", "<POST http://localhost/in tea>"),
        (
            "chunks in capitals", post + "transfer-ENCODING: ChUnKeD\r\n\r\n3\r\ntea\r\n0\r\n\r\n",
            "<POST http://localhost/in tea>"
        ),
        (
            "chunks with extensions", chunked + "\r\n03 ; a=\"b\"\r\ntea\r\n0;x\r\nA: b\r\n\r\n",
            "<POST http://localhost/in tea>"
        ),
        ("an unexpected body", get + "Content-Length: 3\r\n\r\ntea", "<GET http://localhost/tea tea>"),
        (
            "an upgrade", get + "Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n",
            "<GET http://localhost/tea >"
        ),
        (
            "a target for a proxy", "GET http://y/tea HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "<GET http://y/tea >"
        ),
        ("OPTIONS of all", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "<OPTIONS http://localhost >"),
        (
            "an unknown method", "BREW /tea HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "<BREW http://localhost/tea >"
        ),
        (
            "a path of encoded bytes", "GET /%00%ff%2f..%2f HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "<GET http://localhost/%00%ff%2f..%2f >"
        ),
        (
            "a path of slashes", "GET //%2f/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "<GET http://localhost//%2f/x >"
        ),
        ("an empty line before the request", "\r\n\r\n" + get + "\r\n", "<GET http://localhost/tea >"),
        (
            "white space around values", "GET /tea HTTP/1.1\r\nHost:\t localhost\t \r\nA: \r\n\r\n",
            "<GET http://localhost/tea >"
        ),
        (
            "an expectation with its body", post + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\ntea",
            "<POST http://localhost/in tea>"
        ),
        ("a value in Latin-1", get + "A: \u{E9}\r\n\r\n", "<GET http://localhost/tea >"),
    ]

    @Test(arguments: unusualRequests.indices)
    func `an unusual but valid request is answered`(index: Int) async throws {
        let unusual = Self.unusualRequests[index]
        // A second request follows, which must be parsed from the end of the first one.
        let (text, end) = try await server.answer(to: unusual.text + Self.smuggled)
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains(unusual.answer), "\(unusual.name)")
        if !unusual.text.contains("close") {
            #expect(text.hasSuffix("<GET http://localhost/smuggled >"), "\(unusual.name)")
        }
        #expect(end == .closed)
    }

    @Test func `a client that closes its sending side receives the replies that are ready`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let loopback = try await server.listen()
        let client = try TestSocket(loopback)
        client.send(Self.get + "\r\n")
        client.closeSending()
        let (text, end) = await client.receive()
        #expect(text.hasSuffix("tea"))
        #expect(end == .closed)
    }

    @Test(arguments: ["", "GET", get, post + "Content-Length: 5\r\n\r\nte", chunked + "\r\n5\r\nte"])
    func `a client that disconnects in the middle of a request is closed`(text: String) async throws {
        let loopback = try await server.listen()
        let client = try TestSocket(loopback)
        client.send(text)
        client.closeSending()
        #expect(await client.receive() == ("", .closed))
    }

    /// Random bytes in random pieces: each connection ends, and the server still answers.
    @Test func `random bytes never trap`() async throws {
        let loopback = try await server.listen()
        var random = SeededGenerator(seed: 11)
        let words = [
            "GET ", "POST ", "/", "http://localhost/", " HTTP/1.1", " HTTP/1.0", "\r\n", "\r\n\r\n", "\n",
            ":", " ",
            "Host: x",
            "Content-Length: ", "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close",
            "0", "5",
            "ffff", ";", "\u{0}", "tea", ",", "-1", "é",
        ]
        for _ in 0..<150 {
            let client = try TestSocket(loopback)
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                client.send(words.randomElement(using: &random) ?? "")
            }
            client.closeSending()
            #expect(await client.receive().end != .timedOut)
        }
        let (text, _) = try await loopback.answer(to: Self.get + "Connection: close\r\n\r\n")
        #expect(text.hasSuffix("<GET http://localhost/tea >"))
    }

    @Test(arguments: [
        ("localhost", 200), ("LOCALHOST:PORT", 200), ("127.0.0.1:PORT", 200), ("[::1]:PORT", 200),
        ("shop.example", 200), ("shop.example:1", 200), ("localhost:8443", 200), ("tea.example:8443", 200),
        ("localhost:1", 421), ("127.0.0.1:80", 421), ("[::1]:8443", 421), ("tea.example", 421),
        ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421),
        ("0.0.0.0", 421),
        ("x", 421), ("[::2]", 421), ("127.0.0.2", 421),
    ])
    func `a request of a page whose host was changed to 127.0.0.1 is refused`(
        host: String, status: Int
    ) async throws {
        let loopback = try await server.listen {
            $0.hosts = ["shop.example", "localhost:8443", "tea.example:8443"]
        }
        let host = host.replacing("PORT", with: "\(loopback.url.port ?? 0)")
        let (text, _) = try await loopback.answer(
            to: "GET /tea HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
        #expect(text.contains("tea") == (status == 200))
    }
}
