import Foundation
import FoundationNetworking

private func code(_ reply: String) throws -> (Int?, ReceivedResponse) {
    let received = try ProbeRequest.ending(try RawServer.replying(reply).url())
    return (received.error?.code.rawValue, received)
}

private func failsWith(_ expected: Int, _ reply: String) -> @Sendable () throws -> ProbeResult {
    {
        let (seen, _) = try code(reply)
        return .when(seen == expected, seen.map { "error \($0)" } ?? "no error")
    }
}

/// Facts B: traps, 1xx responses, error codes, headers and cookies.
let responseFacts: [Probe] = [
    Probe("B Trap", "a chunked reply with trailers is a fatalError", trap: .present) {
        let (_, received) = try code(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n2\r\nok\r\n0\r\nX-End: 1\r\n\r\n"
        )
        return .fixed("status \(received.status ?? 0), body \(received.text)")
    },
    Probe("B Trap", "a server that closes in the middle of the head is a fatalError", trap: .present) {
        let (seen, _) = try code("HTTP/1.1 200 OK\r\nContent-Ty")
        return .fixed("error \(seen ?? 0)")
    },
    Probe("B Trap", "a line of the head that begins with NUL is a fatalError", trap: .present) {
        let (seen, _) = try code("HTTP/1.1 200 OK\r\n\0X: y\r\nContent-Length: 2\r\n\r\nok")
        return .fixed("error \(seen ?? 0)")
    },
    Probe("B Trap", "a Location with an invalid host is a fatalError", trap: .present) {
        let (seen, _) = try code("HTTP/1.1 302 Found\r\nLocation: //%2f/x\r\nContent-Length: 0\r\n\r\n")
        return .fixed("error \(seen ?? 0)")
    },
    Probe("B Trap", "a Content-Length of 2^63 - 512 is a fatalError", trap: .present) {
        let (seen, _) = try code("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775296\r\n\r\nok")
        return .fixed("error \(seen ?? 0)")
    },
    Probe("B 1xx", "103 is delivered as a separate response; the last response is kept") {
        let (_, received) = try code(
            "HTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        return .when(
            received.responses.map(\.statusCode) == [103, 200], "\(received.responses.map(\.statusCode))")
    },
    Probe("B Disposition", ".cancel as response disposition is ignored") {
        let server = try RawServer.keepAlive("ok")
        let received = ProbeRequest.run(URLRequest(url: server.url()), set: { $0.disposition = .cancel })
        return .when(
            received?.text == "ok" && received?.error == nil, "error \(received?.error?.code.rawValue ?? 0)")
    },
    Probe("B Metrics", "metrics are never delivered") {
        let server = try RawServer.keepAlive("ok")
        return .when(try ProbeRequest.ending(server.url()).metrics == 0)
    },
    Probe("B Counts", "countOfBytesReceived stays 0") {
        let server = try RawServer.keepAlive("ok")
        let made = Box<URLSessionTask?>(nil)
        let received = ProbeRequest.run(
            URLRequest(url: server.url()),
            task: { session, request in
                let task = session.dataTask(with: request)
                made.change { $0 = task }
                return task
            })
        guard received != nil, let task = made.current else { return .unknown("the task did not end") }
        return .when(task.countOfBytesReceived == 0, "\(task.countOfBytesReceived)")
    },
    Probe("B Codes", "connection refused is -1004") {
        guard let url = URL(string: "http://127.0.0.1:1/") else { return .unknown("no URL") }
        let seen = try ProbeRequest.ending(url).error?.code.rawValue ?? 0
        return .when(seen == -1004, "error \(seen)")
    },
    Probe("B Codes", "an unknown host is -1003") {
        guard let url = URL(string: "http://nowhere.invalid/") else { return .unknown("no URL") }
        guard let received = ProbeRequest.run(url, within: 8) else {
            return .unknown("the task did not end: slow name server")
        }
        let seen = received.error?.code.rawValue ?? 0
        return .when(seen == -1003, "error \(seen)")
    },
    Probe("B Codes", "an idle timeout is -1001") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.pause(4)
        }
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 1
        let seen = try ProbeRequest.ending(request).error?.code.rawValue ?? 0
        return .when(seen == -1001, "error \(seen)")
    },
    Probe("B Codes", "an empty reply is -1011", run: failsWith(-1011, "")),
    Probe("B Codes", "a reset before the head is -1005") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.reset()
        }
        let seen = try ProbeRequest.ending(server.url()).error?.code.rawValue ?? 0
        return .when(seen == -1005, "error \(seen)")
    },
    Probe("B Codes", "a garbage status line is -1002", run: failsWith(-1002, "GARBAGE\r\n\r\n")),
    Probe(
        "B Codes", "a bad chunk size is -1",
        run: failsWith(-1, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nok\r\n0\r\n\r\n")),
    Probe("B Codes", "a failed TLS handshake is -1") {
        let server = try RawServer.serving { connection in
            _ = connection.read(5)
            connection.send("this is not TLS\r\n")
        }
        guard let url = URL(string: "https://127.0.0.1:\(server.port)/") else { return .unknown("no URL") }
        let seen = try ProbeRequest.ending(url).error?.code.rawValue ?? 0
        return .when(seen == -1, "error \(seen)")
    },
    Probe("B Headers", "the capitalisation of known header names changes: ETag becomes Etag") {
        let (_, received) = try code("HTTP/1.1 200 OK\r\nETag: 1\r\nX-ODD: 1\r\ncontent-length: 0\r\n\r\n")
        let names = Set(received.responses.last?.allHeaderFields.keys.map { "\($0)" } ?? [])
        return .when(names == ["Etag", "X-ODD", "Content-Length"], names.sorted().joined(separator: ", "))
    },
    Probe("B Headers", "duplicates are joined with a comma, Set-Cookie too") {
        let (_, received) = try code(
            "HTTP/1.1 200 OK\r\nX-Two: a\r\nX-Two: b\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"
        )
        let seen = [received.header("X-Two"), received.header("Set-Cookie")].map { $0 ?? "none" }
        return .when(
            seen == ["a, b", "a=1, b=2"] || seen == ["a, b", "a=1,b=2"], seen.joined(separator: "; "))
    },
    Probe("B Headers", "of duplicates in different case one is lost") {
        let (_, received) = try code("HTTP/1.1 200 OK\r\nX-Two: a\r\nx-two: b\r\nContent-Length: 0\r\n\r\n")
        let seen = received.header("X-Two") ?? "none"
        return .when(!(seen.contains("a") && seen.contains("b")), seen)
    },
    Probe(
        "B Headers", "LF-only lines fail with -1",
        run: failsWith(-1, "HTTP/1.1 200 OK\nX: 1\nContent-Length: 2\n\nok")),
    Probe(
        "B Headers", "Name:value without a space fails with -1",
        run: failsWith(-1, "HTTP/1.1 200 OK\r\nX-Tight:value\r\nContent-Length: 2\r\n\r\nok")),
    Probe("B Headers", "a Latin-1 value fails with -1") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nX-Name: caf")
            connection.send(Data([0xE9]))
            connection.send("\r\nContent-Length: 2\r\n\r\nok")
        }
        let seen = try ProbeRequest.ending(server.url()).error?.code.rawValue
        return .when(seen == -1, seen.map { "error \($0)" } ?? "no error")
    },
    Probe("B Headers", "a request header with CR LF is dropped without an error") {
        let server = try RawServer.keepAlive("ok")
        var request = URLRequest(url: server.url())
        request.setValue("a\r\nX-Injected: b", forHTTPHeaderField: "X-Value")
        let received = try ProbeRequest.ending(request)
        let seen = server.requests.first?.lowercased() ?? ""
        return .when(
            received.error == nil && !seen.contains("x-value"), seen.contains("x-injected") ? "injected!" : ""
        )
    },
    Probe("B Cookies", "a Cookie header set by hand is overwritten by the storage") {
        let server = try RawServer.keepAlive("ok")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        guard
            let cookie = HTTPCookie(properties: [
                .name: "stored", .value: "1", .domain: "127.0.0.1", .path: "/",
            ])
        else {
            return .unknown("no cookie")
        }
        configuration.httpCookieStorage?.setCookie(cookie)
        var request = URLRequest(url: server.url())
        request.setValue("manual=1", forHTTPHeaderField: "Cookie")
        _ = try ProbeRequest.ending(request, configuration)
        let seen = server.requests.first ?? ""
        return .when(
            !seen.contains("manual=1"),
            seen.contains("stored=1") ? "the stored cookie was sent" : "no cookie was sent")
    },
]
