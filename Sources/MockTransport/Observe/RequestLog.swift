import Foundation

final class RequestLog: Sendable {
    private struct State {
        var exchanges: [RecordedExchange] = []
        /// The number of requests received, including those that were removed.
        var count = 0
    }

    private let state = WaitableState(State())
    let completions = Completions()
    let masking: HAR.Masking

    /// The maximum number of body bytes that the recorded exchanges of a server hold.
    static let maxBodySize = 64 << 20
    private let budget = LockedState(maxBodySize)

    init(_ masking: HAR.Masking) { self.masking = masking }

    var requests: [ReceivedRequest] { exchanges.map(\.request) }
    var exchanges: [RecordedExchange] { state.withLock { $0.exchanges } }

    /// Adds a request and returns its exchange. Older requests than the last `limit` are removed.
    func append(_ request: ReceivedRequest, keeping limit: Int = .max) -> RecordedExchange {
        let exchange = RecordedExchange(request, budget: budget, completions: completions)
        state.withLock { state in
            state.exchanges.append(exchange)
            state.count += 1
            // Removing the oldest exchange moves all others, so exchanges are removed in large batches.
            if state.exchanges.count / 2 >= max(limit, 1) {
                state.exchanges.removeFirst(state.exchanges.count - limit)
            }
        }
        return exchange
    }

    func reset() { state.withLock { $0 = State() } }

    /// Returns `true` if `count` requests arrived within `limit` of real time.
    func wait(for count: Int, within limit: Duration) async -> Bool {
        await state.wait(within: limit) { $0.count >= count }
    }

    var text: String {
        exchanges.map { exchange in
            var (masker, summary) = (MessageMasker(masking), exchange.summary)
            summary.request = masker.masked(summary.request)
            return masker.masked(message: "\(summary)\n")
        }.joined()
    }
}

/// The observers of the ends of exchanges.
final class Completions: Sendable {
    private let observers = LockedState<[UUID: AsyncStream<MockExchange>.Continuation]>([:])

    deinit { finish() }

    func finish() { for observer in observers.withLock({ $0 }).values { observer.finish() } }

    func stream() -> AsyncStream<MockExchange> {
        let (stream, continuation) = AsyncStream.makeStream(of: MockExchange.self)
        let key = UUID()
        observers.withLock { $0[key] = continuation }
        continuation.onTermination = { [weak self] _ in
            _ = self?.observers.withLock { $0.removeValue(forKey: key) }
        }
        return stream
    }

    func send(_ exchange: RecordedExchange) {
        let observers = observers.withLock { $0 }
        guard !observers.isEmpty else { return }
        let summary = exchange.summary
        for observer in observers.values { observer.yield(summary) }
    }
}
