import Foundation

extension ReplyPlan {
    /// Passes the steps to `emit` at their time, without waits and streams. Steps of the same time are passed together.
    ///
    /// A wait ends with the error of `timer` after its timeout. On a socket, the client has its own. `startTimer` starts the timer
    /// for a step of unknown length, after the given time without data.
    func play(
        on clock: ServerClock, timer: InactivityTimer? = nil,
        startTimer: @Sendable (Duration) -> Void = { _ in },
        _ emit: @escaping @Sendable ([Step]) async throws -> Void
    ) async throws {
        var ready: [Step] = []
        /// The time since the last step with data.
        var quiet = Duration.zero
        for step in steps {
            if step.isImmediate {
                ready.append(step)
                continue
            }
            if !ready.isEmpty { quiet = .zero }
            try await emit(ready)
            ready = []
            switch step {
            case .wait(let duration):
                if let timer, let timeout = timer.timeout, quiet + duration > timeout {
                    try await clock.wait(for: timeout - quiet)
                    throw timer.error
                }
                try await clock.wait(for: duration)
                quiet += duration
            case .work(let work): await work()
            case .stall:
                startTimer(quiet)
                try await clock.waitForever()
            case .stream(let source):
                startTimer(quiet)
                // The next part can come from code that waits on the clock.
                let hold = VirtualClock.currentHold
                hold?.suspend()
                defer { hold?.resume() }
                try await Self.run(source) { chunk in
                    hold?.resume()
                    defer { hold?.suspend() }
                    try await emit([.chunk(chunk)])
                }
            default: try await emit([step])
            }
        }
        try await emit(ready)
    }

    /// Runs a source outside the caller's actor and passes its chunks to `emit`.
    @concurrent private static func run(
        _ source: Reply.ChunkSource, _ emit: @escaping @Sendable (Data) async throws -> Void
    ) async throws {
        do {
            try await source { chunk in
                try Task.checkCancellation()
                try await emit(chunk)
            }
        } catch is LimitReached {}
    }
}

extension ReplyPlan.Step {
    /// The event for a client that requested `url`, or `nil` for steps that take time.
    func event(for url: URL) -> ReplyDelivery.Event? {
        switch self {
        case .head(let head):
            HTTPURLResponse(
                url: url, statusCode: head.status.rawValue, httpVersion: "HTTP/1.1",
                headerFields: head.fields
            ).map { .response($0) }
                ?? .failure(MockServerError(.unusableReply(.invalidStatus(head.status))))
        case .chunk(let data): .data(data)
        case .end: .finished
        case .connectionFailure(let failure): .failure(failure.error(for: url))
        case .failure(let error): .failure(error)
        case .wait, .work, .stall, .stream, .passthrough: nil
        }
    }
}

/// The plan of a reply and, if it is immediate, its events and bytes, which are made once for all requests that it answers.
///
/// Creating the `HTTPURLResponse` of a request takes a quarter of its time, and encoding a reply for a socket a third.
final class PlannedReply: Sendable {
    private struct State {
        var events: [URL: [ReplyDelivery.Event]] = [:]
        var encoded: [ResponseEncoder.Variant: EncodedReply] = [:]
    }

    private static let maxURLs = 256

    let plan: ReplyPlan
    let isImmediate: Bool
    private let state = LockedState(State())

    init(_ plan: ReplyPlan) { (self.plan, isImmediate) = (plan, plan.steps.allSatisfy(\.isImmediate)) }

    func events(for url: URL) -> [ReplyDelivery.Event] {
        if let events = state.withLock({ $0.events[url] }) { return events }
        let events = plan.steps.compactMap { $0.event(for: url) }
        state.withLock { state in
            if state.events.count >= Self.maxURLs { state.events = [:] }
            state.events[url] = events
        }
        return events
    }

    func encoded(by encoder: ResponseEncoder) -> EncodedReply {
        if let encoded = state.withLock({ $0.encoded[encoder.variant] }) { return encoded }
        let encoded = encoder.encoded(plan)
        if encoded.isWorthKeeping { state.withLock { $0.encoded[encoder.variant] = encoded } }
        return encoded
    }
}
