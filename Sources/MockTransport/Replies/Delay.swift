import Foundation

extension Reply {
    /// How long something takes; drawn anew for each reply, from the seed of the server's conditions.
    public struct Delay: Sendable {
        /// A hundred years, in seconds.
        private static let longest = 3_155_695_200.0

        private let draw: @Sendable (inout SeededGenerator) -> Duration

        /// Always the same.
        public static func fixed(_ duration: Duration) -> Self {
            Self(draw: { _ in duration })
        }

        /// Anything in `range`, all of it equally likely.
        public static func uniform(_ range: ClosedRange<Duration>) -> Self {
            let width = range.upperBound - range.lowerBound
            return Self(draw: { range.lowerBound + width * Double.random(in: 0...1, using: &$0) })
        }

        /// As real networks have it: half of the draws below `median`, some far above it.
        ///
        /// `sigma` is the deviation of the logarithm: with 0.5, two thirds lie between 0.6 and 1.6 medians.
        public static func logNormal(median: Duration, sigma: Double) -> Self {
            Self(draw: { random in
                // Box and Muller; 1 - u keeps the logarithm off zero.
                let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
                let normal = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
                let seconds = median / .seconds(1) * exp(sigma * normal)
                // A tail may be longer than any number of seconds can say.
                return seconds < longest ? .seconds(seconds) : .seconds(longest)
            })
        }

        func next(_ random: inout SeededGenerator) -> Duration { max(draw(&random), .zero) }
    }
}
