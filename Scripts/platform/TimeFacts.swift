import Foundation
import FoundationNetworking

private let silent: @Sendable (RawServer.Connection) -> Void = { connection in
    connection.readRequest()
    connection.pause(8)
}

/// Sends a byte every half second for five seconds.
private let drip: @Sendable (RawServer.Connection) -> Void = { connection in
    connection.readRequest()
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
    for _ in 0..<10 {
        connection.send("x")
        connection.pause(0.5)
    }
}

private func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = Date()
    try body()
    return -start.timeIntervalSinceNow
}

/// Facts B: timeouts.
let timeFacts: [Probe] = [
    Probe("B Timeouts", "half a second is rounded to 0: the request fails immediately") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.pause(0.1)
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let configuration = ProbeRequest.configuration
        configuration.timeoutIntervalForRequest = 0.5
        let received = try ProbeRequest.ending(URLRequest(url: server.url()), configuration)
        return .when(received.error?.code == .timedOut, received.text)
    },
    Probe("B Timeouts", "an infinite interval traps", trap: .present) {
        let server = try RawServer.keepAlive("ok")
        let configuration = ProbeRequest.configuration
        configuration.timeoutIntervalForRequest = .infinity
        return .fixed(try ProbeRequest.ending(URLRequest(url: server.url()), configuration).text)
    },
    Probe("B Timeouts", "timeoutIntervalForRequest is an idle timer that bytes restart") {
        let server = try RawServer.serving(drip)
        let configuration = ProbeRequest.configuration
        configuration.timeoutIntervalForRequest = 2
        guard let received = ProbeRequest.run(URLRequest(url: server.url()), configuration, within: 8) else {
            return .unknown("the task did not end")
        }
        return .when(received.error == nil, "\(received.body.count) of 10 bytes in 5 s with a limit of 2 s")
    },
    Probe("B Timeouts", "timeoutIntervalForResource is ignored") {
        let server = try RawServer.serving(drip)
        let configuration = ProbeRequest.configuration
        configuration.timeoutIntervalForResource = 1
        guard let received = ProbeRequest.run(URLRequest(url: server.url()), configuration, within: 8) else {
            return .unknown("the task did not end")
        }
        return .when(received.error == nil, "\(received.body.count) of 10 bytes in 5 s with a limit of 1 s")
    },
    Probe("B Timeouts", "no timeout applies to custom protocols") {
        ScriptedProtocol.script = { _ in }
        let configuration = ScriptedProtocol.configuration
        configuration.timeoutIntervalForRequest = 1
        configuration.timeoutIntervalForResource = 1
        let received = ProbeRequest.run(URLRequest(url: mocked), configuration, within: 4)
        return .when(received == nil, "did not end within 4 s with limits of 1 s")
    },
    Probe("B Timeouts", "the timeoutInterval argument of URLRequest.init is ignored") {
        let server = try RawServer.serving(silent)
        let request = URLRequest(url: server.url(), cachePolicy: .useProtocolCachePolicy, timeoutInterval: 1)
        return .when(ProbeRequest.run(request, within: 4) == nil)
    },
    Probe("B Timeouts", "… while the property works") {
        let server = try RawServer.serving(silent)
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 1
        let received = ProbeRequest.run(request, within: 4)
        return .when(received?.error?.code == .timedOut)
    },
    Probe("B Timeouts", "time spent waiting for a connection counts") {
        let server = try RawServer.serving(silent)
        let configuration = ProbeRequest.configuration
        configuration.httpMaximumConnectionsPerHost = 1
        let second = ProbeRequest()
        let session = URLSession(configuration: configuration, delegate: second, delegateQueue: nil)
        var first = URLRequest(url: server.url())
        first.timeoutInterval = 6
        session.dataTask(with: first).resume()
        Thread.sleep(forTimeInterval: 0.3)
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 1
        var received: ReceivedResponse?
        let waited = seconds {
            session.dataTask(with: request).resume()
            received = second.wait(4)
        }
        return .when(
            received?.error?.code == .timedOut && server.requests.count == 1,
            String(format: "%.1f s", waited))
    },
]

