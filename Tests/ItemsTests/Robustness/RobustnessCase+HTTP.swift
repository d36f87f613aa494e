import Foundation
import RESTClientTestSupport
import RESTClientTestingSupport

extension RobustnessCase {
    private static func chunked(_ body: String) -> [RawServer.Action] {
        RawResponse.raw("Transfer-Encoding: chunked", body: body)
    }

    static let http: [Self] =
        framing + coding + heads + slowness
        + [
            #"Basic realm="x""#, #"Digest realm="x", nonce="y""#, "Bearer", "Negotiate", "%%%",
            "Basic, Basic, =",
        ].map { challenge in
            reply("401 with `WWW-Authenticate: \(challenge)`", 4, message: "HTTP 401 Unauthorized") {
                RawResponse.reply(
                    "no", status: "401 Unauthorized", fields: ["WWW-Authenticate: \(challenge)"])
            }
        }
        + [
            reply("401 without a challenge", 4, message: "HTTP 401") {
                RawResponse.reply("no", status: "401 Unauthorized")
            },
            reply("407", 4, message: "HTTP 407") {
                RawResponse.reply("no", status: "407 No", fields: [#"Proxy-Authenticate: Basic realm="x""#])
            },
        ] + unusual

    private static let framing: [Self] = [
        reply("a Content-Length that is too long", 8, message: "ended early at byte 15 of 99") {
            RawResponse.raw("Content-Length: 99")
        },
        reply("a Content-Length that is too short", 8, message: "ended early") {
            RawResponse.raw("Content-Length: 9")
        },
        reply("a negative Content-Length", 8, message: "invalid response") {
            RawResponse.raw("Content-Length: -5")
        },
        reply("a Content-Length of 10²³", 8, message: "Content-Length") {
            RawResponse.raw("Content-Length: 100000000000000000000000")
        },
        reply("two Content-Lengths that differ", 8, message: "Content-Length") {
            RawResponse.raw("Content-Length: 15", "Content-Length: 99")
        },
        reply("no last chunk", 8, message: "ended early") { chunked("f\r\n\(RawResponse.list)\r\n") },
        reply("a chunk with an invalid size", 8, message: "invalid response") {
            chunked("zz\r\n\(RawResponse.list)\r\n0\r\n\r\n")
        },
        reply("no length, ended by the connection", 0, output: "a\n") {
            RawResponse.raw("Connection: close")
        },
    ]

    private static let coding: [Self] = [
        reply("gzip", 0, output: "a\n") {
            RawResponse.reply(RawResponse.gzip(RawResponse.list), fields: ["Content-Encoding: gzip"])
        },
        reply("an unknown coding", 8, message: "(the Content-Encoding zstd is not supported)") {
            RawResponse.reply(RawResponse.list, fields: ["Content-Encoding: zstd"])
        }.linuxOnly("only the engine for Linux names the coding"),
        reply("truncated gzip", 8, message: "damaged or incomplete") {
            RawResponse.reply(
                RawResponse.gzip(RawResponse.list).dropLast(12), fields: ["Content-Encoding: gzip"])
        },
        reply("corrupt gzip", 8, message: "invalid response") {
            var data = RawResponse.gzip(RawResponse.list)
            data[11] ^= 0x55
            return RawResponse.reply(data, fields: ["Content-Encoding: gzip"])
        },
        reply("gzip followed by other data", 8, message: "invalid response") {
            RawResponse.reply(
                RawResponse.gzip(RawResponse.list) + Data("junk".utf8), fields: ["Content-Encoding: gzip"])
        },
        reply("two members of gzip", 0, output: "a\n") {
            RawResponse.reply(
                RawResponse.gzip("{\"items\":") + RawResponse.gzip("[\"a\"]}"),
                fields: ["Content-Encoding: gzip"])
        },
        reply("an unknown encoding", 8, message: "invalid response") {
            RawResponse.reply(RawResponse.list, fields: ["Content-Encoding: foo"])
        },
        Self(
            input: "a gzip bomb: 40 MB in 40 KB", code: 9,
            method: .run {
                let script =
                    "python3 -c 'import gzip,sys; sys.stdout.buffer.write("
                    + "gzip.compress(b\"{\\\"items\\\":[\\\"\"+b\"a\"*(40<<20)+b\"\\\"]}\"))' > \"$1\""
                let file = FileManager.default.temporaryDirectory.appending(path: "bomb-\(UUID())")
                defer { try? FileManager.default.removeItem(at: file) }
                _ = try await Program.run(
                    "/bin/sh", ["-c", script, "sh", file.path], input: try TemporaryFile().handle)
                let body = try Data(contentsOf: file)
                let server = try RawServer { _ in RawResponse.reply(body, fields: ["Content-Encoding: gzip"])
                }
                return try await Program.items(at: try server.url("/"))
            }, message: "larger than 16,777,216 bytes"),
    ]

    private static let heads: [Self] =
        ["204 No Content", "205 Reset Content", "304 Not Modified"].flatMap { status in
            let message = status.hasPrefix("3") ? status : "no content"
            return [
                reply("\(status.prefix(3)) without a body", 8, message: message) {
                    [.send("HTTP/1.1 \(status)\r\n\r\n"), .close]
                },
                reply("\(status.prefix(3)) with a body", 8, message: message) {
                    RawResponse.reply(RawResponse.list, status: status)
                },
            ]
        } + [
            reply("206 with a part of the list", 8, message: "a part of the list", output: "a\n") {
                RawResponse.reply(
                    RawResponse.list, status: "206 Partial", fields: ["Content-Range: items 0-0/5"])
            },
            reply("200 with a login page", 8, message: "HTML, not JSON") {
                RawResponse.reply("<!doctype html><title>Sign in</title>", type: "text/html")
            },
            reply("JSON as text/plain", 0, output: "a\n") {
                RawResponse.reply(RawResponse.list, type: "text/plain")
            },
            reply("an invalid status line", 8, message: "invalid response") {
                [.send("NOT HTTP AT ALL\r\n\r\n"), .close]
            },
            reply("HTTP/0.9", 8, message: "invalid response") { [.send(RawResponse.list), .close] },
            reply("status 099", 8, message: "invalid response") {
                RawResponse.reply(RawResponse.list, status: "099 Odd")
            },
            reply("status 999", 1, message: "HTTP 999") {
                RawResponse.reply(RawResponse.list, status: "999 Odd")
            },
            reply("a connection that closes without a reply", 7, message: "without a response") { [.close] }
                .linuxOnly("URLSession on Apple platforms reports a lost connection (PLATFORM F5)"),
            reply("a reset before the head", 7, message: "reset") { [.reset] },
            reply("50 responses 100 Continue", 0, output: "a\n") {
                (0..<50).map { _ in .send("HTTP/1.1 100 Continue\r\n\r\n") }
                    + RawResponse.reply(RawResponse.list)
            },
            reply("103 Early Hints", 0, output: "a\n") {
                [.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")]
                    + RawResponse.reply(RawResponse.list)
            },
            reply("a header of 400 KB", 8, message: "invalid response") {
                RawResponse.reply(RawResponse.list, fields: ["X: " + String(repeating: "a", count: 400_000)])
            },
            reply("2,000 headers", 0, output: "a\n") {
                RawResponse.reply(RawResponse.list, fields: (0..<2_000).map { "X-\($0): a" })
            },
            reply("a head of 300 KB", 8, message: "invalid response") {
                RawResponse.reply(
                    RawResponse.list,
                    fields: (0..<300).map { "X-\($0): " + String(repeating: "a", count: 1_000) })
            }.linuxOnly("URLSession on Apple platforms has another limit"),
            reply("Latin-1 in a header", 0) {
                [
                    .bytes(
                        Data("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xE9]
                            + Data("\r\n\r\n\(RawResponse.list)".utf8)),
                    .close,
                ]
            },
            reply("NUL in a header", 8, message: "invalid response") {
                RawResponse.reply(RawResponse.list, fields: ["X: a\0b"])
            },
            reply("a header without a colon", 8, message: "invalid response") {
                RawResponse.reply(RawResponse.list, fields: ["Xabc"])
            },
        ]

    private static let slowness: [Self] = [
        reply(
            "a byte every 100 ms, with `--max-time`", 2, message: "the total timeout elapsed", "--max-time",
            "0.5"
        ) {
            [.drip("HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 50), pause: 100)]
        },
        reply(
            "a byte of the body every 100 ms, with `--max-time`", 2, message: "the total timeout elapsed",
            "--max-time",
            "0.5"
        ) {
            [
                .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
                .drip("{\"items\":[" + String(repeating: " ", count: 50), pause: 100),
            ]
        },
        reply("no response, with `--max-time`", 2, message: "the total timeout elapsed", "--max-time", "0.5")
        {
            [.silence]
        },
    ]

    /// Responses that end a process that sends them with URLSession's own protocol on Linux.
    private static let unusual: [Self] = [
        reply("trailers after the last chunk", 0, output: "a\n") {
            chunked("f\r\n\(RawResponse.list)\r\n0\r\nX: y\r\n\r\n")
        },
        reply("the connection closes in the head", 7, message: "the connection was") {
            [.send("HTTP/1.1 200 OK\r\nContent-Type: app"), .close]
        },
        reply("a line of the head that begins with NUL", 7, message: "the connection was") {
            [.send("HTTP/1.1 200 OK\r\n\0X: y\r\nContent-Length: 2\r\n\r\n[]"), .close]
        }.linuxOnly("URLSession on Apple platforms rejects the response"),
        reply("`Location: //%2f/x`", 6, message: "refused redirect") { RawResponse.redirect("//%2f/x") },
        reply("`Location: //a%00`", 6, message: "refused redirect") { RawResponse.redirect("//a%00") },
        reply("`Location: //a%20b/x`", 6, message: "refused redirect") { RawResponse.redirect("//a%20b/x") },
        reply("`Location: //a%25/`", 7, message: "the host was not found") {
            RawResponse.redirect("//a%25/")
        },
        reply("`Content-Length` of 2⁶³ − 512", 8, message: "ended early") {
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775296\r\n\r\n["), .close]
        },
    ]
}
