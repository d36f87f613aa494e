// Tests of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import RESTClientPlatform

/// Connections, cancellation and waiting.
@Suite(.hangLimit) struct EngineConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// An event that is sent by the thread of a server.
    private final class Signal: Sendable {
        private let stream: (AsyncStream<Void>, AsyncStream<Void>.Continuation) = AsyncStream.makeStream()
        func send() { stream.1.yield() }
        func wait() async { for await _ in stream.0 { return } }
    }

    @Test func `connections are reused, and limited in number`() async throws {
        let server = try RawServer.serving { connection in
            while !connection.readRequest().isEmpty { connection.send(Self.ok) }
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 2)
        for _ in 0..<3 { #expect(try await pool.exchange(server).text == "ok") }
        #expect(server.connections == 1)
        try await withThrowingTaskGroup { group in
            for _ in 0..<32 { group.addTask { try await pool.exchange(server).text } }
            for try await text in group { #expect(text == "ok") }
        }
        #expect(server.connections <= 2)
        // Another pool does not use them.
        _ = try await ConnectionPool(maxConnectionsPerHost: 2).exchange(server)
        #expect(server.connections <= 3)
    }

    @Test func `the connections of a pool are closed when it is released`() async throws {
        let closed = Signal()
        let server = try RawServer.serving { connection in
            while !connection.readRequest().isEmpty { connection.send(Self.ok) }
            closed.send()
        }
        _ = try await ConnectionPool(maxConnectionsPerHost: 1).exchange(server)
        await closed.wait()
    }

    @Test(
        arguments: ["HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", ok, "\r\n"], ["GET", "POST"])
    func `a connection on which bytes wait is not reused`(late: String, method: String) async throws {
        let (answered, sent) = (DispatchSemaphore(value: 0), Signal())
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send(Self.ok)
            answered.wait()
            connection.send(late)
            sent.send()
            while !connection.readRequest().isEmpty { connection.send(Self.ok) }
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        for number in 1...5 {
            let record = try await pool.exchange(server, method: method, isRepeatable: method == "GET")
            #expect(record.head?.status == 200, "\(record.failure?.text ?? "no failure")")
            #expect(server.connections == number)
            answered.signal()
            await sent.wait()
        }
    }

    @Test func `the socket of a connection is known although another address was tried first`() async throws {
        let (answered, sent) = (DispatchSemaphore(value: 0), Signal())
        let server = try RawServer.serving { connection in
            connection.readRequest()
            connection.send(Self.ok)
            answered.wait()
            connection.send(Self.ok)
            sent.send()
            while !connection.readRequest().isEmpty { connection.send(Self.ok) }
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        // Nothing listens at the first address.
        let options = ConnectionOptions(addresses: ["shop:\(server.port):127.0.0.2,127.0.0.1"])
        for number in 1...3 {
            let recorder = Recorder()
            _ = pool.start(TransferRequest(url: "http://shop:\(server.port)/", options: options), recorder)
            #expect(await recorder.wait().text == "ok")
            #expect(server.connections == number)
            answered.signal()
            await sent.wait()
        }
    }

    /// The server ends connections before it reads, after the head, after the body, inside the response, or after it.
    @Test(arguments: ["POST", "PATCH", "LOCK"], [nil, 0, 2_000, 300_000])
    func `a request that is not idempotent is received once`(method: String, size: Int?) async throws {
        let seen = LockedState<[String: Int]>([:])
        let server = try RawServer.serving { connection in
            while true {
                let ending = Int.random(in: 0..<16)
                if ending == 0 { return }
                guard let id = connection.read(until: "\r\n\r\n").firstMatch(of: /X-Id: (\d+)/)?.1 else {
                    return
                }
                seen.withLock { $0[String(id), default: 0] += 1 }
                switch ending {
                case 1: return
                case 2: return connection.reset()
                default: _ = connection.read(size ?? 0)
                }
                switch ending {
                case 3: return
                case 4: return connection.reset()
                case 5: return connection.send("HTTP/1.1 2")
                case 6: return connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
                default: connection.send(Self.ok)
                }
            }
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 4)
        let next = LockedState(0)
        let answered = LockedState(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    while case let id = next.withLock({
                        $0 += 1; return $0
                    }), id <= 30 {
                        let record = try await pool.exchange(
                            server, method: method, headers: [("X-Id", "\(id)")],
                            body: size.map { .data(Data(count: $0)) }, isRepeatable: false)
                        #expect(record.endCount == 1)
                        if record.failure == nil { answered.withLock { $0 += 1 } }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(seen.withLock { $0.filter { $0.value > 1 } } == [:])
        #expect(answered.withLock { $0 } > 0)
    }

    @Test func `a program does not inherit a connection`() async throws {
        let received = Signal()
        let server = try RawServer.serving { connection in
            connection.readRequest()
            received.send()
            connection.keepOpen()
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        let recorder = Recorder()
        let transfer = pool.start(TransferRequest(url: try server.url("/").absoluteString), recorder)
        await received.wait()
        var found = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let descriptor = Int32(name), Self.peerPort(descriptor) == server.port else { continue }
            found += 1
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(found == 1)
        transfer.cancel()
        await recorder.wait()
    }

    private static func peerPort(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    // MARK: Cancellation

    enum Moment: String, CaseIterable, Sendable {
        case atOnce, waiting, handshake, sending, beforeHead, inHead, inBody, paused
    }

    @Test(arguments: Moment.allCases)
    func `a cancelled transfer ends once, and its connection is closed`(moment: Moment) async throws {
        let (reached, closed) = (Signal(), Signal())
        let server = try RawServer.serving { connection in
            _ = connection.read(1)
            switch moment {
            case .atOnce, .waiting, .handshake, .beforeHead: break
            case .sending:
                connection.pause(0.05)
            case .inHead: connection.send("HTTP/1.1 200 OK\r\nX: 1")
            case .inBody: connection.send("HTTP/1.1 200 OK\r\n\r\ntea")
            case .paused:
                connection.send("HTTP/1.1 200 OK\r\n\r\n")
                connection.send(Data(count: 1 << 20))
            }
            if moment == .inHead { connection.pause(0.05) }
            reached.send()
            while !connection.read(1 << 16).isEmpty {}
            closed.send()
        }
        let pool = ConnectionPool(maxConnectionsPerHost: 1)
        let recorder = Recorder { _ in moment != .paused }
        var request = TransferRequest(url: try server.url("/").absoluteString)
        if moment == .handshake { request.url = "https" + request.url.dropFirst(4) }
        if moment == .sending { (request.method, request.body) = ("PUT", .data(Data(count: 64 << 20))) }
        let transfer = pool.start(request, recorder)
        if moment != .atOnce { await reached.wait() }
        if moment == .inBody { await recorder.wait { !$0.body.isEmpty } }
        if moment == .paused { await recorder.wait { $0.refusals > 0 } }
        let waiting = Recorder()
        if moment == .waiting {
            let second = pool.start(request, waiting)
            second.cancel()
            #expect(await waiting.wait().failure?.code == .cancelled)
            #expect(!waiting.record.hasBegun)
            #expect(!recorder.record.hasEnded)
        }
        transfer.cancel()
        transfer.cancel()
        let record = await recorder.wait()
        #expect(record.failure?.code == .cancelled)
        if moment != .atOnce { await closed.wait() }
        transfer.cancel()
        transfer.resume()
        // The pool is not blocked.
        let other = try RawServer { _ in [.send(Self.ok)] }
        #expect(try await pool.exchange(other).text == "ok")
        #expect(recorder.record.endCount == 1)
    }
}
#endif