/// Facts B: redirects.
let redirectFacts: [Probe] = [
    Probe("B Redirects", "Authorization and custom headers are sent to other origins") {
        let target = try RawServer.keepAlive("ok")
        let server = try RawServer.replying(redirect(to: target.url().absoluteString))
        var request = URLRequest(url: server.url())
        request.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
        request.setValue("mine", forHTTPHeaderField: "X-Caller")
        _ = try ProbeRequest.ending(request)
        let seen = target.requests.first?.lowercased() ?? ""
        guard !seen.isEmpty else { return .unknown("the target received no request") }
        return .when(seen.contains("authorization:") && seen.contains("x-caller:"))
    },
    Probe("B Redirects", "307 drops the body") {
        let target = try RawServer.keepAlive("ok")
        let server = try RawServer.replying(redirect(to: target.url().absoluteString, status: 307))
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("precious".utf8)
        _ = ProbeRequest.run(request, within: 3)
        guard let seen = target.requests.first else { return .present("the target received no request") }
        return .when(!seen.contains("precious"), String(seen.prefix { $0 != "\r\n" }))
    },
    Probe("B Redirects", "relative targets are resolved incorrectly: /a/b/rel → c becomes /c") {
        let server = try RawServer.serving { connection in
            while true {
                let request = connection.readRequest()
                if request.isEmpty { return }
                connection.send(
                    request.contains("/a/b/rel ")
                        ? redirect(to: "c") : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        _ = try ProbeRequest.ending(server.url("/a/b/rel"))
        let last = server.requests.last?.split(separator: " ").dropFirst().first ?? ""
        return .when(last != "/a/b/c", "requested \(last)")
    },
    Probe("B Redirects", "a file: target becomes a path on the same host") {
        let server = try RawServer.serving { connection in
            while true {
                let request = connection.readRequest()
                if request.isEmpty { return }
                connection.send(
                    request.contains("/start ")
                        ? redirect(to: "file:///etc/hostname")
                        : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        _ = try ProbeRequest.ending(server.url("/start"))
        return .when(
            server.requests.count > 1,
            server.requests.last.map { String($0.prefix(while: { !$0.isNewline })) } ?? "")
    },
    Probe("B Redirects", "a task whose delegate does not answer never ends") {
        let server = try RawServer.replying(redirect(to: "/target"))
        let received = ProbeRequest.run(
            URLRequest(url: server.url()), within: 4, set: { $0.onRedirect = { _, _ in } })
        return .when(received == nil, "did not end within 4 s")
    },
    Probe("A19", "an answer to a redirect after cancel() is a fatalError", trap: .present) {
        let server = try RawServer.replying(redirect(to: "/target"))
        let made = Box<URLSessionTask?>(nil)
        let received = ProbeRequest.run(
            URLRequest(url: server.url()), within: 4,
            set: { delegate in
                delegate.onRedirect = { _, answer in
                    made.current?.cancel()
                    answer(nil)
                }
            },
            task: { session, request in
                let task = session.dataTask(with: request)
                made.change { $0 = task }
                return task
            })
        Thread.sleep(forTimeInterval: 0.5)
        return .fixed("error \(received?.error?.code.rawValue ?? 0)")
    },
    Probe("B Redirects", "Location: //%2f/x is a fatalError even when redirects are refused", trap: .present)
    {
        let server = try RawServer.replying(redirect(to: "//%2f/x"))
        let received = ProbeRequest.run(
            URLRequest(url: server.url()), within: 4, set: { $0.onRedirect = { $1(nil) } })
        return .fixed("status \(received?.status ?? 0)")
    },
    Probe("B Redirects", "Location: //a%20b/x likewise", trap: .present) {
        let server = try RawServer.replying(redirect(to: "//a%20b/x"))
        let received = ProbeRequest.run(
            URLRequest(url: server.url()), within: 4, set: { $0.onRedirect = { $1(nil) } })
        return .fixed("status \(received?.status ?? 0)")
    },
]

private func redirect(to location: String, status: Int = 302) -> String {
    "HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
}
