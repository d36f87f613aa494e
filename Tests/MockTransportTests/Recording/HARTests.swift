import Foundation
import RESTClientHTTP
import MockTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HARTests {
    private let archive = Result { try HAR(parsing: BrowserArchive.data) }

    @Test func `what a browser writes is read`() throws {
        let entries = try archive.get().entries
        #expect(entries.map(\.response.status) == [302, 200, 0, 101, 200])
        let redirect = entries[0]
        #expect(redirect.start == Date(timeIntervalSince1970: 1_772_600_767.123))
        #expect(redirect.request.headers.map(\.name) == ["accept"])
        #expect(redirect.response.headers[all: .setCookie] == ["a=1; path=/", "b=2; path=/"])
        #expect(redirect.response.headers[.location] == "http://shop.example/new")
        #expect(redirect.response.wait == .microseconds(20_500))
        let image = entries[1]
        #expect(image.request.body == Data("name=tea%20pot&n=1".utf8))
        #expect(image.response.body == Data("GIF89a".utf8))
        #expect(image.response.chunks.map(\.time) == [.milliseconds(3)])
        #expect(entries[2].response.failure?.text == "net::ERR_BLOCKED_BY_CLIENT")
        #expect(entries[4].response.wait == .zero)
    }

    @Test func `what a browser writes is replayed`() async throws {
        let archive = try archive.get()
        let server = MockServer { archive.routes() }
        let (_, moved) = try await server.data("http://shop.example/old?q=tea%20pot")
        #expect(moved.statusCode == 302)
        #expect(moved.value(forHTTPHeaderField: "Location") == "http://shop.example/new")
        #expect(moved.value(forHTTPHeaderField: "Set-Cookie") == "a=1; path=/, b=2; path=/")

        var request = URLRequest(url: try #require(URL(string: "http://shop.example/new")))
        request.httpMethod = "POST"
        request.httpBody = Data("name=tea%20pot&n=1".utf8)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        let (image, response) = try await server.data(request)
        #expect(image == Data("GIF89a".utf8))
        // The archive has the body unpacked, and says how long it was before.
        #expect(response.value(forHTTPHeaderField: "Content-Encoding") == nil)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "6")

        let error = await #expect(throws: URLError.self) { try await server.text("http://ads.example/") }
        #expect(error?.localizedDescription == "net::ERR_BLOCKED_BY_CLIENT")
    }

    @Test func `what is written is read the same`() throws {
        let once = try HAR(parsing: archive.get().data(times: .recorded))
        #expect(try HAR(parsing: once.data(times: .recorded)) == once)
        #expect(once.entries.count == 5)
        #expect(try once.data() == archive.get().data())
    }

    @Test(
        arguments: [[0xFF, 0, 0x80], [0], [0xEF, 0xBB, 0xBF, 0x41], Array("te\u{2028}a\\\"\n".utf8)]
            as [[UInt8]])
    func `bytes of both bodies are read as they were`(bytes: [UInt8]) throws {
        let body = Data(bytes)
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: 0),
            request: HAR.Request(method: .put, url: try #require(URL(string: "http://a/")), body: body),
            response: HAR.Response(status: 200, chunks: [HAR.Chunk(data: body)]))
        #expect(try HAR(parsing: HAR([entry]).data()).entries == [entry])
    }

    /// The fields that HAR 1.2 asks for, and no others but those that begin with an underscore.
    @Test func `what is written has the fields of HAR 1·2`() throws {
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: 0),
            request: HAR.Request(
                method: .post, url: try #require(URL(string: "http://shop.example/?q=1")),
                headers: ["Cookie": "a=1"], body: Data([0xFF])),
            response: HAR.Response(
                status: 200, headers: ["Set-Cookie": "a=1; Path=/; Domain=x; HttpOnly; Secure"],
                chunks: [
                    HAR.Chunk(data: Data([0])), HAR.Chunk(time: .milliseconds(1), data: Data([1])),
                ],
                failure: HAR.Failure(code: -1, text: "gone")))
        let data = try HAR([entry]).data(times: .recorded)
        let root = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let log = try #require(root["log"] as? [String: Any])
        let written = try #require((log["entries"] as? [[String: Any]])?.first)
        for (path, required, allowed) in Self.fields {
            var objects: [[String: Any]] = path == "log" ? [log] : [written]
            for key in path.split(separator: ".").dropFirst().map(String.init) where path != "log" {
                objects = objects.flatMap { object in
                    (object[key] as? [[String: Any]]) ?? (object[key] as? [String: Any]).map { [$0] } ?? []
                }
            }
            let object = try #require(objects.first, "\(path) is missing")
            let keys = Set(object.keys.filter { !$0.hasPrefix("_") })
            #expect(keys.isSuperset(of: required), "\(path) lacks \(required.subtracting(keys))")
            #expect(keys.isSubset(of: required.union(allowed)), "\(path) has \(keys) of its own")
        }
    }

    private static let fields: [(path: String, required: Set<String>, allowed: Set<String>)] = [
        ("log", ["version", "creator", "entries"], ["browser", "pages", "comment"]),
        (
            "entry", ["startedDateTime", "time", "request", "response", "cache", "timings"],
            ["pageref", "serverIPAddress", "connection", "comment"]
        ),
        (
            "entry.request",
            [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize",
                "bodySize", "postData",
            ], ["comment"]
        ),
        ("entry.request.cookies", ["name", "value"], ["path", "domain", "expires", "httpOnly", "secure"]),
        ("entry.request.headers", ["name", "value"], ["comment"]),
        ("entry.request.queryString", ["name", "value"], ["comment"]),
        ("entry.request.postData", ["mimeType", "text"], ["params", "comment"]),
        (
            "entry.response",
            [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                "headersSize", "bodySize",
            ], ["comment"]
        ),
        (
            "entry.response.cookies", ["name", "value", "path", "domain", "httpOnly", "secure"],
            ["expires", "comment"]
        ),
        (
            "entry.response.content", ["size", "mimeType", "text", "encoding"],
            ["compression", "comment"]
        ),
        ("entry.timings", ["send", "wait", "receive"], ["blocked", "dns", "connect", "ssl", "comment"]),
    ]

    struct Hostile: Sendable, CustomTestStringConvertible {
        let text: String
        let complaint: String
        var testDescription: String { complaint }

        /// A wrong member of the one entry of an archive, which is else right.
        init(_ find: String, _ replacement: String, _ complaint: String) {
            text = HARTests.least.replacingOccurrences(of: find, with: replacement)
            self.complaint = complaint
        }
    }

    static let least = #"""
        {"log":{"entries":[{"startedDateTime":"2026-03-04T05:06:07.000Z","request":{"method":"GET",
        "url":"http://a/","headers":[{"name":"A","value":"b"}],"postData":{"text":"x"}},"response":{"status":200,
        "headers":[],"content":{"text":"abcd","_chunks":[{"time":1,"size":4}]}},"timings":{"wait":1}}]}}
        """#

    @Test(arguments: [
        Hostile("\"log\"", "\"dog\"", "log is missing"),
        Hostile("\"entries\":[", "\"entries\":7,\"x\":[", "log.entries is a number, not an array"),
        Hostile("2026-03-04T05", "yesterday", "log.entries[0].startedDateTime is not an ISO 8601 date"),
        Hostile("2026-", "408652-", "log.entries[0].startedDateTime is not an ISO 8601 date"),
        Hostile("\"GET\"", "\"G T\"", "log.entries[0].request.method is not a valid HTTP method"),
        Hostile("\"GET\"", "7", "log.entries[0].request.method is a number, not a string"),
        Hostile("http://a/", "", "log.entries[0].request.url is not a valid URL"),
        Hostile(
            "\"name\":\"A\"", "\"name\":\"A: x\"", "log.entries[0].request.headers[0].name is not a valid header name"),
        Hostile(
            "\"value\":\"b\"", "\"value\":\"b\\r\"",
            "log.entries[0].request.headers[0].value is not a valid header value: it contains control characters"),
        Hostile(
            "\"text\":\"x\"", "\"text\":\"*\",\"_encoding\":7",
            "log.entries[0].request.postData._encoding is a number, not a string"),
        Hostile("\"status\":200", "\"status\":99", "log.entries[0].response.status is not a valid status"),
        Hostile("\"status\":200", "\"status\":1e300", "log.entries[0].response.status is not a whole number"),
        Hostile(
            "\"status\":200", "\"status\":\"200\"",
            "log.entries[0].response.status is a string, not a whole number"),
        Hostile(
            "\"text\":\"abcd\"", "\"text\":\"a\",\"encoding\":\"base64\"",
            "log.entries[0].response.content.text is not base64"),
        Hostile(
            "\"size\":4", "\"size\":-4",
            "log.entries[0].response.content._chunks[0].size is zero or larger than the rest of the body"),
        Hostile(
            "\"size\":4", "\"size\":9223372036854775807",
            "log.entries[0].response.content._chunks[0].size is zero or larger than the rest of the body"),
        Hostile(
            "\"size\":4", "\"size\":1",
            "log.entries[0].response.content._chunks is 3 bytes shorter than the body"),
        Hostile(
            "\"time\":1,", "\"time\":1e200,",
            "log.entries[0].response.content._chunks[0].time is longer than a year"),
        Hostile("\"wait\":1", "\"wait\":1e300", "log.entries[0].timings.wait is longer than a year"),
        Hostile(
            "\"wait\":1", "\"wait\":[]",
            "log.entries[0].timings.wait is an array, not a number of milliseconds"),
    ])
    func `what is wrong is said with its place`(hostile: Hostile) {
        let error = #expect(throws: HARError.self) { try HAR(parsing: Data(hostile.text.utf8)) }
        #expect(error?.description == "the archive: \(hostile.complaint)")
    }

    @Test func `the sample of what is wrong is right by itself`() throws {
        #expect(try HAR(parsing: Data(Self.least.utf8)).entries.count == 1)
    }

    @Test(arguments: ["", "GARBAGE", "{", "[]", "null", "{\"log\":7}", "\u{FEFF}{}"])
    func `what is no archive is an error`(text: String) {
        #expect(throws: HARError.self) { try HAR(parsing: Data(text.utf8)) }
    }

    @Test(arguments: ["[", "{\"log\":", "{\"log\":{\"entries\":["])
    func `what is nested too deep is an error`(piece: String) {
        let text = String(repeating: piece, count: 100_000)
        #expect(throws: HARError.self) { try HAR(parsing: Data(text.utf8)) }
    }

    @Test func `exchanges are in order of time, whatever their order in the file`() throws {
        let entry = { (second: Int, path: String) in
            #"{"startedDateTime":"2026-03-04T05:06:0\#(second)Z","request":{"method":"GET","url":"http://a/\#(path)","#
                + #""headers":[]},"response":{"status":200,"headers":[]}}"#
        }
        let entries = [entry(3, "d"), entry(1, "a"), entry(2, "b"), entry(2, "c")].joined(separator: ",")
        let archive = try HAR(parsing: Data("{\"log\":{\"entries\":[\(entries)]}}".utf8))
        #expect(archive.entries.map(\.request.url.path) == ["/a", "/b", "/c", "/d"])
    }

    static let strangeTimes: [(date: Double, wait: Duration, piece: Duration)] = [
        (.nan, .seconds(Int64.max), .seconds(Int64.max)), (.infinity, .seconds(-1), .seconds(-5)),
        (-.infinity, .zero, .nanoseconds(1)), (1e300, .seconds(1e15), .zero),
        (-62_135_596_800, .nanoseconds(-1), .seconds(400 * 86_400)), (253_402_300_799, .zero, .zero),
        (-0.0004, .zero, .zero), (0.9996, .microseconds(1), .microseconds(2)),
    ]

    /// Of what no clock would say something is written, and read again, and played at any speed.
    @Test(arguments: strangeTimes.indices) func `times are whatever they are`(index: Int) async throws {
        let strange = Self.strangeTimes[index]
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
            #expect(try await replay.text("http://a/") == "tea")
        }
    }

    @Test(arguments: [
        (1_772_600_767.123, "2026-03-04T05:06:07.123Z"), (0, "1970-01-01T00:00:00.000Z"),
        (-0.5, "1969-12-31T23:59:59.500Z"), (0.999_9, "1970-01-01T00:00:01.000Z"),
        (1_709_164_799.001, "2024-02-28T23:59:59.001Z"), (.nan, "1970-01-01T00:00:00.000Z"),
    ])
    func `dates are written to the millisecond`(seconds: Double, text: String) throws {
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: seconds),
            request: HAR.Request(url: try #require(URL(string: "http://a/"))),
            response: HAR.Response(status: 200))
        let data = try HAR([entry]).data(times: .recorded)
        #expect(String(decoding: data, as: UTF8.self).contains("\"startedDateTime\": \"\(text)\""))
    }

    /// Cut anywhere, or with any byte changed, it is read or refused, and what is read can be played and written.
    @Test func `damage never traps`() throws {
        var random = SeededGenerator(seed: 7)
        let whole = Array(Self.least.utf8)
        for round in 0..<2_000 {
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
