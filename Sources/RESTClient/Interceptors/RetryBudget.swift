import RESTClientHTTP

/// A token bucket that limits retries to a share of the requests.
///
/// Each request deposits a fraction of a token, and each retry withdraws one, unless the server asked for it with a time to
/// wait. While most requests succeed, the few that fail are retried. If all requests fail, the tokens run out, and the number
/// of retries is at most `tokensPerRequest` times the number of requests. Several policies and managers can share one budget.
public final class RetryBudget: Sendable {
    private let capacity: Double
    private let tokensPerRequest: Double
    private let tokens: LockedState<Double>

    /// Creates a full budget.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of tokens, which is the maximum number of retries in a row. Defaults to 10.
    ///   - tokensPerRequest: The tokens that each request deposits. Defaults to 0.1: one retry for ten requests.
    public init(capacity: Int = 10, tokensPerRequest: Double = 0.1) {
        self.capacity = Double(max(capacity, 0))
        self.tokensPerRequest = tokensPerRequest > 0 ? tokensPerRequest : 0
        tokens = LockedState(self.capacity)
    }

    /// Deposits the tokens of one request; ``RetryPolicy`` calls this once for each request.
    public func deposit() { tokens.withLock { $0 = min($0 + tokensPerRequest, capacity) } }

    /// Withdraws a token for a retry and returns `true`, or returns `false` if there is none.
    public func withdraw() -> Bool {
        tokens.withLock { tokens in
            // In floating point, ten tenths add up to a little less than one.
            guard tokens > 1 - 1e-9 else { return false }
            tokens = max(tokens - 1, 0)
            return true
        }
    }
}
