#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking

/// The queue on which a session of the platform reads from its sockets, and the one that runs it.
///
/// Both are private to URLSession, and found by reflection. Where a toolchain does not have them, there is none, and
/// whoever asked does without.
struct ReadingQueue: Sendable {
    private let reading: DispatchQueue
    /// Runs `reading` and all other queues of the session, one after the other.
    private let work: DispatchQueue

    init(_ reading: DispatchQueue, runBy work: DispatchQueue) {
        self.reading = reading
        self.work = work
    }

    init?(of session: URLSession) {
        let mirror = Mirror(reflecting: session)
        guard let reading = mirror.descendant("multiHandle", "queue") as? DispatchQueue,
            let work = mirror.descendant("workQueue") as? DispatchQueue
        else { return nil }
        self.init(reading, runBy: work)
    }

    /// Lets all that waits in the session come before what is read next.
    func yield() {
        reading.suspend()
        work.async { reading.resume() }
    }

    /// Reads nothing until it is woken, once for each rest.
    func rest() { reading.suspend() }

    /// Ends a rest; `afterwards` comes behind all that is to be read by then.
    func wake(_ afterwards: @escaping @Sendable () -> Void) {
        reading.resume()
        reading.async(execute: afterwards)
    }
}
#endif
