import Dispatch
import Foundation
import RESTClientHTTP

/// The progress of a request in bytes. The counts start again at zero with each retry and redirect.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes of the request body that were sent.
    public var sent: Int64
    /// The length of the request body, if it is known.
    public var toSend: Int64?
    /// The number of decoded bytes of the response body that were received.
    public var received: Int64
    /// The `Content-Length` of the response, which is the length of the encoded body if the response is compressed.
    public var toReceive: Int64?
}

/// Calls a progress handler on a serial queue, not on a queue of URLSession.
///
/// Reports that arrive while the handler is busy are combined; the last report is always delivered.
final class ProgressReporter: Sendable {
    private struct State {
        var latest = TransferProgress(sent: 0, toSend: nil, received: 0, toReceive: nil)
        var isScheduled = false
    }

    private let handler: @Sendable (TransferProgress) -> Void
    private let queue = DispatchQueue(label: "RESTClient.progress")
    private let state = LockedState(State())

    init(_ handler: @escaping @Sendable (TransferProgress) -> Void) { self.handler = handler }

    func sent(_ bytes: Int64, of total: Int64?) { update { ($0.sent, $0.toSend) = (bytes, total) } }

    func received(_ bytes: Int64, of total: Int64?) {
        let total = total.flatMap { $0 > 0 ? $0 : nil }
        update { ($0.received, $0.toReceive) = (bytes, total) }
    }

    /// Waits until the last report has been delivered.
    func drain() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func update(_ change: (inout TransferProgress) -> Void) {
        let schedules = state.withLock { state in
            change(&state.latest)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        queue.async { [self] in
            let latest = state.withLock { state in
                state.isScheduled = false
                return state.latest
            }
            handler(latest)
        }
    }
}
