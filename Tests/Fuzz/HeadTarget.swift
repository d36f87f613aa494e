import Foundation
import RESTClient
import RESTClientHTTP

extension FuzzTarget {
    /// Sends a response that is made from the input over a socket to a session manager, and checks that the request ends, that
    /// another request ends meanwhile, and that no descriptors are left.
    ///
    /// With `FUZZ_VIA`, the response passes the server with this URL, which forwards requests to `FUZZ_PORT`.
    static let heads = Self(name: "heads") { input in
        var choices = ChoiceReader(input)
        let reply = choices.number(below: 4) == 3 ? Data(choices.rest) : RandomReply(&choices).bytes
        if environment["FUZZ_PRINT"] != nil { FileHandle.standardError.write(reply + Data("\n".utf8)) }
        let exchange = Exchange(reply: reply, choice: input.last ?? 0)
        let server = HeadServer.shared
        let count = server.begin(exchange)
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            async let other: Void = count.isMultiple(of: 8) ? server.requestOther() : ()
            await server.receive(exchange)
            await other
            ended.signal()
        }
        expect(ended.wait(timeout: .now() + 8) == .success, "the request does not end")
        if count.isMultiple(of: 500) { server.checkDescriptors() }
    }
}

private let environment = ProcessInfo.processInfo.environment

/// A request, and the reply that it receives.
private struct Exchange: Sendable {
    var reply: Data
    var choice: UInt8

    var method: HTTPMethod { [.get, .get, .head, .post, .post, .put, .delete, .get][Int(choice & 7)] }
    var body: RequestBody? {
        guard method == .post || method == .put else { return nil }
        return [nil, .data(Data()), .data(Data("tea".utf8)), .data(Data(count: 200_000))][
            Int(choice >> 3 & 3)]
    }
    var streams: Bool { choice & 0x20 != 0 }
    /// `true` if the server keeps the connection open after the reply.
    var staysOpen: Bool { choice >> 5 == 7 }
}

/// A server that answers the first request with the reply of the current input, and its redirects with an empty list.
private final class HeadServer: Sendable {
    private struct State {
        var exchange = Exchange(reply: Data(), choice: 0)
        var count = 0
        var outcomes: [String: Int] = [:]
        var descriptors: Int?
    }

    static let shared = HeadServer()
    private static let list = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]"

    private let state = LockedState(State())
    private let server: RawServer
    private let other: RawServer
    private let manager = SessionManager(
        options: RequestOptions(timeouts: Timeouts(idle: .milliseconds(300), total: .seconds(3))))

    private init() {
        let state = state
        let port = environment["FUZZ_PORT"].flatMap { Int($0) } ?? 0
        guard
            let server = try? RawServer(
                at: .ipv4(port: port),
                { path in
                    guard path.hasSuffix("/first") else { return [.send(Self.list)] }
                    let exchange = state.withLock { $0.exchange }
                    return [.bytes(exchange.reply)] + (exchange.staysOpen ? [.silence] : [])
                }), let other = try? RawServer({ _ in [.send(Self.list)] })
        else { fatalError("no server") }
        (self.server, self.other) = (server, other)
        atexit { HeadServer.shared.printOutcomes() }
    }

    /// Returns the number of exchanges.
    func begin(_ exchange: Exchange) -> Int {
        state.withLock { state in
            state.exchange = exchange
            state.count += 1
            return state.count
        }
    }

    func receive(_ exchange: Exchange) async {
        let base = environment["FUZZ_VIA"].flatMap { URL(string: $0) }
        guard let url = try? base?.appending(path: "first") ?? server.url("/first") else { return }
        // Other hosts are not requested.
        let policy = RedirectPolicy(max: 2) { redirect in
            redirect.proposed.url?.port == redirect.from.port ? redirect.proposed : nil
        }
        let request = manager.request(url, method: exchange.method, body: exchange.body).redirects(policy)
        var outcome: String
        do {
            if exchange.streams {
                for try await _ in try await request.stream().body {}
                outcome = "stream"
            } else {
                let response = try await request.response()
                _ = (response.body, "\(response)", response.mediaType, response.headers[.date])
                outcome = "response"
            }
        } catch let error as RESTClientError {
            _ = "\(error)"
            outcome = String("\(error.kind)".prefix { $0.isLetter })
        } catch {
            outcome = "\(type(of: error))"
        }
        state.withLock { $0.outcomes[outcome, default: 0] += 1 }
    }

    func requestOther() async {
        do {
            let list = try await SessionManager().request(other.url("/")).timeout(.seconds(4)).string()
            expect(list == "[]", "another request receives \(list)")
        } catch { fatalError("another request fails: \(error)") }
    }

    /// Fails if more descriptors are open than after the first check.
    func checkDescriptors() {
        let now = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
        let first = state.withLock { state in
            state.descriptors = state.descriptors ?? now
            return state.descriptors ?? now
        }
        expect(now < first + 50, "\(now) descriptors are open, after \(first) of them")
    }

    private func printOutcomes() {
        let outcomes = state.withLock { $0.outcomes }.sorted { $0.value > $1.value }
        let text = outcomes.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        FileHandle.standardError.write(Data("\noutcomes: \(text)\n".utf8))
    }
}

