#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import HTTPCore

/// Gives the rest of a session its turn while a transfer goes on without a pause.
///
/// As long as more bytes wait in the socket than libcurl takes at once, the queue on which URLSession reads has its next
/// work before it is done with this, and a serial queue that is never empty never lets those beside it run. There
/// `cancel()` waits then, and so does the end of the timer that URLSession makes anew for each 16 KB: some 340 bytes each,
/// 60 MB in a body of 3 GB (PLATFORM A20). So after every few chunks the reading queue is suspended, and resumed by the
/// queue that both are run by, which comes to it behind whatever else was waiting.
///
/// The two queues are private to URLSession. Where a toolchain does not have them, nothing is done.
final class QueueYield: Sendable {
    /// The queue that reads, and the one that runs it and all others of the session.
    struct Queues: Sendable {
        let reading: DispatchQueue
        let work: DispatchQueue

        init(reading: DispatchQueue, work: DispatchQueue) {
            self.reading = reading
            self.work = work
        }

        /// `nil` when the session has no such queues.
        init?(of session: URLSession) {
            let mirror = Mirror(reflecting: session)
            guard let reading = mirror.descendant("multiHandle", "queue") as? DispatchQueue,
                let work = mirror.descendant("workQueue") as? DispatchQueue
            else { return nil }
            self.init(reading: reading, work: work)
        }

        /// Lets all that waits on `work` come before what comes next on `reading`.
        func yield() {
            reading.suspend()
            work.async { reading.resume() }
        }
    }

    private struct State {
        var chunks = 0
        var queues: Queues?
        /// Whether the first body was long enough to ask for them.
        var isKnown = false
    }

    /// As many as libcurl reads at once: 1.6 MB.
    static let chunksBetween = 100

    private let state = Lock(State())

    /// A chunk has come; must be called where it was handed over.
    func received(in session: URLSession) {
        let queues: Queues? = state.withLock { state in
            state.chunks += 1
            guard state.chunks.isMultiple(of: Self.chunksBetween) else { return nil }
            if !state.isKnown {
                state.queues = Queues(of: session)
                state.isKnown = true
            }
            return state.queues
        }
        queues?.yield()
    }
}
#endif
