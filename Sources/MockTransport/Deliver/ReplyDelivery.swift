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
        var buffered = 0
        var finishHandlers: [@Sendable () -> Void] = []
        var isFinished = false
        /// The source that waits until the events are taken.
        var spaceWaiter: CheckedContinuation<Void, Never>?
    }

    /// Makes the protocol take the events of the delivery soon, in the context in which it may call its client. It is
    /// called from any thread, once for all events that were posted since the protocol took the last ones.
    typealias WakeUp = @Sendable (ReplyDelivery) -> Void

    private let state = LockedState(State())
    let work: DeliveryWork
    private let wakeUp: WakeUp
    let request: URLRequest
    let clock: ServerClock
    /// The hold on a virtual clock until the reply is delivered.
    let hold: ClockHold?
    let timer: InactivityTimer?

    init(
        _ request: URLRequest, on clock: ServerClock, hold: ClockHold?, timer: InactivityTimer? = nil,
        work: DeliveryWork, wakeUp: @escaping WakeUp
    ) {
        (self.request, self.clock, self.hold, self.timer) = (request, clock, hold, timer)
        (self.work, self.wakeUp) = (work, wakeUp)
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    func post(_ events: [Event], replacingOthers: Bool = false) {
        let mustWakeUp = state.withLock { state -> Bool in
            guard !state.isFinished, !events.isEmpty else { return false }
            // Otherwise, the protocol was woken up for the events before.
            let mustWakeUp = state.events.isEmpty
            if replacingOthers { (state.events, state.buffered) = ([], 0) }
            state.events += events
            state.buffered += events.reduce(0) { $0 + $1.size }
            return mustWakeUp
        }
        timer?.restart()
        if mustWakeUp { wakeUp(self) }
    }

    /// Fails the request if no event is posted for its timeout.
    ///
    /// - Parameter exchange: The exchange, or `nil` while the body of the request is received.
    func startTimer(_ exchange: RecordedExchange? = nil, elapsed: Duration = .zero) {
        timer?.start(elapsed: elapsed) { [weak self] in
            if let self, let timer { fail(timer.error, exchange) }
        }
    }

    func fail(_ error: any Error, _ exchange: RecordedExchange?) {
        // Recorded first, because the end of the delivery is recorded as a cancellation.
        exchange?.record([.failure(error)], at: clock.now)
        post([.failure(error)])
    }

    func takeEvents() -> [Event] {
        let (events, waiter) = state.withLock { state in
            let taken = (state.isFinished ? [] : state.events, state.spaceWaiter)
            (state.events, state.buffered, state.spaceWaiter) = ([], 0, nil)
            return taken
        }
        waiter?.resume()
        return events
    }

    func waitForSpace() async {
        await withCheckedContinuation { waiter in
            let mustWait = state.withLock { state in
                guard !state.isFinished, state.buffered >= work.highWaterMark else { return false }
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
        if isFinished { work.runHandler(handler) }
    }

    /// Ends the delivery: events that have not been taken are dropped.
    func finish() {
        let (handlers, waiter) = state.withLock { state in
            defer { state = State(isFinished: true) }
            return (state.finishHandlers, state.spaceWaiter)
        }
        timer?.stop()
        waiter?.resume()
        for handler in handlers { work.runHandler(handler) }
    }

    /// Posts the events of each step of a plan at its time, in a task that is cancelled when the delivery ends.
    func play(
        _ exchange: RecordedExchange, _ makePlan: @escaping @Sendable () async throws -> ReplyPlan
    ) {
        let task = work.startTask { [self] in
            await VirtualClock.$currentHold.withValue(hold) {
                do {
                    try await makePlan().play(
                        on: clock, timer: timer, startTimer: { [self] in startTimer(exchange, elapsed: $0) }
                    ) { [self] in await post($0, exchange) }
                } catch { fail(error, exchange) }
            }
        }
        onFinish { [clock] in
            task.cancel()
            exchange.finish(at: clock.now)
        }
    }

    private func post(_ steps: [ReplyPlan.Step], _ exchange: RecordedExchange) async {
        if case .passthrough(let recorder) = steps.first {
            return Passthrough.send(self, exchange, recorder)
        }
        exchange.record(steps, at: clock.now)
        post(steps.compactMap { $0.event(for: exchange.request.url) })
        await waitForSpace()
    }
}

/// The ways to run the work on a reply outside the context of the protocol. Tests use other ways, to determine the order
/// of the work, and a smaller buffer.
struct DeliveryWork: Sendable {
    private static let queue = DispatchQueue(label: "MockTransport.delivery")

    /// Starts a task that plays a reply.
    var startTask: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = { work in
        Task { await work() }
    }
    var runBlocking: @Sendable (@escaping @Sendable () -> Void) -> Void = {
        DispatchQueue.global().async(execute: $0)
    }
    var runHandler: @Sendable (@escaping @Sendable () -> Void) -> Void = { queue.async(execute: $0) }
    /// The number of buffered bytes at which a source has to wait.
    var highWaterMark = 1 << 20
}
