import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@Suite struct HARTests {
    @Test(arguments: [
        (ArchiveProgram.chrome, 1_772_600_767.123), (.firefox, 1_772_600_767.25),
        (.mitmproxy, 1_772_600_767.123), (.k6, 1_772_600_767.1),
    ])
    func `the dates of other programs are read in milliseconds`(
        program: ArchiveProgram, seconds: Double
    ) throws {
        let archive = try HAR(parsing: program.archive([.json]))
        #expect(archive.entries.map(\.start) == [Date(timeIntervalSince1970: seconds)])
    }

    @Test func `an archive of a browser has its times, and no pseudo-header fields`() throws {
        let image = try #require(HAR(parsing: ArchiveProgram.chrome.archive([.image])).entries.first)
        #expect(image.request.headers.map(\.name) == ["accept"])
        #expect(image.response.wait == .milliseconds(4))
        #expect(image.response.chunks.map(\.time) == [.milliseconds(1)])
        // Playwright writes -1 for an unknown time.
        let untimed = try #require(HAR(parsing: ArchiveProgram.playwright.archive([.image])).entries.first)
        #expect(untimed.response.chunks.map(\.time) == [.zero])
    }

    @Test func `a request that is not HTTP has no route`() throws {
        let others = ["data:image/gif;base64,R0lGODlh", "wss://shop.example/live"].map { url -> JSONLiteral in
            ["request": ["method": "GET", "url": .value(url)], "response": ["status": 200]]
        }
        let archive = try HAR(parsing: ArchiveProgram.chrome.archive([.image], after: others))
        #expect(archive.entries.count == 3)
        #expect(archive.routes().count == 1)
    }

    @Test(
        arguments: [[0xFF, 0, 0x80], [0], [0xEF, 0xBB, 0xBF, 0x41], Array("te\u{2028}a\\\"\n".utf8)]
            as [[UInt8]])
    func `binary bodies are written and read without changes`(bytes: [UInt8]) throws {
        let body = Data(bytes)
        let entry = HAR.Entry(
            HAR.Request(method: .put, url: URL(literal: "http://a/"), body: body),
            HAR.Response(status: 200, chunks: [HAR.Chunk(data: body)]))
        #expect(try HAR(parsing: HAR([entry]).data()).entries == [entry])
    }

    /// The required fields of HAR 1.2, and others only if they begin with an underscore.
    @Test func `a written archive has the fields of HAR 1·2`() throws {
        let entry = HAR.Entry(
            HAR.Request(
                method: .post, url: URL(literal: "http://shop.example/?q=1"),
                headers: ["Cookie": "a=1"], body: Data([0xFF])),
            HAR.Response(
                status: 200, headers: ["Set-Cookie": "a=1; Path=/; Domain=x; HttpOnly; Secure"],
                chunks: [HAR.Chunk(data: Data([0])), HAR.Chunk(time: .milliseconds(1), data: Data([1]))],
                failure: HAR.Failure(code: -1, text: "gone")))
        let data = try HAR([entry]).data(times: .recorded)
        let root = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let log = try #require(root["log"] as? [String: Any])
        let written = try #require((log["entries"] as? [[String: Any]])?.first)
        for (path, required, allowed) in Self.fields {
            let names = Set(required.split(separator: " ").map(String.init))
            var objects: [[String: Any]] = path == "log" ? [log] : [written]
            for key in path.split(separator: ".").dropFirst().map(String.init) where path != "log" {
                objects = objects.flatMap { object in
                    (object[key] as? [[String: Any]]) ?? (object[key] as? [String: Any]).map { [$0] } ?? []
                }
            }
            let object = try #require(objects.first, "\(path) is missing")
            let keys = Set(object.keys.filter { !$0.hasPrefix("_") })
            let others = keys.subtracting(allowed.split(separator: " ").map(String.init))
            #expect(names.isSubset(of: keys), "\(path) lacks \(names.subtracting(keys))")
            #expect(others.isSubset(of: names), "\(path) has \(others) of its own")
        }
    }

    private static let fields: [(path: String, required: String, allowed: String)] = [
        ("log", "version creator entries", "browser pages comment"),
        (
            "entry", "startedDateTime time request response cache timings",
            "pageref serverIPAddress connection comment"
        ),
        (
            "entry.request",
            "method url httpVersion cookies headers queryString headersSize bodySize postData", "comment"
        ),
        ("entry.request.headers", "name value", "comment"),
        ("entry.request.queryString", "name value", "comment"),
        ("entry.request.postData", "mimeType text", "params comment"),
        (
            "entry.response",
            "status statusText httpVersion cookies headers content redirectURL headersSize bodySize",
            "comment"
        ),
        ("entry.response.content", "size mimeType text encoding", "compression comment"),
        ("entry.timings", "send wait receive", "blocked dns connect ssl comment"),
    ]

    struct Invalid: Sendable, CustomTestStringConvertible {
        let text: String
        let message: String
        var testDescription: String { message }

        /// Replaces a part of the valid sample with an invalid one.
        init(_ find: String, _ replacement: String, _ message: String) {
            text = HARTests.sample.replacingOccurrences(of: find, with: replacement)
            self.message = message
        }
    }

    static let sample = #"""
        {"log":{"entries":[{"startedDateTime":"2026-03-04T05:06:07.000Z","request":{"method":"GET",
        "url":"http://a/","headers":[{"name":"A","value":"b"}],"postData":{"text":"x"}},"response":{"status":200,
        "headers":[],"content":{"text":"abcd","_chunks":[{"time":1,"size":4}]}},"timings":{"wait":1}}]}}
        """#

    @Test(arguments: [
        Invalid("\"log\"", "\"dog\"", "log is missing"),
        Invalid("\"entries\":[", "\"entries\":7,\"x\":[", "log.entries is a number, not an array"),
    ])
    func `text without entries is rejected`(invalid: Invalid) {
        let error = #expect(throws: HARError.self) { try HAR(parsing: Data(invalid.text.utf8)) }
        #expect(error?.description == "the archive: \(invalid.message)")
    }

    @Test func `the type of the content is used if the header is missing`() throws {
        let text = Invalid("\"text\":\"abcd\"", "\"text\":\"abcd\",\"mimeType\":\"text/plain\"", "").text
        let response = try #require(HAR(parsing: Data(text.utf8)).entries.first?.response)
        #expect(response.headers[.contentType] == "text/plain")
    }

    @Test(arguments: [
        Invalid("\"GET\"", "\"G T\"", "log.entries[0].request.method is not a valid HTTP method"),
        Invalid("\"GET\"", "7", "log.entries[0].request.method is a number, not a string"),
        Invalid("http://a/", "", "log.entries[0].request.url is not a valid URL"),
        Invalid(
            "\"name\":\"A\"", "\"name\":\"A: x\"",
            "log.entries[0].request.headers[0].name is not a valid header name"),
        Invalid(
            "\"value\":\"b\"", "\"value\":\"b\\r\"",
            "log.entries[0].request.headers[0].value is not a valid header value: it contains control characters"
        ),
        Invalid("\"status\":200", "\"status\":99", "log.entries[0].response.status is not a valid status"),
        Invalid("\"status\":200", "\"status\":1e300", "log.entries[0].response.status is not a whole number"),
        Invalid(
            "\"status\":200", "\"status\":\"200\"",
            "log.entries[0].response.status is a string, not a whole number"),
        Invalid(
            "\"text\":\"abcd\"", "\"text\":\"a\",\"encoding\":\"base64\"",
            "log.entries[0].response.content.text is not base64"),
    ])
    func `an invalid value is reported with its path`(invalid: Invalid) throws {
        let archive = try HAR(parsing: Data(invalid.text.utf8))
        #expect(archive.problems.map(\.description) == ["the archive: \(invalid.message)"])
        #expect(
            archive.entries.isEmpty
                == (invalid.message.contains(".method") || invalid.message.contains(".url")))
    }

    /// Adds a member of another program to the response.
    private static func member(_ text: String) -> Invalid {
        Invalid("\"status\":200", "\"status\":200,\(text)", text)
    }

    @Test(arguments: [
        Invalid("2026-03-04T05", "yesterday", "date"), Invalid("2026-", "408652-", "year"),
        Invalid("\"text\":\"x\"", "\"text\":\"x\",\"_encoding\":7", "encoding"),
        Invalid("\"size\":4", "\"size\":-4", "negative size"),
        Invalid("\"size\":4", "\"size\":9223372036854775807", "huge size"),
        Invalid("\"size\":4", "\"size\":1", "size less than the body"),
        Invalid("\"wait\":1", "\"wait\":1e300", "wait longer than a year"),
        Invalid("\"wait\":1", "\"wait\":[]", "wait that is an array"),
        member("\"_error\":7"), member("\"_error\":{\"code\":1}"), member("\"_error\":\"\""),
        member("\"_errorCode\":\"x\",\"_failureText\":[]"), member("\"_transferSize\":\"many\""),
        Invalid("\"_chunks\":[", "\"_file\":3,\"_chunks\":7,\"x\":[", "chunks that are a number"),
    ])
    func `an invalid time or member of another program is ignored`(invalid: Invalid) throws {
        let archive = try HAR(parsing: Data(invalid.text.utf8))
        #expect(archive.problems == [])
        let entry = try #require(archive.entries.first)
        #expect(entry.request.body == Data("x".utf8))
        #expect(entry.response.body == Data("abcd".utf8))
        #expect(entry.response.failure == nil)
    }

    @Test(arguments: [
        "", "GARBAGE", "{", "[]", "null", "{\"log\":7}", "{\"log\":{\"x\":1e999}}", "\u{FEFF}{}",
    ])
    func `text that is not an archive is rejected`(text: String) {
        #expect(throws: HARError.self) { try HAR(parsing: Data(text.utf8)) }
    }

    @Test(arguments: ["[", "{\"log\":", "{\"log\":{\"entries\":["])
    func `deeply nested text is rejected`(piece: String) {
        let text = String(repeating: piece, count: 100_000)
        #expect(throws: HARError.self) { try HAR(parsing: Data(text.utf8)) }
    }

    @Test func `exchanges are sorted by time`() throws {
        let entry = { (second: Int, path: String) in
            #"{"startedDateTime":"2026-03-04T05:06:0\#(second)Z","request":{"method":"GET","url":"http://a/\#(path)","#
                + #""headers":[]},"response":{"status":200,"headers":[]}}"#
        }
        let entries = [entry(3, "d"), entry(1, "a"), entry(2, "b"), entry(2, "c")].joined(separator: ",")
        let archive = try HAR(parsing: Data("{\"log\":{\"entries\":[\(entries)]}}".utf8))
        #expect(archive.entries.map(\.request.url.path) == ["/a", "/b", "/c", "/d"])
    }

    static let unusualTimes: [(date: Double, wait: Duration, piece: Duration)] = [
        (.nan, .seconds(Int64.max), .seconds(Int64.max)), (.infinity, .seconds(-1), .seconds(-5)),
        (-.infinity, .zero, .nanoseconds(1)), (1e300, .seconds(1e15), .zero),
        (-62_135_596_800, .nanoseconds(-1), .seconds(400 * 86_400)), (253_402_300_799, .zero, .zero),
        (-0.0004, .zero, .zero), (0.9996, .microseconds(1), .microseconds(2)),
    ]

    /// Invalid times are written, read again and replayed at any speed.
    @Test(arguments: unusualTimes.indices)
    func `times outside the valid range are limited`(index: Int) async throws {
        let strange = Self.unusualTimes[index]
        let url = try #require(URL(string: "http://a/"))
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: strange.date), request: HAR.Request(url: url),
            response: HAR.Response(
                status: 200, wait: strange.wait,
                chunks: [
                    HAR.Chunk(time: strange.piece, data: Data("te".utf8)), HAR.Chunk(data: Data("a".utf8)),
                ]))
        let archive = HAR([entry])
        let once = try HAR(parsing: archive.data(times: .recorded))
        #expect(try once.data(times: .recorded) == archive.data(times: .recorded))
        for speed in [Double.leastNonzeroMagnitude, .nan] {
            let replay = MockServer(clock: VirtualClock()) { archive.routes(speed: speed) }
            var request = URLRequest(url: url)
            request.timeoutInterval = .infinity
            #expect(try await replay.text(request) == "tea")
        }
    }

    @Test(arguments: [
        (1_772_600_767.123, "2026-03-04T05:06:07.123Z"), (0, "1970-01-01T00:00:00.000Z"),
        (-0.5, "1969-12-31T23:59:59.500Z"), (0.999_9, "1970-01-01T00:00:01.000Z"),
        (1_709_164_799.001, "2024-02-28T23:59:59.001Z"), (.nan, "1970-01-01T00:00:00.000Z"),
    ])
    func `dates are written in milliseconds`(seconds: Double, text: String) throws {
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: seconds),
            request: HAR.Request(url: try #require(URL(string: "http://a/"))),
            response: HAR.Response(status: 200))
        let data = try HAR([entry]).data(times: .recorded)
        #expect(String(decoding: data, as: UTF8.self).contains("\"startedDateTime\" : \"\(text)\""))
    }

    /// A truncated archive or one with a changed byte is read or rejected, and can be replayed and written if it is read.
    @Test func `a damaged archive never traps`() throws {
        var random = SeededGenerator(seed: 7)
        let whole = Array(Self.sample.utf8)
        for round in stride(from: 0, to: 2_000, by: 3) {
            var bytes = whole
            if round < whole.count {
                bytes.removeLast(round)
            } else {
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                        in: 32..<127, using: &random)
                }
            }
            guard let archive = try? HAR(parsing: Data(bytes)) else { continue }
            _ = archive.routes(speed: 1)
            _ = try archive.data(times: .recorded)
        }
    }
}
