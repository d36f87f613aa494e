import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import MockTransport

/// The events of watched sockets, with epoll and with Dispatch sources.
@Suite struct SocketEventsTests {
    @Test(.hangLimit, arguments: EventLoop.kinds)
    func `a socket is readable when bytes arrive, unless reading is paused`(usesEpoll: Bool) async throws {
        let loop = try EventLoop(usesEpoll: usesEpoll)
        let pair = try SocketPair()
        let (events, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
        var received = events.makeAsyncIterator()
        let watched = try loop.queue.sync { () throws -> any WatchedSocket in
            let watched = try loop.events.watch(pair.socket) { event in
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

    @Test(.hangLimit, arguments: EventLoop.kinds)
    func `a socket can be closed by its handler, and reports nothing afterwards`(usesEpoll: Bool) async throws
    {
        let loop = try EventLoop(usesEpoll: usesEpoll)
        let pair = try SocketPair()
        let (closed, continuation) = AsyncStream.makeStream(of: Int.self)
        let count = LockedState(0)
        pair.client.send("tea")
        try loop.queue.sync {
            let held = LockedState<(any WatchedSocket)?>(nil)
            let watched = try loop.events.watch(pair.socket) { _ in
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

    @Test(.hangLimit, arguments: EventLoop.kinds)
    func `a job runs before the next event of a socket that is always readable`(usesEpoll: Bool) async throws
    {
        let loop = try EventLoop(usesEpoll: usesEpoll)
        let pair = try SocketPair()
        let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
        let counter = EventCounter(on: loop, whenJobRuns: continuation)
        pair.client.send("tea")
        let watched = try loop.queue.sync {
            try loop.events.watch(pair.socket) { _ in counter.assumeIsolated { $0.add() } }
        }
        for await events in counts {
            #expect(events == 1)
            break
        }
        await loop.close(watched)
    }

    @Test(.hangLimit, arguments: EventLoop.kinds)
    func `a timer fires while a socket is always readable`(usesEpoll: Bool) async throws {
        let loop = try EventLoop(usesEpoll: usesEpoll)
        let pair = try SocketPair()
        let (fired, continuation) = AsyncStream.makeStream(of: Void.self)
        pair.client.send("tea")
        let watched = try loop.queue.sync {
            loop.schedule(after: .milliseconds(1)) { continuation.finish() }
            return try loop.events.watch(pair.socket) { _ in }
        }
        for await _ in fired {}
        await loop.close(watched)
    }

    @Test(.enabled(if: Epoll.system != nil))
    func `a connection that ends while no event is wanted is reported at most once`() throws {
        let epoll = try #require(Epoll.system)
        let descriptor = try epoll.makeDescriptor()
        defer { Socket.close(descriptor) }
        let socket = try {
            let pair = try SocketPair()
            pair.socket.closeSending()
            return pair.socket
        }()
        defer { socket.close() }
        try epoll.add(socket.descriptor, number: 1 << 40, to: descriptor)
        var numbers: [UInt64] = []
        while numbers.isEmpty { _ = epoll.events(of: descriptor) { number, _ in numbers.append(number) } }
        #expect(numbers == [1 << 40])
        epoll.change(socket.descriptor, number: 2, isReading: false, isWriting: false, in: descriptor)
        let counts = (0..<4).map { _ in epoll.events(of: descriptor) { _, _ in } }
        #expect(counts.dropFirst() == [0, 0, 0])
        // Removed, it has no events. Only then can it be added again.
        epoll.remove(socket.descriptor, from: descriptor)
        try epoll.add(socket.descriptor, number: 3, to: descriptor)
        #expect(throws: POSIXError.self) { try epoll.add(socket.descriptor, number: 4, to: descriptor) }
    }

    // Exit tests exist on macOS and Linux only. There is no other arm.
    #if os(macOS) || os(Linux)
    @Test(.enabled(if: Epoll.system != nil))
    func `an event of a closed socket is not reported for a new socket with its descriptor`() async {
        // In a process in which no other test opens descriptors.
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let (pairs, other) = ([try SocketPair(), try SocketPair()], try SocketPair())
            let watched = LockedState<[any WatchedSocket]>([])
            let reused = LockedState<[String]>([])
            for pair in pairs { pair.client.send("tea") }
            try loop.queue.sync {
                for index in 0..<2 {
                    let socket = try loop.events.watch(pairs[index].socket) { _ in
                        // Both sockets are readable. The first one closes the second one.
                        guard reused.withLock({ $0.isEmpty }) else { fatalError("a late event") }
                        pairs[index].drain()
                        let closed = pairs[1 - index].socket.descriptor
                        watched.withLock { $0[1 - index] }.close {}
                        guard dup2(other.socket.descriptor, closed) == closed else { fatalError("dup2") }
                        reused.withLock { $0.append("watched") }
                        _ = try? loop.events.watch(Socket(closed)) { _ in
                            var byte: UInt8 = 0
                            let count = recv(closed, &byte, 1, 0)
                            reused.withLock { $0.append("received \(count)") }
                        }
                    }
                    watched.withLock { $0.append(socket) }
                }
            }
            while reused.withLock({ $0.isEmpty }) { await Task.yield() }
            loop.queue.sync {}
            other.client.send("x")
            while reused.withLock({ $0.count }) < 2 { await Task.yield() }
            guard reused.withLock({ $0 }) == ["watched", "received 1"] else {
                fatalError("\(reused.withLock { $0 })")
            }
        }
    }
    #endif
}

extension EventLoop {
    /// The values of `usesEpoll` on this platform.
    static let kinds = Epoll.system == nil ? [false] : [true, false]

    /// Closes a socket and the event loop.
    fileprivate func close(_ socket: (any WatchedSocket)?) async {
        await withCheckedContinuation { closed in
            queue.async {
                let close = { @Sendable in self.events.close { closed.resume() } }
                if let socket { socket.close(close) } else { close() }
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
