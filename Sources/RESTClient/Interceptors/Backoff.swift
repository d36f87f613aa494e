extension RetryPolicy {
    /// How long to wait before an attempt, where the server does not say.
    public struct Backoff: Sendable {
        private let wait: @Sendable (_ retry: Int) -> Duration

        /// A backoff of one's own; `retry` is 1 before the second attempt. Less than nothing counts as nothing.
        public init(_ delay: @escaping @Sendable (_ retry: Int) -> Duration) { wait = delay }

        /// `random` × min(`maxDelay`, `initialDelay` · 2ⁿ), n from 0: exponential with full jitter, which keeps clients that
        /// failed together from coming back together.
        ///
        /// - Parameters:
        ///   - initialDelay: the longest wait before the second attempt; half a second by default.
        ///   - maxDelay: the longest wait of all; 20 seconds by default.
        ///   - random: a number from 0 to 1; `{ 1 }` makes a test exact.
        public static func exponential(
            initialDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(20),
            random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
        ) -> Self {
            Self { retry in
                var wait = min(initialDelay, maxDelay)
                var doublings = retry - 1
                while doublings > 0, wait > .zero, wait < maxDelay {
                    wait = min(wait * 2, maxDelay)
                    doublings -= 1
                }
                let share = random()
                return wait * (share >= 0 ? min(share, 1) : 0)
            }
        }

        /// The same wait before each attempt.
        public static func constant(_ delay: Duration) -> Self { Self { _ in delay } }

        /// The wait before the attempt behind `attempt`.
        func delay(_ attempt: Int) -> Duration { max(wait(attempt), .zero) }
    }
}
