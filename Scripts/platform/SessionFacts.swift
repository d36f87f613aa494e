import Foundation
import Glibc
import FoundationNetworking

/// Facts A1 to A6, A16, A18, A20, A21, C and D: cancellation, challenges, queues and memory.
let sessionFacts: [Probe] = [
    Probe("A1", "data(for:) with Task cancellation deadlocks every session of the process", hang: .present) {
        let server = try RawServer.keepAlive(#"{"items":["a"]}"#)
        let session = URLSession(configuration: ProbeRequest.configuration)
        let requests = 2_000
        let ended = try blocking { () -> Int in
            await withTaskGroup(of: Void.self, returning: Int.self) { group in
                for number in 0..<requests {
                    if number >= 32 { await group.next() }
                    group.addTask {
                        let call = Task { _ = try? await session.data(from: server.url()) }
                        try? await Task.sleep(nanoseconds: UInt64.random(in: 0...2_000_000))
                        call.cancel()
                        await call.value
                    }
                }
                return requests
            }
        }
        return .fixed("\(ended) cancelled calls ended")
    },
    Probe(
        "A2", "cancel() inside a delegate callback on an inline queue can deadlock or trap", hang: .present,
        trap: .present
    ) {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 50_000))
            connection.pause(2)
        }
        for _ in 0..<20 {
            let received = ProbeRequest.run(URLRequest(url: server.url()), within: 3, queue: InlineQueue()) {
                delegate in
                delegate.onData = { $0.cancel() }
            }
            if received == nil { return .present("the task never ended") }
        }
        return .fixed("20 tasks ended")
    },
    Probe("A3", "a 401 with WWW-Authenticate: Basic never completes") {
        let server = try RawServer.replying(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 2\r\n\r\nno")
        guard let received = ProbeRequest.run(server.url(), within: 4) else {
            return .present("did not end within 4 s")
        }
        return .fixed("ended with status \(received.status ?? 0)")
    },
    Probe("A3", "… nor does the 401 of a custom protocol in a session with a delegate") {
        ScriptedProtocol.script = { stub in
            stub.respond(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            stub.finish()
        }
        let received = ProbeRequest.run(URLRequest(url: mocked), ScriptedProtocol.configuration, within: 4)
        return received == nil ? .present("did not end within 4 s") : .fixed
    },
    Probe("A4", "suspend() and resume() restart the transfer: bytes are delivered twice") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n" + String(repeating: "a", count: 30_000))
            connection.pause(0.5)
            connection.send(String(repeating: "b", count: 30_000))
        }
        let delegate = ProbeRequest()
        let session = URLSession(
            configuration: ProbeRequest.configuration, delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: server.url())
        task.resume()
        Thread.sleep(forTimeInterval: 0.25)
        task.suspend()
        Thread.sleep(forTimeInterval: 0.1)
        task.resume()
        let received = delegate.wait(5)
        let requests = server.requests.count
        return .when(
            requests > 1 || (received?.body.count ?? 0) > 60_000,
            "\(requests) requests, \(received?.body.count ?? -1) bytes")
    },
    Probe("A5", "no backpressure: with a slow consumer, the whole body is kept in memory", limit: 20) {
        let megabytes = 200
        let server = try RawServer.sending(megabytes: megabytes)
        let slow = SlowDelegate()
        let before = residentBytes()
        let session = URLSession(
            configuration: ProbeRequest.configuration, delegate: slow, delegateQueue: nil)
        session.dataTask(with: server.url()).resume()
        var peak = before
        for _ in 0..<100 {
            Thread.sleep(forTimeInterval: 0.05)
            peak = max(peak, residentBytes())
        }
        let held = (peak - before) >> 20
        return .when(held > megabytes / 2, "\(held) MB held of \(megabytes)")
    },
    Probe("A6", "all sessions share one work queue: blocking one stalls the others") {
        let server = try RawServer.keepAlive("ok")
        ScriptedProtocol.script = { stub in
            Thread.sleep(forTimeInterval: 1.5)
            stub.respond(200)
            stub.finish()
        }
        let blocked = URLSession(configuration: ScriptedProtocol.configuration)
        blocked.dataTask(with: mocked).resume()
        Thread.sleep(forTimeInterval: 0.2)
        let start = Date()
        _ = try ProbeRequest.ending(server.url())
        let waited = -start.timeIntervalSinceNow
        return .when(waited > 1, String(format: "waited %.1f s", waited))
    },
    Probe("A16", "with a urlCache, a cancel near completion is a fatalError", trap: .present, limit: 20) {
        ScriptedProtocol.script = { stub in
            stub.respond(200)
            stub.load("{}")
            stub.finish()
        }
        let configuration = ScriptedProtocol.configuration
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let requests = try cancelRequests(configuration, seconds: 8)
        return .unknown("did not occur in \(requests) requests")
    },
    Probe("A16", "… and without one it is not", trap: .unknown, limit: 20) {
        ScriptedProtocol.script = { stub in
            guard stub.task?.state == .running else { return }
            stub.respond(200)
            stub.load("{}")
            stub.finish()
        }
        let requests = try cancelRequests(ScriptedProtocol.configuration, seconds: 5)
        return .present("\(requests) requests")
    },
    Probe("A18", "a mock receives the host unchanged, not in lowercase") {
        ScriptedProtocol.script = { stub in
            stub.respond(200)
            stub.load(stub.request.url?.host ?? "")
            stub.finish()
        }
        guard let url = URL(string: "http://notNil/") else { return .unknown("no URL") }
        let received = try ProbeRequest.ending(URLRequest(url: url), ScriptedProtocol.configuration)
        return .when(received.text == "notNil", received.text)
    },
    Probe("A20", "cancel() is delayed while more bytes wait in the socket", limit: 20) {
        let megabytes = 300
        let server = try RawServer.sending(megabytes: megabytes)
        let slow = SlowDelegate(seconds: 0.0001)
        let session = URLSession(
            configuration: ProbeRequest.configuration, delegate: slow, delegateQueue: InlineQueue())
        let task = session.dataTask(with: server.url())
        task.resume()
        Thread.sleep(forTimeInterval: 0.1)
        DispatchQueue.global().async { task.cancel() }
        let atCancel = slow.chunks
        Thread.sleep(forTimeInterval: 4)
        let late = slow.chunks - atCancel
        return .when(
            late > 1_000, "\(late) chunks of \((megabytes << 20) / 16_384) were delivered after cancel()")
    },
    Probe("A21", "a request that waits for its response keeps a processor busy") {
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.pause(2)
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let before = processorSeconds()
        _ = try ProbeRequest.ending(server.url())
        let busy = processorSeconds() - before
        return .when(busy > 0.5, String(format: "%.1f s of 2", busy))
    },
    Probe("C", "URLSession calls addOperation of its delegate queue synchronously on its work queue") {
        let server = try RawServer.keepAlive("ok")
        guard let received = ProbeRequest.run(URLRequest(url: server.url()), queue: InlineQueue()) else {
            return .fixed("the task did not end")
        }
        return .when(received.text == "ok", "\(received.chunks) chunk run inline")
    },
    Probe("D", "a cancelled Task.sleep keeps its memory until its deadline", limit: 20) {
        let sleepers = 100_000
        let before = residentBytes()
        try blocking {
            for _ in 0..<(sleepers / 1_000) {
                let tasks = (0..<1_000).map { _ in Task { try? await Task.sleep(for: .seconds(3_600)) } }
                for task in tasks {
                    task.cancel()
                    await task.value
                }
            }
        }
        let each = (residentBytes() - before) / sleepers
        return .when(each > 200, "\(each) bytes each")
    },
    Probe("B Invalidation", "a task of an invalidated session is a fatalError", trap: .present) {
        let session = URLSession(configuration: ProbeRequest.configuration)
        session.invalidateAndCancel()
        Thread.sleep(forTimeInterval: 0.1)
        session.dataTask(with: mocked).resume()
        return .fixed
    },
]

