import Foundation

/// Socket events from an epoll descriptor, which a single Dispatch source watches while all sockets are idle.
///
/// With a Dispatch source for each socket, every event needs several calls of the kernel and a change of threads. Here
/// one `epoll_wait` returns the events of many sockets, and Dispatch is not needed until there are no more events.
final class EpollEvents: SocketEvents, @unchecked Sendable {
    // SAFETY: all that changes is used on the queue only.
    /// The number of events to handle before other work on the queue continues.
    private static let eventLimit = 256

    private let epoll: Epoll
    private let queue: DispatchQueue
    private let waitingJobs: WaitingJobs
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let openSource = DispatchGroup()
    /// The watched sockets, by numbers that are used once only. Descriptors are used again: by descriptor, an event of a
    /// closed socket could be reported for the next one.
    private var sockets: [UInt64: PolledSocket] = [:]
    private var lastNumber: UInt64 = 0

    init(_ epoll: Epoll, on queue: DispatchQueue, yieldingTo waitingJobs: WaitingJobs) throws {
        (self.epoll, self.queue, self.waitingJobs) = (epoll, queue, waitingJobs)
        let descriptor = try epoll.makeDescriptor()
        self.descriptor = descriptor
        // An epoll descriptor is readable while one of its sockets has an event.
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        openSource.enter()
        let poll: @Sendable () -> Void = { [weak self] in self?.poll() }
        let close: @Sendable () -> Void = { [openSource] in
            Socket.close(descriptor)
            openSource.leave()
        }
        source.setEventHandler(handler: poll)
        source.setCancelHandler(handler: close)
        source.activate()
    }

    deinit { source.cancel() }

    func watch(
        _ socket: Socket, _ handler: @escaping @Sendable (SocketEvent) -> Void
    ) throws -> any WatchedSocket {
        lastNumber += 1
        let polled = PolledSocket(socket, number: lastNumber, of: self, handler)
        try epoll.add(socket.descriptor, number: polled.number, to: descriptor)
        sockets[polled.number] = polled
        return polled
    }

    func close(_ completion: @escaping @Sendable () -> Void) {
        source.cancel()
        openSource.notify(queue: queue, execute: completion)
    }

    fileprivate func update(_ socket: PolledSocket) {
        epoll.change(
            socket.socket.descriptor, number: socket.number, isReading: socket.isReading,
            isWriting: socket.isWriting, in: descriptor)
    }

    fileprivate func remove(_ socket: PolledSocket) {
        sockets[socket.number] = nil
        epoll.remove(socket.socket.descriptor, from: descriptor)
    }

    /// Reports events until there are none, or other work waits.
    private func poll() {
        var handled = 0
        repeat {
            let count = epoll.events(of: descriptor) { number, event in
                sockets[number]?.report(event)
            }
            guard count > 0 else { return }
            handled += count
        } while handled < Self.eventLimit && waitingJobs.isEmpty
    }
}

private final class PolledSocket: WatchedSocket, @unchecked Sendable {
    // SAFETY: all that changes is used on the queue only.
    let socket: Socket
    let number: UInt64
    private weak var events: EpollEvents?
    /// The function that is called with events, or `nil` after the socket was closed.
    private var handler: (@Sendable (SocketEvent) -> Void)?

    var isReading = true { didSet { if isReading != oldValue { events?.update(self) } } }
    var isWriting = false { didSet { if isWriting != oldValue { events?.update(self) } } }

    init(
        _ socket: Socket, number: UInt64, of events: EpollEvents,
        _ handler: @escaping @Sendable (SocketEvent) -> Void
    ) {
        (self.socket, self.number, self.events, self.handler) = (socket, number, events, handler)
    }

    func report(_ event: Epoll.Event) {
        if isReading, event.isReadable { handler?(.readable) }
        // The first call may have closed the socket.
        if isWriting, event.isWritable { handler?(.writable) }
    }

    func close(_ completion: @escaping @Sendable () -> Void) {
        guard handler != nil else { return }
        handler = nil
        // Before it is closed: a child process may have a copy of the descriptor, which would keep it registered.
        events?.remove(self)
        events = nil
        socket.close()
        completion()
    }
}
