import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import MockTransport

/// The events of watched sockets.
@Suite struct WatchedSocketTests {
    @Test(.hangLimit)
    func `a socket is readable when bytes arrive, unless reading is paused`() async throws {
        let loop = EventLoop()
        let pair = try SocketPair()
        let (events, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
        var received = events.makeAsyncIterator()
        let watched = loop.queue.sync { () -> WatchedSocket in
            let watched = loop.watch(pair.socket) { event in
                pair.drain()
                continuation.yield(event)
            }
            watched.isReading = false
            return watched
        }
        pair.client.send("tea")
        loop.queue.sync { watched.isWriting = true }
        #expect(await received.next() == .writable)
        loop.queue.sync { (watched.isWriting, watched.isReading) = (false, true) }
        pair.client.send("tea")
        while let event = await received.next(), event == .writable {}
        // Closing a socket with unread bytes resets the connection.
        loop.queue.sync { pair.drain() }
        await loop.close(watched)
        let (text, end) = await pair.client.receive()
        #expect(text.isEmpty)
        #expect(end == .closed)
    }

    @Test(.hangLimit)
    func `a socket can be closed by its handler, and reports nothing afterwards`() async throws {
        let loop = EventLoop()
        let pair = try SocketPair()
        let (closed, continuation) = AsyncStream.makeStream(of: Int.self)
        let count = LockedState(0)
        pair.client.send("tea")
        loop.queue.sync {
            let held = LockedState<WatchedSocket?>(nil)
            let watched = loop.watch(pair.socket) { _ in
                count.withLock { $0 += 1 }
                held.withLock { $0 }?.close { continuation.yield(count.withLock { $0 }) }
                held.withLock { $0 = nil }
            }
            watched.isWriting = true
            held.withLock { $0 = watched }
        }
        for await events in closed {
            #expect(events == 1)
            break
        }
        // Reading the end of the connection takes longer than another event.
        _ = await pair.client.receive()
        loop.queue.sync {}
        #expect(count.withLock { $0 } == 1)
        await loop.close(nil)
    }

    @Test(.hangLimit)
    func `a job runs before the next event of a socket that is always readable`() async throws {
        let loop = EventLoop()
        let pair = try SocketPair()
        let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
        let counter = EventCounter(on: loop, whenJobRuns: continuation)
        pair.client.send("tea")
        let watched = loop.queue.sync {
            loop.watch(pair.socket) { _ in counter.assumeIsolated { $0.add() } }
        }
        for await events in counts {
            #expect(events == 1)
            break
        }
        await loop.close(watched)
    }

    @Test(.hangLimit)
    func `a timer fires while a socket is always readable`() async throws {
        let loop = EventLoop()
        let pair = try SocketPair()
        let (fired, continuation) = AsyncStream.makeStream(of: Void.self)
        pair.client.send("tea")
        let watched = loop.queue.sync {
            loop.schedule(after: .milliseconds(1)) { continuation.finish() }
            return loop.watch(pair.socket) { _ in }
        }
        for await _ in fired {}
        await loop.close(watched)
    }
}

extension EventLoop {
    /// Closes a socket.
    fileprivate func close(_ socket: WatchedSocket?) async {
        await withCheckedContinuation { closed in
            queue.async {
                if let socket { socket.close { closed.resume() } } else { closed.resume() }
            }
        }
    }
}

/// Counts events, and reports their number when a job that was enqueued at the first one runs.
private actor EventCounter {
    private let loop: EventLoop
    private let reports: AsyncStream<Int>.Continuation
    private var count = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: EventLoop, whenJobRuns reports: AsyncStream<Int>.Continuation) {
        (self.loop, self.reports) = (loop, reports)
    }

    func add() {
        count += 1
        if count == 1 { Task { reports.yield(count) } }
    }
}

/// A client and the socket at the other end of its connection.
private struct SocketPair: Sendable {
    let client: TestSocket
    let socket: Socket

    init() throws {
        let listener = try Socket.listening(port: 0)
        defer { listener.close() }
        client = try TestSocket(port: listener.port)
        guard case .connection(let socket) = listener.accepted() else { throw POSIXError(.ENOTCONN) }
        self.socket = socket
    }

    /// Receives all bytes that have arrived.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { buffer in
            while case .bytes(let count) = socket.receive(into: buffer), count > 0 {}
        }
    }
}
