import Foundation

/// An event of a socket.
enum SocketEvent: Sendable {
    /// There is something to receive: bytes, a connection, the end of a connection or an error.
    case readable
    /// There is space for bytes to send, or an error.
    case writable
}

/// The events of the sockets of an event loop. All calls are made on its queue, as are those of the handlers.
protocol SocketEvents: AnyObject, Sendable {
    /// Starts to report when a socket is readable.
    ///
    /// - Parameter handler: A function that is retained until the socket is closed.
    /// - Throws: `POSIXError` if the system has no memory for another socket.
    func watch(
        _ socket: Socket, _ handler: @escaping @Sendable (SocketEvent) -> Void
    ) throws -> any WatchedSocket

    /// Releases the descriptors that are needed for the events, and calls `completion` afterwards. No socket must be
    /// watched any more.
    func close(_ completion: @escaping @Sendable () -> Void)
}

/// A socket whose events are reported until it is closed. Used on the queue of its event loop only.
protocol WatchedSocket: AnyObject, Sendable {
    /// A Boolean value that indicates whether `.readable` is reported. Initially `true`.
    var isReading: Bool { get set }
    /// A Boolean value that indicates whether `.writable` is reported. Initially `false`.
    var isWriting: Bool { get set }

    /// Closes the socket, and calls `completion` afterwards. No event is reported after the call.
    func close(_ completion: @escaping @Sendable () -> Void)
}

/// Socket events from Dispatch sources, for platforms without epoll.
final class DispatchEvents: SocketEvents {
    private let queue: DispatchQueue

    init(on queue: DispatchQueue) { self.queue = queue }

    func watch(
        _ socket: Socket, _ handler: @escaping @Sendable (SocketEvent) -> Void
    ) -> any WatchedSocket {
        DispatchedSocket(socket, on: queue, handler)
    }

    func close(_ completion: @escaping @Sendable () -> Void) { completion() }
}

private final class DispatchedSocket: WatchedSocket, @unchecked Sendable {
    // SAFETY: all that changes is used on the queue only.
    private let socket: Socket
    private let queue: DispatchQueue
    private let reader: any DispatchSourceRead
    private let writer: any DispatchSourceWrite
    private let sources = DispatchGroup()
    private var isClosed = false

    var isReading = true {
        didSet {
            guard isReading != oldValue, !isClosed else { return }
            if isReading { reader.resume() } else { reader.suspend() }
        }
    }

    var isWriting = false {
        didSet {
            guard isWriting != oldValue, !isClosed else { return }
            // The first call starts the source.
            if isWriting { writer.resume() } else { writer.suspend() }
        }
    }

    init(_ socket: Socket, on queue: DispatchQueue, _ handler: @escaping @Sendable (SocketEvent) -> Void) {
        (self.socket, self.queue) = (socket, queue)
        reader = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        writer = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
        let (sources, readable, writable) = (sources, { handler(.readable) }, { handler(.writable) })
        let leave: @Sendable () -> Void = { sources.leave() }
        sources.enter()
        sources.enter()
        reader.setEventHandler(handler: readable)
        reader.setCancelHandler(handler: leave)
        writer.setEventHandler(handler: writable)
        writer.setCancelHandler(handler: leave)
        reader.activate()
    }

    func close(_ completion: @escaping @Sendable () -> Void) {
        guard !isClosed else { return }
        isClosed = true
        reader.cancel()
        writer.cancel()
        // A suspended source does not handle its cancellation.
        if !isReading { reader.resume() }
        if !isWriting { writer.resume() }
        // The descriptor must stay open until both sources are cancelled.
        sources.notify(queue: queue) { [socket] in
            socket.close()
            completion()
        }
    }
}
