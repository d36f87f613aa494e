// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import RESTClientHTTP

/// The queue of a session on which protocols call their clients (PLATFORM A8).
///
/// The events of many loads are delivered in one block.
final class WorkQueue: Sendable {
    private struct State {
        var loads: [Load] = []
        /// `true` until the loads were called.
        var isDelivering = false
    }

    /// The number of times that loads are called before others may use the queue.
    private static let maxRounds = 8

    private let queue: DispatchQueue
    private let state = LockedState(State())

    /// Returns `nil` if another toolchain stores the queue elsewhere.
    init?(_ session: URLSession) {
        guard let queue = session.workQueue else { return nil }
        self.queue = queue
    }

    /// Delivers the events of a load soon.
    ///
    /// `inline` delivers on the calling thread, which waits for the queue. For one load this saves a change of threads. While
    /// the queue is busy, no session could deliver an event anyway: all share it (PLATFORM A6).
    func deliver(_ load: Load, inline: Bool) {
        let isFirst = state.withLock { state in
            state.loads.append(load)
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        if inline { queue.sync { deliver() } } else { queue.async { self.deliver() } }
    }

    private func deliver() {
        for _ in 0..<Self.maxRounds {
            let loads = state.withLock { state in
                defer { state.loads = [] }
                if state.loads.isEmpty { state.isDelivering = false }
                return state.loads
            }
            if loads.isEmpty { return }
            for load in loads { load.deliver() }
        }
        queue.async { self.deliver() }
    }
}
#endif
