import Foundation

/// The serial queue of a loopback server, which runs its actors and the events of its sockets.
///
/// It occupies a thread only while there is work.
final class EventLoop: SerialExecutor {
    let queue = DispatchQueue(label: "MockTransport.loopback")
    // SAFETY: used on the queue only, and not after the event loop is deallocated.
    /// The memory into which the sockets receive.
    nonisolated(unsafe) let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 64 << 10, alignment: 16)

    deinit { receiveBuffer.deallocate() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs `work` after a delay in real time.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: work)
    }
}
