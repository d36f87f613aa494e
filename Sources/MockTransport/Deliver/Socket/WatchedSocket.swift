import Foundation

/// A socket whose events are reported until it is closed. Used on the queue of its event loop only.
final class WatchedSocket: @unchecked Sendable {
    // SAFETY: all that changes is used on the queue only.
    private let socket: Socket
    private let queue: DispatchQueue
    private let reader: any DispatchSourceRead
    private let writer: any DispatchSourceWrite
    private let sources = DispatchGroup()
    private var isClosed = false

    var isReading = true { didSet { if isReading != oldValue { set(reader, isReading) } } }
    var isWriting = false { didSet { if isWriting != oldValue { set(writer, isWriting) } } }

    private func set(_ source: any DispatchSourceProtocol, _ isOn: Bool) {
        guard !isClosed else { return }
        // The first call starts the writer.
        if isOn { source.resume() } else { source.suspend() }
    }

    /// Starts to report when a socket is readable: there are bytes, a connection, the end of one or an error; otherwise there
    /// is space for bytes to send, or an error. The handler is retained until the socket is closed.
    init(
        _ socket: Socket, on queue: DispatchQueue, _ handler: @escaping @Sendable (_ isReadable: Bool) -> Void
    ) {
        (self.socket, self.queue) = (socket, queue)
        reader = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        writer = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
        let (sources, readable, writable) = (sources, { handler(true) }, { handler(false) })
        let leave: @Sendable () -> Void = { sources.leave() }
        sources.enter()
        sources.enter()
        reader.setEventHandler(handler: readable)
        reader.setCancelHandler(handler: leave)
        writer.setEventHandler(handler: writable)
        writer.setCancelHandler(handler: leave)
        reader.activate()
    }

    /// Closes the socket, and calls `completion` afterwards. No event is reported after the call.
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
