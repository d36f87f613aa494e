import Foundation
import FoundationNetworking

/// Facts A1 to A6, A16 and B: cancellation, challenges, queues and timeouts.
let sessionFacts: [Probe] = [
    Probe("A1", "data(for:) with Task cancellation deadlocks every session of the process", isFatal: true) {
        let server = try RawServer.keepAlive("ok")
        let session = URLSession(configuration: ProbeRequest.configuration)
        let requests = 2_000
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<requests {
                    if number >= 32 { await group.next() }
                    group.addTask {
                        let call = Task { _ = try? await session.data(from: server.url()) }
                        try? await Task.sleep(nanoseconds: UInt64.random(in: 0...2_000_000))
                        call.cancel()
                        await call.value
                    }
                }
            }
            done.signal()
        }
        done.wait()
        return .fixed("\(requests) cancelled calls ended")
    },
    Probe("A2", "cancel() inside a delegate callback on an inline queue can deadlock or trap", isFatal: true)
    {
        let part = String(repeating: "x", count: 50_000)
        let server = try RawServer.replying(
            "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n\(part)", then: 2)
        for _ in 0..<20 {
            let received = ProbeRequest.run(
                URLRequest(url: server.url()), within: 3, queue: InlineQueue(),
                set: { $0.onData = { $0.cancel() } })
            if received == nil { return .present("the task never ended") }
        }
        return .fixed("20 tasks ended")
    },
    Probe("A3", "a 401 with WWW-Authenticate: Basic never completes") {
        let server = try RawServer.replying(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 2\r\n\r\nno")
        return .hanging(ProbeRequest.run(server.url()))
    },
    Probe("A3", "… nor does the 401 of a custom protocol in a session with a delegate") {
        .hanging(
            ScriptedProtocol.received { stub in
                stub.respond(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
                stub.finish()
            })
    },
    Probe("A6", "all sessions share one work queue: blocking one stalls the others") {
        let server = try RawServer.keepAlive("ok")
        ScriptedProtocol.script.change { $0 = { _ in Thread.sleep(forTimeInterval: 1.5) } }
        let blocked = URLSession(configuration: ScriptedProtocol.configuration)
        blocked.dataTask(with: mocked).resume()
        Thread.sleep(forTimeInterval: 0.2)
        let start = Date()
        let received = ProbeRequest.run(server.url())
        return .when(received) { _ in -start.timeIntervalSinceNow > 1 }
    },
    Probe("A16", "with a urlCache, a cancel near completion is a fatalError", isFatal: true, limit: 20) {
        ScriptedProtocol.script.change { $0 = { $0.answer("{}") } }
        let configuration = ScriptedProtocol.configuration
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: InlineQueue())
        let cancels = DispatchQueue(label: "cancels")
        return race(seconds: 8) { end in
            let task = session.dataTask(with: mocked) { _, _, _ in end() }
            task.resume()
            cancels.asyncAfter(deadline: .now() + .microseconds(Int.random(in: 0...300))) { task.cancel() }
        }
    },
    Probe("B", "no timeout applies to custom protocols") {
        let configuration = ScriptedProtocol.configuration
        configuration.timeoutIntervalForRequest = 1
        configuration.timeoutIntervalForResource = 1
        return .hanging(ScriptedProtocol.received(URLRequest(url: mocked), configuration) { _ in })
    },
    Probe("B", "a task of an invalidated session is a fatalError", isFatal: true) {
        let session = URLSession(configuration: ProbeRequest.configuration)
        session.invalidateAndCancel()
        Thread.sleep(forTimeInterval: 0.1)
        session.dataTask(with: mocked).resume()
        return .fixed("")
    },
]

/// Starts requests, at most 64 at a time, each of which calls `end`. Returns `present` if one does not.
func race(seconds: Double, _ start: (_ end: @escaping @Sendable () -> Void) -> Void) -> ProbeResult {
    let inFlight = DispatchSemaphore(value: 64)
    let end = Date(timeIntervalSinceNow: seconds)
    var requests = 0
    while Date() < end {
        guard inFlight.wait(timeout: .now() + 3) == .success else {
            return .present("a reply was lost after \(requests) requests")
        }
        start { inFlight.signal() }
        requests += 1
    }
    return .unknown("did not occur in \(requests) requests")
}
