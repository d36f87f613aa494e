/// The number of times that a route must be called.
struct ExpectedCalls: Sendable, CustomStringConvertible {
    let range: ClosedRange<Int>

    static let atLeastOnce = Self(range: 1...Int.max)

    static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    var description: String {
        switch (range.lowerBound, range.upperBound) {
        case (0, 0): "no call"
        case (0, .max): "any number of calls"
        case (0, let most): "at most \(Self.times(most))"
        case (let least, .max): "at least \(Self.times(least))"
        case (let least, let most) where least == most: Self.times(least)
        case (let least, let most): "\(least) to \(most) times"
        }
    }
}