/// Reads choices from the input, so that the mutations of libFuzzer change the choices. After the end, all choices are 0.
private struct ChoiceReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
    mutating func bool() -> Bool { byte() & 1 == 1 }
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }
    mutating func choice<T>(_ values: [T]) -> T { values[number(below: values.count)] }

    /// Returns text from the input that does not end the line.
    mutating func raw() -> [UInt8] {
        let count = number(below: 24)
        return (0..<count).map { _ in byte() }.filter { $0 != 10 && $0 != 13 }
    }
}

/// A reply that is built from a grammar of status lines, header fields and framings, with changed bytes in its head.
private struct RandomReply {
    private(set) var head: [UInt8] = []
    private var body: [UInt8] = []

    var bytes: Data { Data(head + body) }

    init(_ choices: inout ChoiceReader) {
        for _ in 0..<choices.choice([0, 0, 0, 1, 2]) {
            head += Array(
                choices.choice(["HTTP/1.1 100 Continue", "HTTP/1.1 103 Early Hints", "HTTP/1.1 102"]).utf8)
            head += Array(choices.choice(["\r\n\r\n", "\r\nLink: </x>\r\n\r\n"]).utf8)
        }
        head += Array(choices.choice(Self.versions).utf8) + Array(choices.choice([" ", "  ", "\t", ""]).utf8)
        head += Array(choices.choice(Self.statuses).utf8)
        head += Array(choices.choice([" OK", " ", "", " Größe", " 🇩🇪"]).utf8) + [13, 10]
        for _ in 0..<choices.number(below: 7) { head += Self.field(&choices) }
        let isChunked = choices.number(below: 4) == 3
        if isChunked { head += Array("Transfer-Encoding: chunked\r\n".utf8) }
        head += Array(choices.choice(["Connection: close\r\n", "Content-Length: 2\r\n", ""]).utf8)
        for _ in 0..<choices.choice([0, 0, 0, 1, 2, 4]) {
            let index = choices.number(below: 256) * head.count / 256
            switch choices.number(below: 4) {
            case 0: head[index] = choices.byte()
            case 1: head.insert(choices.byte(), at: index)
            case 2: head.remove(at: index)
            default: head[index] ^= 1 << (choices.byte() & 7)
            }
        }
        head += [13, 10]
        body = Array(choices.choice(isChunked ? Self.chunks : Self.bodies).utf8)
    }

    private static let versions = [
        "HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/1.2", "HTTP/9", "http/1.1", "ICY", "HTTP",
    ]
    private static let statuses = [
        "200", "204", "206", "301", "302", "303", "304", "305", "307", "308", "400", "401", "407", "408",
        "417", "421",
        "429", "503", "000", "099", "600", "999", "1000", "-1", "2", "2 00",
    ]
    private static let bodies = ["[]", "", "[", "[]\r\nHTTP/1.1 200 OK\r\n\r\n"]
    private static let chunks = [
        "2\r\n[]\r\n0\r\n\r\n", "0\r\n\r\n", "2;a=\"b\"\r\n[]\r\n0\r\n\r\n", "02\r\n[]\r\n00\r\n\r\n",
        "zz\r\n",
        "ffffffffffffffff\r\n[]", "7fffffffffffffff\r\n[]", "2\r\n[]", "-1\r\n[]\r\n0\r\n\r\n",
        "2 \r\n[]\r\n0\r\n\r\n",
    ]

