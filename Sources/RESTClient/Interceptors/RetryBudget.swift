import RESTClientHTTP

/// Tokens that requests earn and retries spend, so that a failing server is not stormed.
///
/// When all is well a request now and then is tried again. When everything fails the tokens run out, and retries add no
/// more than `tokensPerRequest` to the load. One budget may serve several policies and managers.
public final class RetryBudget: Sendable {
    private let capacity: Double
    private let tokensPerRequest: Double
    private let tokens: LockedState<Double>

    /// A full budget.
    ///
    /// - Parameters:
    ///   - capacity: the most tokens that are kept: so many retries in a row. 10 by default.
    ///   - tokensPerRequest: what each request earns. 0.1 by default: one retry for ten requests.
    public init(capacity: Int = 10, tokensPerRequest: Double = 0.1) {
        self.capacity = Double(max(capacity, 0))
        self.tokensPerRequest = tokensPerRequest > 0 ? tokensPerRequest : 0
        tokens = LockedState(self.capacity)
    }

    /// Adds what a request earns; ``RetryPolicy`` does it once for each.
    public func deposit() { tokens.withLock { $0 = min($0 + tokensPerRequest, capacity) } }

    /// Takes a token, if there is one.
    public func withdraw() -> Bool {
        tokens.withLock { tokens in
            // Ten tenths are a little less than one.
            guard tokens > 1 - 1e-9 else { return false }
            tokens = max(tokens - 1, 0)
            return true
        }
    }
}
