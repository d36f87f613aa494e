import Foundation
import Synchronization

/// The serial queue of a loopback server, which runs its actors and the events of its sockets.
///
/// It occupies a thread only while there is work.
final class EventLoop: SerialExecutor {
    let queue: DispatchQueue
    let events: any SocketEvents
    /// The memory into which the sockets receive, on the queue.
    let receiveBuffer = ReceiveBuffer()
    private let jobs: WaitingJobs

    /// - Parameter usesEpoll: `false` to use Dispatch sources also on platforms with epoll.
    /// - Throws: `POSIXError` if the process has no free descriptor.
    init(usesEpoll: Bool = true) throws {
        queue = DispatchQueue(label: "MockTransport.loopback")
        jobs = WaitingJobs()
        if usesEpoll, let epoll = Epoll.system {
            events = try EpollEvents(epoll, on: queue, yieldingTo: jobs)
        } else {
            events = DispatchEvents(on: queue)
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add()
        queue.async {
            self.jobs.remove()
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs `work` after a delay in real time.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: work)
    }
}

/// The number of jobs that actors have enqueued on an event loop and that have not started.
final class WaitingJobs: Sendable {
    private let count = Atomic(0)

    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func add() { count.add(1, ordering: .relaxed) }

    func remove() { count.subtract(1, ordering: .relaxed) }
}

/// Memory for received bytes, allocated once for each event loop.
final class ReceiveBuffer: @unchecked Sendable {
    // SAFETY: used on the queue of the event loop only, and not after the event loop is deallocated.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    deinit { bytes.deallocate() }
}
