import Dispatch

/// The one serial queue of a loopback server: its actors live there, and so do the events of its sockets.
///
/// A thread is used only while there is something to do.
final class Loop: SerialExecutor {
    let queue = DispatchQueue(label: "MockTransport.loopback")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs `work` after so much real time.
    func after(_ time: Duration, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + time / .seconds(1), execute: work)
    }
}
