// Tests of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import RESTClientPlatform

/// Bodies with a `Content-Encoding`.
@Suite(.hangLimit) struct ContentDecoderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        /// The values of `Content-Encoding`.
        var codings: [String]
        /// The body, in hexadecimal digits.
        var body: String
        /// The decoded body, or `nil` if the transfer fails.
        var text: String?

        init(_ name: String, _ codings: [String], _ body: String, _ text: String?) {
            (self.name, self.codings, self.body, self.text) = (name, codings, body, text)
        }

        var testDescription: String { name }
    }

    private static let gzip = "1f8b08000000000002032b494d0400b2d7868e03000000"
    private static let zlib = "789c2b494d0400028a013b"
    private static let brotli = "0b018074656103"
    private static let zlibInGzip = "1f8b0800000000000203ab98a3ede9cbc2c0d4c5680d00927771920b000000"

    /// 100 MB of zeros after a text, which no coding but the last one keeps small.
    private static let bomb =
        "1f8b080000000000020393efe660000126e6b777ecb58f30ca1cff78ffefc7e52dbb1d271d8c154c55ec6c8d38c3f6ec"
        + "b4d2695b96c0e99ea7d23ea848d830cc4e7f90b4533a874d53bc757edd77952bef7f57f9deff695dd7f6fdcccf82499a"
        + "d3e2de4f779f5ca5ba5332f295083777fcdd676f53730b96c6feb7a9b2db33a3fee7df99af7d75f95481b63acc8bcd5d"
        + "13feebf86fcfcd7bf881fc27775dd66fbe7a9f49eed2ee57f3ea410ade6d8d5eeab48df5caa5e37363df03051aee584b"
        + "c86ba7471f78599e5c75db1a28a2f0fd1c0b3388163908f208879b01884a12e401a98e804889d148ead9ca50adb46807"
        + "dbdc3567d518183ec4df5b757cf6eaeb93eff637da57571f0cbe57cdc80000fb4a937461010000"

    static let rows: [Row] =
        [
            Row("gzip", ["gzip"], gzip, "tea"),
            Row("x-gzip in another case", ["X-GZIP"], gzip, "tea"),
            Row("deflate", ["deflate"], zlib, "tea"),
            Row("deflate without the header of zlib", ["deflate"], "2b494d0400", "tea"),
            Row("br", ["br"], brotli, "tea"),
            Row("two codings", ["deflate, gzip"], zlibInGzip, "tea"),
            Row("two fields", ["deflate", "gzip"], zlibInGzip, "tea"),
            Row("two members", ["gzip"], gzip + gzip, "teatea"),
            Row("zeros after the end", ["gzip"], gzip + "0000", "tea"),
            Row("bytes after the end of gzip", ["gzip"], gzip + "7465", nil),
            Row("bytes after the end of br", ["br"], brotli + "7465", nil),
            Row("bytes after the end of deflate", ["deflate"], zlib + "7465", nil),
            Row("identity", ["identity"], "746561", "tea"),
            Row("an empty body", ["gzip"], "", ""),
            Row("a truncated second member", ["gzip"], gzip + gzip.dropLast(2), nil),
            Row("the coding in the wrong order", ["gzip, deflate"], zlibInGzip, nil),
            Row(
                "the inner coding ends early", ["deflate", "gzip"],
                "1f8b0800000000000203ab98a3ede9cbc200003f456c6407000000", nil),
            Row("an invalid checksum", ["gzip"], "1f8b08000000000002032b494d0400b2d7868f03000000", nil),
            Row("text instead of gzip", ["gzip"], "746561", nil),
            Row("text instead of br", ["br"], "ffffffffff", nil),
            Row("an unknown coding", ["tea"], gzip, nil),
            Row("zstd", ["zstd"], "28b52ffd0003190000746561", nil),
            Row("compress", ["compress"], "1f9d9074caac00", nil),
            Row("text in an unknown coding", ["tea"], "746561", nil),
            Row("gzip before an unknown coding", ["gzip, tea"], gzip, nil),
            Row("gzip after an unknown coding", ["tea, gzip"], gzip, nil),
            Row("no value", [""], "746561", "tea"),
            Row("several codings of zeros without end", ["gzip,gzip,gzip,gzip"], bomb, nil),
            Row("six codings", [String(repeating: "gzip,", count: 6)], gzip, nil),
        ]
        + [("gzip", gzip), ("deflate", zlib), ("deflate", "2b494d0400"), ("br", brotli)].flatMap {
            coding, body in
            stride(from: 2, to: body.count, by: 2).map {
                Row("\(coding), \($0 / 2) of \(body.count / 2) bytes", [coding], String(body.prefix($0)), nil)
            }
        }

    @Test(arguments: rows) func `an encoded body is decoded completely, or is an error`(row: Row) async throws
    {
        let body = try #require(Data(hexadecimal: row.body))
        let server = try RawServer.serving { connection in
            while case let request = connection.readRequest(), !request.isEmpty {
                #expect(request.contains("Accept-Encoding: gzip, deflate, br\r\n"))
                let fields = row.codings.map { "Content-Encoding: \($0)\r\n" }.joined()
                connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n")
                connection.send(body)
            }
        }
        let record = try await ConnectionPool(maxConnectionsPerHost: 1).exchange(server)
        #expect(record.endCount == 1)
        if let text = row.text {
            #expect(record.failure == nil)
            #expect(record.text == text)
        } else {
            #expect(record.failure?.code == .cannotDecodeRawData)
        }
    }

    /// The decoded bodies fill the last piece of the decoder.
    static let zeros: [(codings: String, count: Int, body: String)] = [
        (
            "gzip", 65536,
            "1f8b0800000000000203edc101010000008090feafee080a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006aeb8e97d700000100"
        ),
        (
            "deflate", 65536,
            "789cedc101010000008090feafee080a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006a000f0001"
        ),
        (
            "deflate", 65536,
            "edc101010000008090feafee080a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006a"
        ),
        ("br", 65536, "1bfffff82700e2b14020f71e00"),
        (
            "deflate, gzip", 65536,
            "1f8b0800000000000203ab98f3f6202323030343c3847febdf7170315006b218f81918011c01d1b254000000"
        ),
    ]

    @Test(arguments: zeros)
    func `a body whose last piece is full is complete`(codings: String, count: Int, body: String) throws {
        let body = try #require(Data(hexadecimal: body))
        var head = ReceivedHead(version: "HTTP/1.1", status: 200)
        head.fields = [ReceivedHead.Field(name: "Content-Encoding", value: codings)]
        let decoder = try #require(try ContentDecoder.decoder(for: head))
        var decodedCount = 0
        let isTaken = try body.withUnsafeBytes { bytes in
            try decoder.decode(bytes) { piece in
                decodedCount += piece.count
                return true
            }
        }
        #expect(isTaken)
        try decoder.finish()
        #expect(decodedCount == count)
    }

    @Test func `a body that proves invalid after its reader has waited is an error`() async throws {
        // Two megabytes of zeros, with another checksum.
        var body = try #require(Data(hexadecimal: Self.twoMegabytes))
        body[body.count - 8] ^= 1
        let reply = body
        let server = try RawServer.serving { connection in
            guard !connection.readRequest().isEmpty else { return }
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(reply.count + 1)\r\n\r\n")
            connection.send(reply)
            connection.keepOpen()
        }
        let recorder = Recorder(keeps: false) { $0.refusals > 0 }
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        let request = TransferRequest(url: try server.url("/").absoluteString)
        let transfer = pool.start(request, recorder)
        await recorder.wait { $0.refusals > 0 }
        transfer.resume()
        let record = await recorder.wait()
        #expect(record.endCount == 1)
        #expect(record.failure?.code == .cannotDecodeRawData)
    }

    @Test(arguments: ["gzip", "zlib", "deflate", "br"])
    func `a body is decoded in pieces, each of which can be refused`(format: String) throws {
        // The frames of gzip and zlib around the same stream (RFC 1952, RFC 1950).
        let frames = ["gzip": ("1f8b0800000000000203", "c5e8fcfa801a0600"), "zlib": ("789c", "d8d90063")]
        let frame = frames[format] ?? ("", "")
        let text = try #require(Self.pattern[format == "br" ? "br" : "deflate"])
        let stream = try #require(Data(base64Encoded: text))
        let (header, trailer) = try (
            #require(Data(hexadecimal: frame.0)), #require(Data(hexadecimal: frame.1))
        )
        let body = header + stream + trailer
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<8 {
            var head = ReceivedHead(version: "HTTP/1.1", status: 200)
            head.fields = [
                ReceivedHead.Field(name: "Content-Encoding", value: format == "zlib" ? "deflate" : format)
            ]
            let decoder = try #require(try ContentDecoder.decoder(for: head))
            var decoded = Data()
            // The start of the bytes that are passed again after a refusal, in other pieces.
            var start = 0
            while start < body.count {
                let end = Int.random(in: start + 1...body.count, using: &generator)
                let isTaken = try body[start..<end].withUnsafeBytes { bytes in
                    try decoder.decode(bytes) { piece in
                        #expect(piece.count <= 64 << 10)
                        guard Bool.random(using: &generator) else { return false }
                        decoded += piece
                        return true
                    }
                }
                if isTaken { start = end }
            }
            try decoder.finish()
            #expect(decoded == Self.decodedPattern)
        }
    }

    private static let twoMegabytes =
        "1f8b0800000000000203edc101010000008220ffaf6e484001" + String(repeating: "0", count: 3874)
        + "6f06411d5a4280841e00"

    private static let decodedPattern = Data((0..<400_000).map { UInt8($0 % 251) })

    /// These bytes, as a stream of deflate and of Brotli.
    private static let pattern = [
        "deflate": """
        7c9DghAAAADAzba52bZt27Zt12bbtm3btm1bp37RaeYHExAseIiQoUKHCRsufISIkSJHiRoteoyYsWLHiRsvfoKEiRIHJkm\
        aLHmKlKlSp0mbLn2GjJkyZ8maLXuOnLly58mbL3+BgoUKFylarHiJkqVKlylbrnyFipUqV6larXqNmrVq16lbr36Dho0aN2\
        narHmLlq1at2nbrn2Hjp06d+narXuPnr169+nbr/+AgYMGDxk6LGj4iJGjRo8ZO278hImTJk+ZOm36jJmzZs+ZO2/+goWLF\
        i9Zumz5ipWrVq9Zu279ho2bNm/Zum37jp27du/Zu2//gYOHDh85euz4iZOnTp85e+78hYuXLl+5eu36jZu3bt+5e+/+g4eP\
        Hj95+uz5i5evXr95++79h4+fPn/5+u37j5+/fv/5G6Curq
        """ + String(repeating: "6urq", count: 515) + "7+/+r/AA==",
        "br": """
        W38ahv7iwI6VgTWkeuCoYePWDsTAtu1NVuvgvJD7TnFwXsl5xEGocIyQl48y5NFEAmKCTRy792N+IgwARJhQxoVU2ljnQ0y51NbHXPvc9wEQgh\
        EUwwmSohmW4wVRkhVV0w3Tsh3X84MwipM0y4uyqpu264dxmpd124/zup/3+/0BBCMohhMkRTMsxwuiJCuqphumZTuu5wdhFCdplhdlVTdt1w/j\
        NC/rth/ndT/v9wOIMKGMC6m0sc4HYRQnaZYXZVU3bdcP4zQv67Yf53U/7/eDcjp7nwQ=
        """,
    ]
}

extension Data {
    fileprivate init?(hexadecimal text: String) {
        self.init()
        var digits = text[...]
        while !digits.isEmpty {
            guard let byte = UInt8(digits.prefix(2), radix: 16) else { return nil }
            append(byte)
            digits = digits.dropFirst(2)
        }
    }
}
#endif
