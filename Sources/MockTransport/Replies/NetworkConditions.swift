/// Latency, bandwidth and loss, drawn from a seed.
///
/// ```swift
/// let slow = NetworkConditions(latency: .logNormal(median: .milliseconds(80), sigma: 0.5), bytesPerSecond: 50_000)
/// let server = MockServer(clock: VirtualClock(), conditions: slow) { … }
/// ```
public struct NetworkConditions: Sendable {
    /// A network that takes no time and loses nothing.
    public static let none = Self()

    let latency: Reply.Delay?
    let bytesPerSecond: Int?
    let loss: Double
    let seed: UInt64

    /// - Parameters:
    ///   - latency: How long each reply's head takes, on top of the reply's own delay.
    ///   - bytesPerSecond: How fast bodies flow; `nil` is at once.
    ///   - loss: How many of the replies, 0 to 1, end in a reset at some moment.
    ///   - seed: What all of it is drawn from: the same seed and the same requests give the same network.
    public init(latency: Reply.Delay? = nil, bytesPerSecond: Int? = nil, loss: Double = 0, seed: UInt64 = 0) {
        self.latency = latency
        self.bytesPerSecond = bytesPerSecond.map { max($0, 1) }
        self.loss = loss
        self.seed = seed
    }

    /// Whether it takes no time and loses nothing.
    var isPerfect: Bool { latency == nil && bytesPerSecond == nil && loss <= 0 }

    /// A reset at some moment of a body of `count` bytes, or nothing.
    func drawLoss(of count: Int, _ random: inout SeededGenerator) -> Fault? {
        guard loss > 0, Double.random(in: 0..<1, using: &random) < loss else { return nil }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .reset(.beforeHead)
        case 1: return .reset(.afterHead)
        default: return .reset(.inBody(after: Int.random(in: 0...max(count - 1, 0), using: &random)))
        }
    }
}
