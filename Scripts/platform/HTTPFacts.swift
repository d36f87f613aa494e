import Foundation
import FoundationNetworking

/// An address that refuses connections.
let refused = URL(string: "http://127.0.0.1:1/") ?? mocked

/// Sends a byte every half second for five seconds.
private let drip: @Sendable (RawServer.Connection) -> Void = { connection in
    connection.readRequest()
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
    for _ in 0..<10 {
        connection.send("x")
        connection.pause(0.5)
    }
}

private func configuration(timeout: Double) -> URLSessionConfiguration {
    let configuration = ProbeRequest.configuration
    configuration.timeoutIntervalForRequest = timeout
    return configuration
}

/// Facts B: timeouts.
let timeFacts: [Probe] = [
    Probe("B Timeouts", "half a second is rounded to 0: the request fails immediately") {
        let server = try RawServer.replying(ok("ok"), after: 0.1)
        let received = ProbeRequest.run(URLRequest(url: server.url()), configuration(timeout: 0.5))
        return .when(received) { $0.error?.code == .timedOut }
    },
    Probe("B Timeouts", "an infinite interval traps", isFatal: true) {
        let server = try RawServer.keepAlive("ok")
        _ = ProbeRequest.run(URLRequest(url: server.url()), configuration(timeout: .infinity))
        return .fixed("")
    },
    Probe("B Timeouts", "timeoutIntervalForResource is ignored") {
        let server = try RawServer.serving(drip)
        let configuration = ProbeRequest.configuration
        configuration.timeoutIntervalForResource = 1
        return .when(ProbeRequest.run(URLRequest(url: server.url()), configuration, within: 8)) {
            $0.error == nil
        }
    },
    Probe("B Timeouts", "no timeout applies to custom protocols") {
        let configuration = ScriptedProtocol.configuration
        configuration.timeoutIntervalForRequest = 1
        configuration.timeoutIntervalForResource = 1
        return .hanging(ScriptedProtocol.received(URLRequest(url: mocked), configuration) { _ in })
    },
    Probe("B Timeouts", "time spent waiting for a connection counts") {
        let server = try RawServer.replying("", after: 8)
        let configuration = ProbeRequest.configuration
        configuration.httpMaximumConnectionsPerHost = 1
        let delegate = ProbeRequest()
        let session = delegate.session(configuration)
        for timeout in [6.0, 1] {
            var request = URLRequest(url: server.url())
            request.timeoutInterval = timeout
            session.dataTask(with: request).resume()
            Thread.sleep(forTimeInterval: 0.3)
        }
        return .when(delegate.wait(4)) { $0.error?.code == .timedOut && server.requests.count == 1 }
    },
]

/// Facts A19 and B: redirects.
let redirectFacts: [Probe] = [
    Probe("B Redirects", "Authorization and custom headers are sent to other origins") {
        let target = try RawServer.keepAlive("ok")
        let server = try RawServer.replying(redirect(to: target.url().absoluteString))
        var request = URLRequest(url: server.url())
        request.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
        request.setValue("mine", forHTTPHeaderField: "X-Caller")
        let received = ProbeRequest.run(request)
        let seen = target.requests.first?.lowercased() ?? ""
        return .when(received) { _ in seen.contains("authorization:") && seen.contains("x-caller:") }
    },
    Probe("B Redirects", "307 drops the body") {
        let target = try RawServer.keepAlive("ok")
        let server = try RawServer.replying(redirect(to: target.url().absoluteString, status: 307))
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("precious".utf8)
        _ = ProbeRequest.run(request, within: 3)
        return .when(!target.requests.contains { $0.contains("precious") })
    },
    Probe("B Redirects", "relative targets are resolved incorrectly: /a/b/rel → c becomes /c") {
        let server = try RawServer.keepAlive("ok", redirecting: "/a/b/rel", to: "c")
        let received = ProbeRequest.run(server.url().appendingPathComponent("a/b/rel"))
        let last = server.requests.last?.split(separator: " ").dropFirst().first ?? ""
        return .when(received) { _ in last != "/a/b/c" }
    },
    Probe("A19", "an answer to a redirect after cancel() is a fatalError", isFatal: true) {
        let server = try RawServer.replying(redirect(to: "/target"))
        let received = ProbeRequest.run(
            URLRequest(url: server.url()),
            set: { delegate in
                delegate.onRedirect = { task, answer in
                    task.cancel()
                    answer(nil)
                }
            })
        Thread.sleep(forTimeInterval: 0.5)
        return .fixed(received?.evidence ?? "")
    },
    Probe("B Redirects", "Location: //%2f/x is a fatalError even when redirects are refused", isFatal: true) {
        let server = try RawServer.replying(redirect(to: "//%2f/x"))
        let received = ProbeRequest.run(
            URLRequest(url: server.url()), set: { $0.onRedirect = { $1(nil) } })
        return .fixed(received?.evidence ?? "")
    },
]

/// A probe of what URLSession makes of a reply.
private func reply(
    _ kind: String, _ fact: String, _ reply: String,
    _ isPresent: @escaping @Sendable (ReceivedResponse) -> Bool
) -> Probe {
    Probe("B \(kind)", fact) { .when(ProbeRequest.run(try RawServer.replying(reply).url()), isPresent) }
}

