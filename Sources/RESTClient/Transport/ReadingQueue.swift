import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The queue on which a session of the platform reads from its sockets, and the one that runs it.
///
/// Both are private to URLSession on Linux, and found by reflection. Where a toolchain or a platform does not have them, there is
/// none, and whoever asked does without.
struct ReadingQueue: Sendable {
    private let reading: DispatchQueue
    /// Runs `reading` and all other queues of the session, one after the other, and is itself run by the queue that all
    /// sessions share (PLATFORM A6).
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

    /// Where a yield ends: only when nothing is left on `work` do the other sessions of the process have their turn.
    private static let elsewhere = DispatchQueue(label: "RESTClient.yield")

    /// Lets all that waits, in this session and in others, come before what is read next.
    func yield() {
        reading.suspend()
        work.async { Self.elsewhere.async { reading.resume() } }
    }

    /// Reads nothing until it is woken, once for each rest.
    func rest() { reading.suspend() }

    func wake() { reading.resume() }

    /// Does `work` behind all that is to be read by now.
    func afterReading(_ work: @escaping @Sendable () -> Void) { reading.async(execute: work) }
}
