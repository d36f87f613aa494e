import Foundation

/// The latency, bandwidth and loss of a simulated network, which are generated from a seed.
///
/// ```swift
/// let slow = NetworkConditions(latency: .logNormal(median: .milliseconds(80), sigma: 0.5), bytesPerSecond: 50_000)
/// let server = MockServer(clock: VirtualClock(), conditions: slow) { … }
/// ```
public struct NetworkConditions: Sendable {
    /// A network without latency, loss or limits.
    public static let none = Self()

    let latency: Reply.Delay?
    let bytesPerSecond: Int?
    let loss: Double
    let seed: UInt64

    /// Creates network conditions.
    ///
    /// - Parameters:
    ///   - latency: The delay before each response head, in addition to the delay of the reply.
    ///   - bytesPerSecond: The bandwidth for bodies, or `nil` for no limit.
    ///   - loss: The fraction of replies, from 0 to 1, that end with a connection reset at a random point.
    ///   - seed: The seed of all random values. The same seed and requests give the same behavior.
    public init(latency: Reply.Delay? = nil, bytesPerSecond: Int? = nil, loss: Double = 0, seed: UInt64 = 0) {
        self.latency = latency
        self.bytesPerSecond = bytesPerSecond.map { max($0, 1) }
        (self.loss, self.seed) = (loss, seed)
    }

    var isPerfect: Bool { latency == nil && bytesPerSecond == nil && loss <= 0 }

    /// Returns a reset at a random point of a body of `count` bytes, or `nil`.
    func randomLoss(of count: Int, _ random: inout SeededGenerator) -> Fault? {
        guard loss > 0, Double.random(in: 0..<1, using: &random) < loss else { return nil }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .reset(.beforeHead)
        case 1: return .reset(.afterHead)
        default: return .reset(.inBody(after: Int.random(in: 0...max(count - 1, 0), using: &random)))
        }
    }
}

extension Reply {
    /// A random delay, which is generated for each reply from the seed of the server's conditions.
    public struct Delay: Sendable {
        /// A hundred years, in seconds.
        private static let maximum = 3_155_695_200.0

        private let draw: @Sendable (inout SeededGenerator) -> Duration

        /// A constant delay.
        public static func fixed(_ duration: Duration) -> Self { Self(draw: { _ in duration }) }

        /// A delay that is uniformly distributed in `range`.
        public static func uniform(_ range: ClosedRange<Duration>) -> Self {
            let width = range.upperBound - range.lowerBound
            return Self(draw: { range.lowerBound + width * Double.random(in: 0...1, using: &$0) })
        }

        /// A delay with a log-normal distribution, as measured in real networks: half of the values are below `median`,
        /// and a few are far above it.
        ///
        /// `sigma` is the standard deviation of the logarithm. With 0.5, two thirds of the values are between 0.6 and
        /// 1.6 medians.
        public static func logNormal(median: Duration, sigma: Double) -> Self {
            Self(draw: { random in
                // The Box–Muller transform; 1 - u avoids the logarithm of zero.
                let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
                let normal = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
                let seconds = median / .seconds(1) * exp(sigma * normal)
                // Larger values do not fit into a Duration.
                return seconds < maximum ? .seconds(seconds) : .seconds(maximum)
            })
        }

        func next(_ random: inout SeededGenerator) -> Duration { max(draw(&random), .zero) }
    }
}
