import Foundation
import RESTClientTestSupport

extension Hazard {
    private static func reply(
        _ input: String, _ code: Int32, says: String = "", prints: String? = nil, _ arguments: String...,
        acts: @escaping @Sendable () -> [RawServer.Action]
    ) -> Self {
        Self(
            topic: .http, input: input, code: code, trial: .wire(arguments) { _ in acts() }, says: says,
            prints: prints)
    }

    private static func chunked(_ body: String) -> [RawServer.Action] {
        Wire.raw("Transfer-Encoding: chunked", body: body)
    }

    static let http: [Self] =
        framing + coding + heads + slowness
        + [
            #"Basic realm="x""#, #"Digest realm="x", nonce="y""#, "Bearer", "Negotiate", "%%%",
            "Basic, Basic, =",
        ].map { challenge in
            reply("401 with `WWW-Authenticate: \(challenge)`", 4, says: "HTTP 401 Unauthorized") {
                Wire.reply("no", status: "401 Unauthorized", fields: ["WWW-Authenticate: \(challenge)"])
            }
        }
        + [
            reply("401 without a challenge", 4, says: "HTTP 401") {
                Wire.reply("no", status: "401 Unauthorized")
            },
            reply("407", 4, says: "HTTP 407") {
                Wire.reply("no", status: "407 No", fields: [#"Proxy-Authenticate: Basic realm="x""#])
            },
        ] + traps

    private static let framing: [Self] = [
        reply("a Content-Length that is too long", 8, says: "ended early at byte 15 of 99") {
            Wire.raw("Content-Length: 99")
        },
        reply("a Content-Length that is too short", 8, says: "ended early") { Wire.raw("Content-Length: 9") },
        reply("a negative Content-Length", 8, says: "not valid HTTP") { Wire.raw("Content-Length: -5") },
        reply("a Content-Length of 10²³", 8, says: "Content-Length") {
            Wire.raw("Content-Length: 100000000000000000000000")
        },
        reply("two Content-Lengths that differ", 8, says: "Content-Length") {
            Wire.raw("Content-Length: 15", "Content-Length: 99")
        },
        reply("no last chunk", 8, says: "ended early") { chunked("f\r\n\(Wire.list)\r\n") },
        reply("a chunk whose size is no number", 8, says: "not valid HTTP") {
            chunked("zz\r\n\(Wire.list)\r\n0\r\n\r\n")
        },
        reply("no length, the end is that of the connection", 0, prints: "a\n") {
            Wire.raw("Connection: close")
        },
    ]

    private static let coding: [Self] = [
        reply("gzip", 0, prints: "a\n") {
            Wire.reply(Wire.gzip(Wire.list), fields: ["Content-Encoding: gzip"])
        },
        reply("gzip that is cut", 8, says: "ended early") {
            Wire.reply(Wire.gzip(Wire.list).dropLast(12), fields: ["Content-Encoding: gzip"])
        },
        reply("gzip that is corrupt", 8, says: "not valid HTTP") {
            var data = Wire.gzip(Wire.list)
            data[11] ^= 0x55
            return Wire.reply(data, fields: ["Content-Encoding: gzip"])
        },
        reply("gzip with junk behind it", 8, says: "not valid HTTP") {
            Wire.reply(Wire.gzip(Wire.list) + Data("junk".utf8), fields: ["Content-Encoding: gzip"])
        },
        reply("two members of gzip", 8, says: "not valid HTTP") {
            Wire.reply(Wire.gzip("{\"items\":") + Wire.gzip("[\"a\"]}"), fields: ["Content-Encoding: gzip"])
        },
        reply("an unknown encoding", 8, says: "not valid HTTP") {
            Wire.reply(Wire.list, fields: ["Content-Encoding: foo"])
        },
        Self(
            topic: .http, input: "a gzip bomb: 40 MB in 40 KB", code: 9,
            trial: .run {
                let script =
                    "python3 -c 'import gzip,sys; sys.stdout.buffer.write("
                    + "gzip.compress(b\"{\\\"items\\\":[\\\"\"+b\"a\"*(40<<20)+b\"\\\"]}\"))' > \"$1\""
                let file = FileManager.default.temporaryDirectory.appending(path: "bomb-\(UUID())")
                defer { try? FileManager.default.removeItem(at: file) }
                _ = try await Program.run(
                    "/bin/sh", ["-c", script, "sh", file.path], input: try Scratch().handle)
                let body = try Data(contentsOf: file)
                let server = try RawServer { _ in Wire.reply(body, fields: ["Content-Encoding: gzip"]) }
                return try await Program.items(at: try server.url("/"))
            }, says: "larger than 16,777,216 bytes"),
    ]

    private static let heads: [Self] =
        ["204 No Content", "205 Reset Content", "304 Not Modified"].flatMap { status in
            [
                reply("\(status.prefix(3)) without a body", 8, says: "no content") {
                    [.send("HTTP/1.1 \(status)\r\n\r\n"), .close]
                },
                reply("\(status.prefix(3)) with a body", 8, says: "no content") {
                    Wire.reply(Wire.list, status: status)
                },
            ]
        } + [
            reply("206 that is not all", 8, says: "a part of the list", prints: "a\n") {
                Wire.reply(Wire.list, status: "206 Partial", fields: ["Content-Range: items 0-0/5"])
            },
            reply("200 with a login page", 8, says: "HTML, not JSON") {
                Wire.reply("<!doctype html><title>Sign in</title>", type: "text/html")
            },
            reply("JSON as text/plain", 0, prints: "a\n") { Wire.reply(Wire.list, type: "text/plain") },
            reply("a status line of garbage", 8, says: "not valid HTTP") {
                [.send("NOT HTTP AT ALL\r\n\r\n"), .close]
            },
            reply("HTTP/0.9", 8, says: "not valid HTTP") { [.send(Wire.list), .close] },
            reply("status 099", 8, says: "not valid HTTP") { Wire.reply(Wire.list, status: "099 Odd") },
            reply("status 999", 1, says: "HTTP 999") { Wire.reply(Wire.list, status: "999 Odd") },
            reply("a connection that closes without a reply", 7, says: "without a reply") { [.close] },
            reply("a reset before the head", 7, says: "reset") { [.reset] },
            reply("fifty times 100 Continue", 0, prints: "a\n") {
                (0..<50).map { _ in .send("HTTP/1.1 100 Continue\r\n\r\n") } + Wire.reply(Wire.list)
            },
            reply("103 Early Hints", 0, prints: "a\n") {
                [.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")] + Wire.reply(Wire.list)
            },
            reply("a header of 400 KB", 8, says: "not valid HTTP") {
                Wire.reply(Wire.list, fields: ["X: " + String(repeating: "a", count: 400_000)])
            },
            reply("2,000 headers", 0, prints: "a\n") {
                Wire.reply(Wire.list, fields: (0..<2_000).map { "X-\($0): a" })
            },
            // The platform takes a time that grows with the square of their number.
            reply("20,000 headers, with `--max-time`", 2, says: "timed out in total", "--max-time", "0.5") {
                Wire.reply(Wire.list, fields: (0..<20_000).map { "X-\($0): a" })
            },
            reply("Latin-1 in a header", 8, says: "not valid HTTP") {
                [
                    .bytes(Data("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xE9] + Data("\r\n\r\n\(Wire.list)".utf8)),
                    .close,
                ]
            },
            reply("NUL in a header", 8, says: "not valid HTTP") {
                Wire.reply(Wire.list, fields: ["X: a\0b"])
            },
            reply("a header without a colon", 8, says: "not valid HTTP") {
                Wire.reply(Wire.list, fields: ["Xabc"])
            },
        ]

    private static let slowness: [Self] = [
        reply("a byte now and then, with `--max-time`", 2, says: "timed out in total", "--max-time", "0.5") {
            [.drip("HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 50), pause: 100)]
        },
        reply(
            "a byte of the body now and then, with `--max-time`", 2, says: "timed out in total", "--max-time",
            "0.5"
        ) {
            [
                .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
                .drip("{\"items\":[" + String(repeating: " ", count: 50), pause: 100),
            ]
        },
        reply("silence behind the request, with `--max-time`", 2, says: "timed out in total", "--max-time", "0.5")
        {
            [.silence]
        },
        Self(
            topic: .http, input: "silence behind the request, for longer than the idle timeout", code: 2,
            trial: .test("thirty seconds without a byte are too many")),
    ]

    /// What the platform cannot survive ends with a last word.
    private static let traps: [Self] = [
        reply("trailers behind the last chunk", 70, says: "gave up on the reply to") {
            chunked("f\r\n\(Wire.list)\r\n0\r\nX: y\r\n\r\n")
        },
        reply("the end of the connection in the head", 70, says: "gave up on the reply to") {
            [.send("HTTP/1.1 200 OK\r\nContent-Type: app"), .close]
        },
        reply("`Location: //%2f/x`", 70, says: "gave up on the reply to") { Wire.redirect("//%2f/x") },
        reply("`Location: //a%00`", 70, says: "gave up on the reply to") { Wire.redirect("//a%00") },
        reply("`Location: //a%20b/x`", 70, says: "gave up on the reply to") { Wire.redirect("//a%20b/x") },
    ]
}
