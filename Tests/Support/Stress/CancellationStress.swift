package import Foundation
package import RESTClient

/// Many concurrent calls that are cancelled at random moments; each of them must end exactly once.
package struct CancellationStress: Sendable {
    /// A URL and its expected result without cancellation.
    package struct Endpoint: Sendable {
        package enum Result: Sendable, Equatable { case succeeds(bytes: Int), fails, neverEnds }

        let url: URL
        let result: Result

        package init(_ url: URL, _ result: Result) {
            self.url = url
            self.result = result
        }
    }

    /// The number of calls for each result.
    package struct Counts: Sendable, Equatable {
        package var succeeded = 0
        package var failed = 0
        package var cancelled = 0
        /// Descriptions of the calls with an unexpected result.
        package var unexpected: [String] = []

        fileprivate static func += (counts: inout Self, other: Self) {
            counts.succeeded += other.succeeded
            counts.failed += other.failed
            counts.cancelled += other.cancelled
            counts.unexpected += other.unexpected
        }

        /// Returns the unexpected results, and a message for a missing result or for fewer than a quarter of `calls`
        /// cancelled or succeeded, which would make the run meaningless.
        package func problems(for calls: Int) -> [String] {
            var problems = unexpected
            let ended = succeeded + failed + cancelled + unexpected.count
            if ended != calls { problems.append("\(ended) of \(calls) calls ended") }
            if cancelled < calls / 4 { problems.append("only \(cancelled) calls were cancelled") }
            if succeeded < calls / 4 { problems.append("only \(succeeded) calls succeeded") }
            return problems
        }
    }

    private let calls: Int
    private let maxConcurrentCalls = 64
    private let seed: UInt64
    private let cancelWithin: Duration
    private let endpoints: [Endpoint]

    /// - Parameters:
    ///   - calls: The total number of calls.
    ///   - seed: The seed of all random choices.
    ///   - cancelWithin: The longest time between the start of a call and its cancellation.
    ///   - endpoints: The endpoints to call.
    package init(calls: Int, seed: UInt64, cancelWithin: Duration, endpoints: [Endpoint]) {
        self.calls = calls
        self.seed = seed
        self.cancelWithin = cancelWithin
        self.endpoints = endpoints
    }

    /// Performs the calls with `manager` and counts their results.
    package func run(with manager: SessionManager) async -> Counts {
        var random = SeededGenerator(seed: seed)
        return await withTaskGroup(of: Counts.self) { group in
            var counts = Counts()
            for number in 0..<calls {
                if number >= maxConcurrentCalls, let one = await group.next() { counts += one }
                guard let endpoint = endpoints.randomElement(using: &random) else { break }
                // Calls that never end are always cancelled, a third of the others as well.
                let cancelled = endpoint.result == .neverEnds || Int.random(in: 0..<3, using: &random) == 0
                let delay = cancelled ? cancelWithin * Double.random(in: 0..<1, using: &random) : nil
                group.addTask { await call(endpoint, cancelAfter: delay, manager) }
            }
            for await one in group { counts += one }
            return counts
        }
    }

    private func call(
        _ endpoint: Endpoint, cancelAfter delay: Duration?, _ manager: SessionManager
    ) async -> Counts {
        let call = Task { try await manager.request(endpoint.url).data() }
        if let delay {
            // The moment is random by design: from before the start of the call to after its end.
            if delay > .microseconds(200) { try? await Task.sleep(for: delay) }
            call.cancel()
        }
        switch (await call.result, endpoint.result) {
        case (.success(let body), .succeeds(let bytes)) where body.count == bytes:
            return Counts(succeeded: 1)
        case (.failure(is CancellationError), _) where delay != nil:
            return Counts(cancelled: 1)
        case (.failure(is RESTClientError), .fails):
            return Counts(failed: 1)
        case (let result, _):
            return Counts(unexpected: ["\(endpoint.url.path): \(result)"])
        }
    }
}

extension [CancellationStress.Endpoint] {
    /// Endpoints at `base`: each of `paths` replies with two bytes, `never` does not reply, and `error` fails.
    package static func standard(at base: URL, replying paths: [String]) -> Self {
        paths.map { .init(base.appending(path: $0), .succeeds(bytes: 2)) } + [
            .init(base.appending(path: "never"), .neverEnds), .init(base.appending(path: "error"), .fails),
        ]
    }
}