    private static let values: [(name: String, values: [String])] = [
        (
            "Set-Cookie",
            [
                "a=b", "a", "=", "=b", "a=", "; a=b", "a=b; Path=/; Secure; HttpOnly; SameSite=Lax", "🇩🇪=1",
                "a=b; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "a=b; Max-Age=99999999999999999999",
                "a=b; Domain=",
                "a=b; Domain=..", "a=b; Expires=, ; Path", "e\u{301}=1", "a=b; Port=\"1,x\"; Version=1",
                "a=b, c=d; Expires=x",
            ]
        ),
        (
            "Location",
            [
                "/x", "x", "", "?a", "#a", "//", "http://", "http:///x", "//a", "http://127.0.0.1",
                "mailto:a", "http:x",
                "file:///etc", "data:,x", ":", "://", "//:1", "//a:x", "//a:99999", "//@", "//a@b", "//[",
                "//[::1]", "//[]/",
                "/%", "/%zz", "/\u{e9}", "//\u{e9}", "//xn--a", "/a b", "//a_b", "//a..b", "///x", "////x",
                "\\x", "/x\\y",
                "//a;b", "//a'b", "//a{b", "//a<b", "//a\"b", "//a|b", "//a^b", "//a`b", "//a\\b", "//a,b",
                "//a*b", "//a!b",
                "http://a:b:c", "//1.2.3", "//256.1.1.1", "//0x7f", "//-", "//.", "h\u{e9}://a", "1:2",
                "http:/x", "http:?a",
            ]
        ),
        (
            "Content-Length",
            [
                "0", "2", "-1", "+2", "2, 2", "2,3", "0x2", "2.0", " 2", "", "99", "9223372036854775295",
                "9223372036854775807", "9223372036854775808", "18446744073709551615",
                "99999999999999999999999", "2 2", "²",
            ]
        ),
        (
            "Content-Type",
            [
                "application/json", "text/html; charset=x", ";", "/", "text/plain; charset=\"", "a/b; c=\"\\",
                "text",
                "multipart/x-mixed-replace; boundary=a", "multipart/x-mixed-replace", "\u{e9}/\u{e9}",
                "text/plain; charset=utf-16",
            ]
        ),
        (
            "Content-Encoding",
            ["gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "x", ",", "gzip,,,", ""]
        ),
        ("Transfer-Encoding", ["chunked", "gzip", "gzip, chunked", "identity", "chunked, chunked", "x", ""]),
        (
            "WWW-Authenticate",
            [
                "Basic", "Basic realm=x", "Basic realm=\"", "Digest realm=\"x\", nonce=\"y\"", "Digest",
                "Bearer", "NTLM",
                "Negotiate", "=", ",", "Basic realm=\"\u{e9}\"", "Basic realm=\"a\\\"b\", Digest",
                "Digest nonce=,",
            ]
        ),
        ("Proxy-Authenticate", ["Basic realm=\"x\"", "Digest", ""]),
        (
            "Content-Disposition",
            ["attachment", "attachment; filename=\"", "attachment; filename*=UTF-8''%zz", "=", ";"]
        ),
        ("Content-Range", ["bytes 0-1/2", "bytes */2", "bytes 5-1/2", "items 0-1/2", "bytes", ""]),
        ("Connection", ["close", "keep-alive", "Upgrade", "close, close", ""]),
        ("Keep-Alive", ["timeout=5", "timeout=-1", "timeout=99999999999999999999, max=x", "max"]),
        ("Upgrade", ["h2c", "websocket", ""]), ("Trailer", ["X", ""]),
        ("Alt-Svc", ["h3=\":443\"", "clear", "=", "h2=\":\""]),
        ("Strict-Transport-Security", ["max-age=1", "max-age=99999999999999999999", "max-age", ";"]),
        (
            "Date",
            [
                "Wed, 21 Oct 2015 07:28:00 GMT", "x", "0", "Wed, 99 Zzz 9999999 99:99:99 GMT", "", "-1",
                "Thu, 01 Jan 1970 00:00:00 +9999",
            ]
        ),
        ("Expires", ["0", "-1", "x", "Wed, 21 Oct 99999 07:28:00 GMT"]), ("Last-Modified", ["x", "0"]),
        ("Age", ["-1", "x"]),
        (
            "Cache-Control",
            ["max-age=-1", "max-age=99999999999999999999", "no-cache=\"", "=", ",", "max-age="]
        ),
        ("ETag", ["\"", "W/", ""]), ("Retry-After", ["1", "-1", "x", "99999999999999999999"]),
        ("Refresh", ["0; url=/x", ";"]), ("Vary", ["*", ","]), ("Link", ["</x>; rel=next", "<", ">"]),
        ("", ["", "x"]), (" ", ["x"]), ("a b", ["x"]), ("\u{e9}", ["x"]), ("🇩🇪", ["🇩🇪"]), ("X-\0", ["\0"]),
        ("x", ["\u{e9}"]),
    ]

    private static func field(_ choices: inout ChoiceReader) -> [UInt8] {
        let (name, values) = choices.choice(values)
        let written = choices.choice([name, name, name.lowercased(), name.uppercased()])
        var line =
            Array(written.utf8)
            + Array(choices.choice([": ", ": ", ": ", ":", " : ", ":\t", "", ":  "]).utf8)
        line += Array(choices.choice(values).utf8)
        if choices.number(below: 4) == 3 { line += choices.raw() }
        return line
            + Array(
                choices.choice(["\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\n ", " \r\n", "\t\r\n"]).utf8)
    }
}
