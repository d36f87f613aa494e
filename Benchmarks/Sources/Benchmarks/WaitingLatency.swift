import Foundation
import FoundationNetworking
import MockTransport
import RESTClient

/// Compares the latencies of requests that wait for a response, while the process or the session does something else.
struct WaitingLatency {
    /// Something that can delay a response.
    enum Situation: String, CaseIterable {
        case idle, oneBusyCore, twoBusyCores, inFlight, longPoll, plainSession, slowHandshake, dribbled

        var title: String {
            switch self {
            case .idle: "nothing else"
            case .oneBusyCore: "the application uses one core"
            case .twoBusyCores: "the application uses two cores"
            case .inFlight: "32 concurrent requests"
            case .longPoll: "a long poll in the same session"
            case .plainSession: "a waiting request in another plain URLSession"
            case .slowHandshake: "a TLS handshake of 50 ms, which fails"
            case .dribbled: "a body in ten parts over 50 ms"
            }
        }

        var busyThreads: Int {
            switch self {
            case .oneBusyCore: 1
            case .twoBusyCores: 2
            default: 0
            }
        }

        var width: Int { self == .inFlight ? 32 : 1 }
    }

    /// Sends a request and receives the whole response.
    private typealias Send = @Sendable (URL) async throws -> Void

    private struct Candidate {
        let name: String
        let send: Send
        var times: [Double] = []
    }

    var rounds = 10
    var situations = Situation.allCases
    /// The number of requests of each candidate in a round.
    var requests = 40

    func run() async throws {
        let server = MockServer {
            Route("/dribbled") {
                Reply.text("0123456789").dribble(chunks: 10, over: .milliseconds(50))
                    .header("Connection", "close")
            }.optional()
            Route("/poll") { Reply.text("ok").delay(.seconds(60)) }.optional()
            // The polling that is throttled happens on new connections only.
            Route(.any) { Reply.text("ok").delay(.milliseconds(50)).header("Connection", "close") }.optional()
        }
        let loopback = try await server.listen()
        let handshakes = try HandshakeServer(delay: 0.05)
        print("latency of responses after 50 ms on new connections, URLSession → SessionManager")
        for situation in situations {
            let path = situation == .dribbled ? "dribbled" : "ok"
            let url =
                situation == .slowHandshake ? handshakes.url : loopback.url.appending(path: path)
            try await measure(situation, url, poll: loopback.url.appending(path: "poll"))
        }
        await loopback.close()
    }

    private func measure(_ situation: Situation, _ url: URL, poll: URL) async throws {
        let session = URLSession(configuration: .ephemeral)
        let manager = SessionManager()
        let other = URLSession(configuration: .ephemeral)
        var candidates = [
            Candidate(name: "URLSession") { url in _ = try await session.data(from: url) },
            Candidate(name: "SessionManager") { url in _ = try await manager.request(url).data() },
        ]
        let application = BusyThreads(count: situation.busyThreads)
        for round in 0..<rounds {
            for offset in candidates.indices {
                let index = (round + offset) % candidates.count
                let send = candidates[index].send
                let background = Task {
                    switch situation {
                    case .longPoll: try await send(poll)
                    case .plainSession: _ = try await other.data(from: poll)
                    default: break
                    }
                }
                candidates[index].times += try await latencies(url, situation, send)
                background.cancel()
            }
        }
        application.stop()
        report(situation, candidates)
        session.invalidateAndCancel()
        other.invalidateAndCancel()
        await manager.shutdown()
    }

    private func latencies(
        _ url: URL, _ situation: Situation, _ send: @escaping Send
    ) async throws -> [Double] {
        let fails = situation == .slowHandshake
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<situation.width {
                group.addTask { [requests = requests / min(situation.width, 4)] in
                    var times: [Double] = []
                    for _ in 0..<requests {
                        let start = ContinuousClock.now
                        do { try await send(url) } catch { if !fails { throw error } }
                        times.append((ContinuousClock.now - start) / .milliseconds(1))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func report(_ situation: Situation, _ candidates: [Candidate]) {
        let sorted = candidates.map { $0.times.sorted() }
        let column = { (part: Double) -> String in
            let values = sorted.map { $0[min($0.count - 1, Int(Double($0.count) * part))] }
            return String(
                format: "%7.1f → %6.1f ms (× %.2f)", values[0], values[1], values[1] / values[0])
        }
        print(
            "  \(situation.title.padding(toLength: 46, withPad: " ", startingAt: 0))"
                + "p50\(column(0.5))   p99\(column(0.99))")
    }
}

/// Threads that use a processor each.
private final class BusyThreads: Sendable {
    private let isStopped = Flag()

    init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [isStopped] in
                while !isStopped.isSet { for _ in 0..<10_000 { _ = drand48() } }
            }
        }
    }

    func stop() { isStopped.set() }
}

private final class Flag: @unchecked Sendable {
    // SAFETY: `value` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// A server for https that waits after the first message of a TLS handshake, and ends the handshake with an alert.
private final class HandshakeServer: Sendable {
    let url: URL
    private let listener: Int32

    init(delay: Double) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound,
            let url = URL(string: "https://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")
        else { throw Failure("cannot listen for TLS connections") }
        self.url = url
        self.listener = listener
        Thread.detachNewThread {
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                Thread.detachNewThread {
                    var bytes = [UInt8](repeating: 0, count: 4_096)
                    _ = recv(descriptor, &bytes, bytes.count, 0)
                    Thread.sleep(forTimeInterval: delay)
                    // A fatal alert of TLS 1.2: handshake_failure.
                    let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
                    _ = send(descriptor, alert, alert.count, Int32(MSG_NOSIGNAL))
                    close(descriptor)
                }
            }
        }
    }

    deinit { close(listener) }
}
