import Foundation

/// Delivers a reply that is not immediate, from any task, to the client of a URLProtocol.
///
/// Events can be posted from any thread. Only the protocol takes them, in the context where it may call its client.
final class ReplyDelivery: Sendable {
    enum Event: Sendable {
        case response(HTTPURLResponse)
        case data(Data)
        case finished
        case failure(any Error)

        fileprivate var size: Int { if case .data(let data) = self { data.count } else { 0 } }
    }

    private struct State {
        var events: [Event] = []
        /// The number of bytes in `events`.
        var buffered = 0
        var finishHandlers: [@Sendable () -> Void] = []
        var isWakeUpScheduled = false
        var isFinished = false
        /// The source that waits until the events are taken.
        var spaceWaiter: CheckedContinuation<Void, Never>?
    }

    /// The number of buffered bytes at which a source has to wait.
    private static let highWaterMark = 1 << 20
    /// Runs wake-ups and finish handlers outside the work queue of URLSession.
    private static let queue = DispatchQueue(label: "MockTransport.delivery")

    private let state = LockedState(State())
    private let wakeUp: ProtocolWakeUp
    let request: URLRequest
    /// The hold on a virtual clock until the reply is delivered.
    let hold: ClockHold?

    init(_ request: URLRequest, _ wakeUp: ProtocolWakeUp, hold: ClockHold?) {
        self.request = request
        self.wakeUp = wakeUp
        self.hold = hold
    }

    /// Adds events and wakes up the protocol.
    func post(_ events: [Event], replacingOthers: Bool = false) {
        let mustWakeUp = state.withLock { state -> Bool in
            guard !state.isFinished, !events.isEmpty else { return false }
            if replacingOthers {
                state.events = []
                state.buffered = 0
            }
            state.events += events
            state.buffered += events.reduce(0) { $0 + $1.size }
            defer { state.isWakeUpScheduled = true }
            return !state.isWakeUpScheduled
        }
        guard mustWakeUp else { return }
        Self.queue.async { [self] in
            if !state.withLock({ $0.isFinished }) { wakeUp.callStartLoading() }
        }
    }

    /// Removes and returns the events posted since the last call.
    func takeEvents() -> [Event] {
        let (events, waiter) = state.withLock { state in
            let taken = (state.isFinished ? [] : state.events, state.spaceWaiter)
            state.isWakeUpScheduled = false
            state.events = []
            state.buffered = 0
            state.spaceWaiter = nil
            return taken
        }
        waiter?.resume()
        return events
    }

    /// Waits until there is space for more events.
    func waitForSpace() async {
        await withCheckedContinuation { waiter in
            let mustWait = state.withLock { state in
                guard !state.isFinished, state.buffered >= Self.highWaterMark else { return false }
                state.spaceWaiter = waiter
                return true
            }
            if !mustWait { waiter.resume() }
        }
    }

    /// Calls `handler` when the delivery ends, immediately if it has ended already.
    func onFinish(_ handler: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state -> Bool in
            if !state.isFinished { state.finishHandlers.append(handler) }
            return state.isFinished
        }
        if isFinished { Self.queue.async(execute: handler) }
    }

    /// Ends the delivery: events that have not been taken are dropped.
    func finish() {
        let (handlers, waiter) = state.withLock { state in
            defer { state = State(isFinished: true) }
            return (state.finishHandlers, state.spaceWaiter)
        }
        waiter?.resume()
        for handler in handlers { Self.queue.async(execute: handler) }
    }

    /// Posts the events of each step of a plan at its time, in a task that is cancelled when the delivery ends.
    func play(
        _ exchange: RecordedExchange, _ clock: ServerClock,
        _ makePlan: @escaping @Sendable () async throws -> ReplyPlan
    ) {
        let task = Task {
            await VirtualClock.$currentHold.withValue(hold) {
                do {
                    try await makePlan().play(on: clock) { [self] in await post($0, exchange, clock) }
                } catch {
                    exchange.record(.failure(error), at: clock.now)
                    post([.failure(error)])
                }
            }
        }
        onFinish { task.cancel() }
    }

    private func post(_ steps: [ReplyPlan.Step], _ exchange: RecordedExchange, _ clock: ServerClock) async {
        if case .passthrough(let cassette) = steps.first {
            let recording = PassthroughRecording(exchange: exchange, clock: clock, cassette: cassette)
            return Passthrough.send(self, recording)
        }
        for step in steps { exchange.record(step, at: clock.now) }
        post(steps.compactMap { $0.event(for: exchange.request.url) })
        await waitForSpace()
    }
}