/// Returns the processor time of this process in seconds.
private func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

/// Discards bytes slowly.
private final class SlowDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: `count` is accessed only while `lock` is held.
    private let seconds: Double
    private let lock = NSLock()
    private var count = 0

    init(seconds: Double = 0.002) { self.seconds = seconds }

    /// The number of received chunks.
    var chunks: Int { lock.withLock { count } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { count += 1 }
        Thread.sleep(forTimeInterval: seconds)
    }
}

/// Starts and cancels requests, at most 64 at a time, and returns their number.
private func cancelRequests(_ configuration: URLSessionConfiguration, seconds: Double) throws -> Int {
    let cancels = DispatchQueue(label: "cancels")
    let inFlight = DispatchSemaphore(value: 64)
    let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: InlineQueue())
    let end = Date(timeIntervalSinceNow: seconds)
    var requests = 0
    while Date() < end {
        guard inFlight.wait(timeout: .now() + 3) == .success else {
            throw Inconclusive(reason: "stuck after \(requests)")
        }
        let task = session.dataTask(with: mocked) { _, _, _ in inFlight.signal() }
        task.resume()
        let delay = Int.random(in: 0...300)
        cancels.asyncAfter(deadline: .now() + .microseconds(delay)) { task.cancel() }
        requests += 1
    }
    return requests
}
