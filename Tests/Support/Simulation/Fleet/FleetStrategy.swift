import RESTClientHTTP
import RESTClient

/// How the clients of a fleet try again, and what the server tells them.
package struct FleetStrategy: Sendable {
    /// The `Retry-After` of a refusal.
    package enum Wish: Sendable {
        case none
        /// The same for everyone, in seconds.
        case same(Int)
        /// Spread by the server, in seconds.
        case spread(ClosedRange<Int>)
    }

    package let name: String
    /// `nil` gives up at once.
    let backoff: RetryPolicy.Backoff?
    var attempts = 10
    /// Tokens of each client's retry budget; `nil` is without.
    var budget: Int?
    var wish = Wish.none

    func policy() -> RetryPolicy? {
        backoff.map { RetryPolicy(maxAttempts: attempts, backoff: $0, budget: nil) }
    }

    /// From none to all precautions.
    package static func all(seed: UInt64) -> [Self] {
        let dice = LockedState(SeededGenerator(seed: seed))
        let jitter = RetryPolicy.Backoff.exponential {
            dice.withLock { Double.random(in: 0...1, using: &$0) }
        }
        return [
            Self(name: "no retry", backoff: nil),
            Self(name: "10 attempts without jitter", backoff: .exponential { 1 }),
            Self(name: "10 attempts, full jitter", backoff: jitter),
            Self(name: "10 attempts, full jitter, budget of 1", backoff: jitter, budget: 1),
            Self(
                name: ".retry(): 3 attempts, full jitter, budget of 10", backoff: jitter, attempts: 3,
                budget: 10),
            Self(
                name: ".retry(), Retry-After: 30", backoff: jitter, attempts: 3, budget: 10, wish: .same(30)),
            Self(
                name: ".retry(), Retry-After from 10 to 40", backoff: jitter, attempts: 3, budget: 10,
                wish: .spread(10...40)),
        ]
    }
}
