import RESTClientHTTP

/// The progress of a request in bytes.
///
/// The counts start again at zero with each retry and redirect. In a download, the received bytes are those of the file,
/// which also include the bytes of earlier attempts.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes of the request body that were sent.
    public var sent: Int64
    /// The length of the request body, if it is known.
    public var toSend: Int64?
    /// The number of decoded bytes of the response body that were received.
    public var received: Int64
    /// The `Content-Length` of the response, which is the length of the encoded body if the response is compressed. In a
    /// download, the length of the whole file, if it is known.
    public var toReceive: Int64?

    /// Creates a progress, for example in a preview or a test.
    public init(sent: Int64 = 0, toSend: Int64? = nil, received: Int64 = 0, toReceive: Int64? = nil) {
        (self.sent, self.toSend, self.received, self.toReceive) = (sent, toSend, received, toReceive)
    }

    /// The part of both bodies that was transferred, from 0 to 1, as far as their lengths are known; 0 if none is known.
    ///
    /// It falls when the length of the response becomes known. For a request with a small body and a large response, use
    /// ``fractionReceived``.
    public var fractionCompleted: Double {
        guard toSend != nil || toReceive != nil else { return 0 }
        let sent = toSend == nil ? 0 : Double(self.sent)
        let received = toReceive.map { Double(min(self.received, $0)) } ?? 0
        return Self.fraction(sent + received, of: Double(toSend ?? 0) + Double(toReceive ?? 0))
    }

    /// The part of the request body that was sent, from 0 to 1; `nil` if its length is unknown.
    public var fractionSent: Double? { toSend.map { Self.fraction(Double(sent), of: Double($0)) } }

    /// The part of the response body that was received, from 0 to 1; `nil` if its length is unknown.
    public var fractionReceived: Double? {
        toReceive.map { Self.fraction(Double(received), of: Double($0)) }
    }

    private static func fraction(_ count: Double, of total: Double) -> Double {
        total > 0 ? min(count / total, 1) : 1
    }
}

/// A receiver of progress reports: a handler, or the continuation of a sequence.
struct ProgressObserver: Sendable {
    let report: @isolated(any) @Sendable (TransferProgress) async -> Void
    /// A closure that is called after the last report of a request.
    var end: @Sendable () -> Void = {}
}

/// The source of a progress sequence. The sequence ends with the first request, or when no request can report any more.
final class ProgressSource: Sendable {
    private let continuation: AsyncStream<TransferProgress>.Continuation

    init(_ continuation: AsyncStream<TransferProgress>.Continuation) { self.continuation = continuation }

    deinit { end() }

    func report(_ progress: TransferProgress) { continuation.yield(progress) }

    func end() { continuation.finish() }
}

/// Calls progress observers in a Swift task, one report at a time, not on a queue of URLSession.
///
/// Reports that arrive while an observer is busy are combined; the last report is always delivered.
final class ProgressReporter: Sendable {
    private struct State {
        var latest = TransferProgress()
        var isScheduled = false
        /// The delivery of the last report, which follows the earlier ones.
        var delivery: Task<Void, Never>?
    }

    private let observers: [ProgressObserver]
    /// `true` if the writer of a download reports the received bytes, instead of the transport.
    private let reportsFile: Bool
    private let state = LockedState(State())

    /// Creates a reporter, or returns `nil` if there are no observers.
    init?(_ observers: [ProgressObserver], reportsFile: Bool = false) {
        guard !observers.isEmpty else { return nil }
        (self.observers, self.reportsFile) = (observers, reportsFile)
    }

    /// Starts the counts again at zero, without a report.
    func begin() {
        state.withLock { state in
            state.latest =
                reportsFile
                ? TransferProgress(received: state.latest.received, toReceive: state.latest.toReceive)
                : TransferProgress()
        }
    }

    func sent(_ bytes: Int64, of total: Int64?) { update { ($0.sent, $0.toSend) = (bytes, total) } }

    func received(_ bytes: Int64, of total: Int64?) {
        guard !reportsFile else { return }
        let total = total.flatMap { $0 > 0 ? $0 : nil }
        update { ($0.received, $0.toReceive) = (bytes, total) }
    }

    /// Reports the number of bytes in the file of a download.
    func written(_ bytes: Int64, of total: Int64?) { update { ($0.received, $0.toReceive) = (bytes, total) } }

    /// Waits until the last report has been delivered.
    func drain() async { await state.withLock { $0.delivery }?.value }

    /// Ends the sequences of the observers.
    func end() { for observer in observers { observer.end() } }

    private func update(_ change: (inout TransferProgress) -> Void) {
        state.withLock { state in
            change(&state.latest)
            guard !state.isScheduled else { return }
            state.isScheduled = true
            state.delivery = Task { [self, earlier = state.delivery] in
                await earlier?.value
                let latest = self.state.withLock { state in
                    state.isScheduled = false
                    return state.latest
                }
                for observer in observers { await observer.report(latest) }
            }
        }
    }
}
