import Dispatch
import Foundation
import RESTClientHTTP

/// How far a transfer got, in bytes of bodies; a retry or a redirect begins again.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes of the request's body that have gone out.
    public var sent: Int64
    /// Bytes of the request's body altogether, where known.
    public var toSend: Int64?
    /// Decoded bytes of the response's body that have come.
    public var received: Int64
    /// Bytes of the response's body altogether, where the server says; of a compressed body it says something else.
    public var toReceive: Int64?
}

/// Hands progress to somebody outside URLSession's queues, one report after the other; who is slow misses some in between,
/// never the last.
final class ProgressReporter: Sendable {
    private struct State {
        var latest = TransferProgress(sent: 0, toSend: nil, received: 0, toReceive: nil)
        var isScheduled = false
    }

    private let report: @Sendable (TransferProgress) -> Void
    private let queue = DispatchQueue(label: "RESTClient.progress")
    private let state = LockedState(State())

    init(_ report: @escaping @Sendable (TransferProgress) -> Void) { self.report = report }

    func sent(_ bytes: Int64, of total: Int64) {
        update { progress in
            progress.sent = bytes
            progress.toSend = total > 0 ? total : nil
        }
    }

    func received(_ bytes: Int64, of total: Int64?) {
        update { progress in
            progress.received = bytes
            progress.toReceive = total.flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// Returns when the last report has been handed over.
    func drain() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    private func update(_ change: (inout TransferProgress) -> Void) {
        let mustSchedule = state.withLock { state in
            change(&state.latest)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard mustSchedule else { return }
        queue.async { [self] in
            let latest = state.withLock { state in
                state.isScheduled = false
                return state.latest
            }
            report(latest)
        }
    }
}