/// A probe of a reply that ends the process.
private func fatal(_ fact: String, _ reply: String) -> Probe {
    Probe("B Trap", "\(fact) is a fatalError", isFatal: true) {
        .fixed(ProbeRequest.run(try RawServer.replying(reply).url())?.evidence ?? "the task did not end")
    }
}

/// Facts B: replies.
let replyFacts: [Probe] = [
    fatal(
        "a chunked reply with trailers",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n2\r\nok\r\n0\r\nX-End: 1\r\n\r\n"
    ),
    fatal("a server that closes in the middle of the head", "HTTP/1.1 200 OK\r\nContent-Ty"),
    fatal(
        "a line of the head that begins with NUL", "HTTP/1.1 200 OK\r\n\0X: y\r\nContent-Length: 2\r\n\r\nok"),
    fatal(
        "a Content-Length of 2^63 - 512", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775296\r\n\r\nok"),
    reply(
        "1xx", "103 is delivered as a separate response; the last response is kept",
        "HTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n" + ok("ok")
    ) { $0.statuses == [103, 200] },
    reply("Metrics", "metrics are never delivered", ok("ok")) { $0.metrics == 0 },
    reply("Codes", "an empty reply is -1011", "") { $0.code == -1011 },
    reply("Codes", "a garbage status line is -1002", "GARBAGE\r\n\r\n") { $0.code == -1002 },
    reply(
        "Codes", "a bad chunk size is -1",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nok\r\n0\r\n\r\n"
    ) { $0.code == -1 },
    reply(
        "Codes", "a body shorter than its Content-Length is -1, after its bytes were delivered",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"
    ) { $0.code == -1 && $0.text == "part" },
    reply(
        "Codes", "a chunked body without its last chunk is -1",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n"
    ) { $0.code == -1 },
    reply(
        "Headers", "duplicates are joined with a comma, Set-Cookie too",
        "HTTP/1.1 200 OK\r\nX-Two: a\r\nX-Two: b\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"
    ) { $0.header("x-two") == "a, b" && ["a=1, b=2", "a=1,b=2"].contains($0.header("set-cookie")) },
    reply("Headers", "LF-only lines fail with -1", "HTTP/1.1 200 OK\nX: 1\nContent-Length: 2\n\nok") {
        $0.code == -1
    },
    reply(
        "Headers", "Name:value without a space fails with -1",
        "HTTP/1.1 200 OK\r\nX-Tight:value\r\nContent-Length: 2\r\n\r\nok"
    ) { $0.code == -1 },
    Probe("B Headers", "a Latin-1 value fails with -1") {
        let head =
            Data("HTTP/1.1 200 OK\r\nX-Name: caf".utf8) + [0xE9] + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
        return .when(ProbeRequest.run(try RawServer.replying(head).url())) { $0.code == -1 }
    },
    Probe("B Codes", "a reset before the head is -1005") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.reset()
        }
        return .when(ProbeRequest.run(server.url())) { $0.code == -1005 }
    },
    Probe("B Codes", "a failed TLS handshake is -1") {
        let server = try RawServer.serving { connection in
            _ = connection.read(5)
            connection.send("this is not TLS\r\n")
        }
        return .when(ProbeRequest.run(server.url(scheme: "https"))) { $0.code == -1 }
    },
    Probe("B Codes", "connection refused is -1004") { .when(ProbeRequest.run(refused)) { $0.code == -1004 } },
]

/// Facts B: requests, URLs and JSONDecoder.
let requestFacts: [Probe] = [
    Probe("B Requests", "a request header with CR LF is dropped without an error") {
        let server = try RawServer.keepAlive("ok")
        var request = URLRequest(url: server.url())
        request.setValue("a\r\nX-Injected: b", forHTTPHeaderField: "X-Value")
        let received = ProbeRequest.run(request)
        return .when(received) { response in
            response.error == nil && !server.requests.contains { $0.lowercased().contains("x-value") }
        }
    },
    Probe("B Requests", "GET with a body fails with -1103") {
        let server = try RawServer.keepAlive("ok")
        var request = URLRequest(url: server.url())
        request.httpBody = Data("body".utf8)
        return .when(ProbeRequest.run(request)) { $0.code == -1103 }
    },
    Probe("B URLs", "http://[::1]/ fails with -1000") {
        guard let url = URL(string: "http://[::1]:1/") else { return .unknown("no URL") }
        return .when(ProbeRequest.run(url)) { $0.code == -1000 }
    },
    Probe("B URLs", "one invalid character makes URL(string:) encode the whole string again") {
        let seen = URL(string: "http://h/a%20b c")?.absoluteString ?? "nil"
        return .when(seen.contains("%2520"), seen)
    },
    Probe("B JSONDecoder", "accepts trailing commas") {
        .when((try? JSONDecoder().decode([Int].self, from: Data("[1,2,]".utf8))) == [1, 2])
    },
    Probe("B JSONDecoder", "takes the first of duplicate keys") {
        let seen = try JSONDecoder().decode([String: Int].self, from: Data(#"{"a":1,"a":2}"#.utf8))
        return .when(seen["a"] == 1, "\(seen)")
    },
    Probe("B JSONDecoder", "reads UTF-16") {
        .when((try? JSONDecoder().decode([Int].self, from: "[1]".data(using: .utf16) ?? Data())) == [1])
    },
]
