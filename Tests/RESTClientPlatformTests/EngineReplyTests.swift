// Tests of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import RESTClientPlatform

/// The responses of servers, and their ends: the server keeps the connection open after a reply, unless the row says otherwise.
@Suite(.hangLimit) struct EngineReplyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        enum Result: Sendable {
            case reply(Int, String = "", field: [String]? = nil)
            case failure(URLError.Code)
        }

        var name: String
        var method = "GET"
        /// The reply, in Latin-1.
        var reply: String
        var closes = false
        var result: Result

        var testDescription: String { name }

        init(_ name: String, _ reply: String, _ result: Result, method: String = "GET", closes: Bool = false)
        {
            (self.name, self.reply, self.result) = (name, reply, result)
            (self.method, self.closes) = (method, closes)
        }
    }

    private static let tea = "Content-Length: 3\r\n\r\ntea"
    private static func ok(_ rest: String) -> String { "HTTP/1.1 200 OK\r\n\(rest)" }

    static let ends: [Row] = [
        Row("a length", ok(tea), .reply(200, "tea")),
        Row("no bytes", ok("Content-Length: 0\r\n\r\n"), .reply(200)),
        Row("two equal lengths", ok("Content-Length: 3\r\n\(tea)"), .reply(200, "tea")),
        Row("bytes after the end", ok("\(tea)HTTP/1.1 408 Late\r\n\r\n"), .reply(200, "tea")),
        Row(
            "chunks", ok("Transfer-Encoding: chunked\r\n\r\n1\r\nt\r\n2;a=b\r\nea\r\n0\r\n\r\n"),
            .reply(200, "tea")),
        Row(
            "trailers",
            ok("Transfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n0\r\nX-Sum: 7\r\nHTTP/1.1 500 No: x\r\n\r\n"),
            .reply(200, "tea", field: nil)),
        Row("the end of the connection", ok("\r\ntea"), .reply(200, "tea"), closes: true),
        Row("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\ntea", .reply(200, "tea"), closes: true),
        Row("HEAD with a length", ok("Content-Length: 3\r\n\r\n"), .reply(200), method: "HEAD"),
        Row("HEAD with chunks", ok("Transfer-Encoding: chunked\r\n\r\n"), .reply(200), method: "HEAD"),
        Row(
            "HEAD with gzip", ok("Content-Encoding: gzip\r\nContent-Length: 30\r\n\r\n"), .reply(200),
            method: "HEAD"),
        Row(
            "101 that was not requested", "HTTP/1.1 101 Switching\r\n\r\ntea", .reply(101, "tea"),
            closes: true),
        Row("204", "HTTP/1.1 204 No Content\r\n\r\n", .reply(204)),
        Row(
            "a transfer coding that was not requested",
            ok("Transfer-Encoding: gzip, chunked\r\n\r\n3\r\ntea\r\n0\r\n\r\n"),
            .failure(.cannotDecodeRawData)),
        Row("204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", .reply(204)),
        Row("304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\nETag: \"a\"\r\n\r\n", .reply(304)),
        Row(
            "a length that is too long", ok("Content-Length: 4\r\n\r\ntea"), .failure(.networkConnectionLost),
            closes: true),
        Row(
            "no last chunk", ok("Transfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n"),
            .failure(.networkConnectionLost), closes: true),
        Row(
            "a chunk without a size", ok("Transfer-Encoding: chunked\r\n\r\nzz\r\ntea\r\n"),
            .failure(.cannotParseResponse)),
        Row(
            "a chunk size in the notation of C",
            ok("Transfer-Encoding: chunked\r\n\r\n0x3\r\ntea\r\n0\r\n\r\n"),
            .failure(.cannotParseResponse)),
        Row(
            "an encoded body without bytes and length", ok("Content-Encoding: gzip\r\n\r\n"),
            .failure(.cannotDecodeRawData), closes: true),
        Row("a status line in lower case", "http/1.1 200 OK\r\n\(tea)", .failure(.cannotParseResponse)),
        Row("no reply", "", .failure(.badServerResponse), closes: true),
        Row("a part of a head", "HTTP/1.1 200 OK\r\nX: 1\r\n", .failure(.badServerResponse), closes: true),
        Row("a part of a line", "HTTP/1.1 200 OK\r\nX: 1", .failure(.badServerResponse), closes: true),
        Row(
            "an interim head only", "HTTP/1.1 100 Continue\r\n\r\n", .failure(.badServerResponse),
            closes: true),
    ]

    static let heads: [Row] = [
        Row(
            "100", "HTTP/1.1 100 Continue\r\nX: 0\r\n\r\n\(ok("X: 1\r\n\(tea)"))",
            .reply(200, "tea", field: ["1"])),
        Row("103", "HTTP/1.1 103 Early Hints\r\nX: 0\r\n\r\n\(ok(tea))", .reply(200, "tea", field: [])),
        Row("199", "HTTP/1.1 199 Odd\r\n\r\n\(ok(tea))", .reply(200, "tea")),
        Row("a field twice", ok("X: 1\r\nX: 2\r\n\(tea)"), .reply(200, "tea", field: ["1", "2"])),
        Row("a folded field", ok("X: 1\r\n 2\r\n\t3\r\n\(tea)"), .reply(200, "tea", field: ["1 2 3"])),
        Row("blanks", ok("X:  \t1 \t\r\n\(tea)"), .reply(200, "tea", field: ["1"])),
        Row("a blank before a colon", ok("X : 1\r\n\(tea)"), .reply(200, "tea", field: ["1"])),
        Row(
            "a blank before the colon of a transfer coding",
            ok("Transfer-Encoding : chunked\r\n\r\n3\r\ntea\r\n0\r\n\r\n"), .failure(.cannotParseResponse),
            closes: true),
        Row(
            "a folded transfer coding", ok("Transfer-Encoding:\r\n chunked\r\n\r\n3\r\ntea\r\n0\r\n\r\n"),
            .failure(.cannotParseResponse), closes: true),
        Row(
            "a folded length", ok("Content-Length: 3\r\n 0\r\n\r\ntea"), .failure(.cannotParseResponse),
            closes: true),
        Row(
            "a length that is too long beside the transfer coding identity",
            ok("Transfer-Encoding: identity\r\nContent-Length: 9\r\n\r\ntea"),
            .failure(.networkConnectionLost),
            closes: true),
        Row(
            "a length beside the transfer coding identity", ok("Transfer-Encoding: identity\r\n\(tea)"),
            .reply(200, "tea"), closes: true),
        Row(
            "HEAD with a length beside the transfer coding identity",
            ok("Transfer-Encoding: identity\r\n\(tea)"), .reply(200), method: "HEAD", closes: true),
        Row(
            "the transfer coding identity", ok("Transfer-Encoding: identity\r\n\r\ntea"), .reply(200, "tea"),
            closes: true),
        Row(
            "a blank before the colon of one of two lengths", ok("content-length\t: 2\r\n\(tea)"),
            .failure(.cannotParseResponse)),
        Row("no value", ok("X:\r\n\(tea)"), .reply(200, "tea", field: [""])),
        Row("a field without a colon", ok("no colon\r\nX: 1\r\n\(tea)"), .failure(.cannotParseResponse)),
        Row("Latin-1", ok("X: caf\u{E9}\r\n\(tea)"), .reply(200, "tea", field: ["caf\u{E9}"])),
        Row("UTF-8", ok("X: caf\u{C3}\u{A9}\r\n\(tea)"), .reply(200, "tea", field: ["caf\u{E9}"])),
        Row(
            "all bytes",
            ok(
                "X: a\(String(String.UnicodeScalarView((1...255).filter { ![10, 13].contains($0) }.map { Unicode.Scalar(UInt8($0)) })))b\r\n\(tea)"
            ),
            .reply(200, "tea")),
        Row(
            "bare line feeds", "HTTP/1.1 200 OK\nX: 1\nContent-Length: 3\n\ntea",
            .reply(200, "tea", field: ["1"])),
        Row("no reason", "HTTP/1.1 200\r\n\(tea)", .reply(200, "tea")),
        Row("an empty reason", "HTTP/1.1 200 \r\n\(tea)", .reply(200, "tea")),
        Row("status 999", "HTTP/1.1 999 Odd\r\n\(tea)", .reply(999, "tea")),
        Row("status 099", "HTTP/1.1 099 Odd\r\n\(tea)", .failure(.cannotParseResponse)),
        Row("no status", "HTTP/1.1 OK\r\n\(tea)", .failure(.cannotParseResponse)),
        Row("HTTP/0.9", "tea", .failure(.cannotParseResponse), closes: true),
        Row(
            "200 KiB", ok("X: 1\r\n" + field(100 << 10, "Y") + field(90 << 10, "Z") + tea),
            .reply(200, "tea", field: ["1"])),
        Row(
            "270 KiB", ok(field(90 << 10, "X") + field(90 << 10, "Y") + field(90 << 10, "Z") + tea),
            .failure(.cannotParseResponse)),
        Row("a field of 400 KiB", ok(field(400 << 10, "X") + tea), .failure(.cannotParseResponse)),
        Row(
            "20,000 fields", ok(String(repeating: "X: 0123456789\r\n", count: 20_000) + tea),
            .failure(.cannotParseResponse)),
        Row(
            "trailers of 270 KiB",
            ok(
                "Transfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n0\r\n"
                    + String(repeating: "X: 0123456789\r\n", count: 20_000) + "\r\n"),
            .failure(.cannotParseResponse)),
    ]

    private static func field(_ size: Int, _ name: String) -> String {
        "\(name): \(String(repeating: "a", count: size - 6))\r\n"
    }

    /// The replies that end a process with URLSession's own protocol.
    static let hostile: [Row] =
        [
            // The admin API of Caddy 2.6 announces and sends its entity tag after the body.
            Row(
                "Caddy's trailers",
                ok(
                    "Content-Type: application/json\r\nTrailer: Etag\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n0\r\nEtag: \"/config/ 5d8a\"\r\n\r\n"
                ),
                .reply(200, "tea")),
            // wsgiref writes the head of its error after a part of that of the application.
            Row(
                "wsgiref",
                "HTTP/1.0 200 OK\r\nDate: Wed, 25 Nov 2026 06:42:22 GMT\r\nServer: WSGIServer/0.2\r\nX: 1\r\nHTTP/1.0 500 Internal Server Error\r\nContent-Length: 3\r\n\r\ntea",
                .failure(.cannotParseResponse), closes: true),
            Row(
                "a head that ends early", "HTTP/1.0 200 OK\r\nDate: Wed, 25 Nov 2026 06:42:22 GMT\r\nX:",
                .failure(.badServerResponse), closes: true),
            Row("NUL in a value", ok("X: a\0b\r\n\(tea)"), .failure(.cannotParseResponse)),
            Row(
                "NUL in a value after HEAD", ok("X: a\0b\r\n\r\n"), .failure(.cannotParseResponse),
                method: "HEAD"),
            Row(
                "NUL at the start of a line", ok("\0X: a\r\n\r\n"), .failure(.badServerResponse),
                method: "HEAD", closes: true),
            Row("two carriage returns", ok("X: a\r\r\n\(tea)"), .reply(200, "tea", field: ["a"])),
            Row(
                "two carriage returns after HEAD", ok("X: a\r\r\n\r\n"), .reply(200, field: ["a"]),
                method: "HEAD"),
            Row(
                "a length of 2⁶³ − 512", ok("Content-Length: 9223372036854775296\r\n\r\ntea"),
                .failure(.networkConnectionLost), closes: true),
            Row(
                "a length of 2⁶³", ok("Content-Length: 9223372036854775808\r\n\r\ntea"), .reply(200, "tea"),
                closes: true),
            Row(
                "a length of 10²³", ok("Content-Length: 100000000000000000000000\r\n\r\ntea"),
                .reply(200, "tea"), closes: true),
            Row(
                "a negative length", ok("Content-Length: -5\r\n\r\ntea"), .failure(.cannotParseResponse),
                closes: true),
        ]
        + [
            "", "//", "http://", "//[", "//[]/", "//%zz", "//a:99999", "//\u{E9}", "http:x", "a b",
            "h\u{E9}://a",
        ].map { location in
            Row(
                "Location: \(location)", "HTTP/1.1 302 Found\r\nLocation: \(location)\r\n\(tea)",
                .reply(302, "tea"))
        }

    @Test(arguments: ends + heads + hostile)
    func `a reply has the documented result, and the next one is another`(row: Row) async throws {
        let server = try RawServer.serving { connection in
            while case let request = connection.readRequest(), !request.isEmpty {
                if request.contains(" /next ") {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
                } else {
                    connection.send(row.reply.data(using: .isoLatin1) ?? Data())
                    if row.closes { return }
                }
            }
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        let record = try await pool.exchange(server, method: row.method)
        #expect(record.endCount == 1)
        switch row.result {
        case .reply(let status, let text, let field):
            #expect(record.failure == nil)
            #expect(record.head?.status == status)
            #expect(record.text == text)
            if let field { #expect(record.head?.fields.filter { $0.name == "X" }.map(\.value) == field) }
        case .failure(let code):
            #expect(record.failure?.code == code, "\(record.failure?.text ?? "none")")
        }
        let next = try await pool.exchange(server, "/next")
        #expect(next.failure == nil)
        #expect(next.text == "next")
    }

    /// libcurl 7.88 adds the line to a field of the reply before, whose memory it has freed, if its handle is used again.
    @Test func `a head that begins with a folded line does not continue the head before`() async throws {
        let server = try RawServer.serving { connection in
            while case let request = connection.readRequest(), !request.isEmpty {
                let line =
                    request.contains("/folded") ? " Z: \(String(repeating: "x", count: 99))" : "X: 1\r\nY: 2"
                connection.send("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 3\r\n\r\ntea")
            }
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        for _ in 0..<20 {
            #expect(try await pool.exchange(server).text == "tea")
            let record = try await pool.exchange(server, "/folded")
            #expect(record.endCount == 1)
            #expect(record.head?.fields.first?.name != "Y")
        }
    }

    @Test(arguments: ["HTTP/1.1 100 Continue\r\n\r\n", "X: 0123456789\r\n"])
    func `a head that does not end is an error, and its connection is closed`(part: String) async throws {
        let (closing, isClosed) = AsyncStream<Void>.makeStream()
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 \(part.hasPrefix("X") ? "200 OK" : "102 Processing\r\n")\r\n")
            let data = Data(String(repeating: part, count: 100).utf8)
            while connection.send(data) {}
            isClosed.finish()
        }
        let record = try await ConnectionPool(maxConnectionsPerHost: 1).exchange(server)
        #expect(record.failure?.code == .cannotParseResponse)
        for await _ in closing {}
    }
}
#endif
