package import Foundation
import RESTClientHTTP
package import RESTClient

/// Many calls at a time, cancelled at random moments that a seed repeats: every one must end, once.
package struct Storm: Sendable {
    /// Something to ask for, and how that ends when nobody cancels it.
    package struct Target: Sendable {
        package enum End: Sendable, Equatable { case answers(bytes: Int), fails, never }

        let url: URL
        let end: End

        package init(_ url: URL, _ end: End) {
            self.url = url
            self.end = end
        }

        /// What stands at `answers` below `base` answers two bytes; `never` does not end there, and `error` fails.
        package static func all(below base: URL, answers: [String]) -> [Self] {
            answers.map { Self(base.appending(path: $0), .answers(bytes: 2)) } + [
                Self(base.appending(path: "never"), .never), Self(base.appending(path: "error"), .fails),
            ]
        }
    }

    /// How the calls ended.
    package struct Tally: Sendable, Equatable {
        package var answered = 0
        package var failed = 0
        package var cancelled = 0
        /// Ended in another way than their target does.
        package var wrong: [String] = []

        package var ended: Int { answered + failed + cancelled + wrong.count }

        /// What speaks against a storm of so many calls: wrong or missing ends, or too few of a kind to mean much.
        package func complaints(of calls: Int) -> [String] {
            var complaints = wrong
            if ended != calls { complaints.append("\(ended) of \(calls) calls ended") }
            if cancelled < calls / 4 { complaints.append("only \(cancelled) were cancelled") }
            if answered < calls / 4 { complaints.append("only \(answered) were answered") }
            return complaints
        }
    }

    package var calls: Int
    package var inFlight = 64
    package var seed: UInt64
    /// Cancels come between the start of a call and this much later.
    package var cancelsWithin: Duration
    package var targets: [Target]

    package init(calls: Int, seed: UInt64, cancelsWithin: Duration, targets: [Target]) {
        self.calls = calls
        self.seed = seed
        self.cancelsWithin = cancelsWithin
        self.targets = targets
    }

    /// Makes the calls through `manager` and counts how each ended.
    package func run(over manager: SessionManager) async -> Tally {
        var random = SeededGenerator(seed: seed)
        return await withTaskGroup(of: Tally.self) { group in
            var tally = Tally()
            for number in 0..<calls {
                if number >= inFlight, let one = await group.next() { tally.add(one) }
                guard let target = targets.randomElement(using: &random) else { break }
                // What never ends must be cancelled; of the others, a third are.
                let cancelled = target.end == .never || Int.random(in: 0..<3, using: &random) == 0
                let delay = cancelled ? cancelsWithin * Double.random(in: 0..<1, using: &random) : nil
                group.addTask { await call(target, cancelledAfter: delay, over: manager) }
            }
            for await one in group { tally.add(one) }
            return tally
        }
    }

    private func call(
        _ target: Target, cancelledAfter delay: Duration?, over manager: SessionManager
    ) async -> Tally {
        let call = Task { try await manager.request(target.url).data() }
        if let delay {
            // Not a wait for luck: the moment is meant to be random, from before the start to after the end.
            if delay > .microseconds(200) { try? await Task.sleep(for: delay) }
            call.cancel()
        }
        switch (await call.result, target.end) {
        case (.success(let body), .answers(let bytes)) where body.count == bytes:
            return Tally(answered: 1)
        case (.failure(is CancellationError), _) where delay != nil:
            return Tally(cancelled: 1)
        case (.failure(is RESTClientError), .fails):
            return Tally(failed: 1)
        case (let result, _):
            return Tally(wrong: ["\(target.url.path): \(result)"])
        }
    }
}

extension Storm.Tally {
    fileprivate mutating func add(_ other: Self) {
        answered += other.answered
        failed += other.failed
        cancelled += other.cancelled
        wrong += other.wrong
    }
}
