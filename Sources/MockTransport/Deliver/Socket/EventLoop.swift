import Foundation

/// The serial queue of a loopback server, which runs its actors and the events of its sockets.
///
/// It occupies a thread only while there is work.
final class EventLoop: SerialExecutor {
    let queue = DispatchQueue(label: "MockTransport.loopback")
    /// The memory into which the sockets receive, on the queue.
    let receiveBuffer = ReceiveBuffer()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Reports the events of a socket to `handler`, on the queue.
    func watch(
        _ socket: Socket, _ handler: @escaping @Sendable (SocketEvent) -> Void
    ) -> WatchedSocket {
        WatchedSocket(socket, on: queue, handler)
    }

    /// Runs `work` after a delay in real time.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: work)
    }
}

/// Memory for received bytes, allocated once for each event loop.
final class ReceiveBuffer: @unchecked Sendable {
    // SAFETY: used on the queue of the event loop only, and not after the event loop is deallocated.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    deinit { bytes.deallocate() }
}
