import HTTPCore

/// One logical request from its creation to its end, over all its attempts, waits and redirects.
final class Flight: Sendable {
    private struct State {
        var cancelled = false
        var nextHook = 0
        var hooks: [Int: @Sendable () -> Void] = [:]
        var attempts: [Attempt] = []
    }

    let number: Int
    let timeline: Timeline
    /// When the request was created, on the timeline.
    let created: Duration
    /// When all must have ended, on the timeline.
    let deadline: Duration?
    private let monitor: EventMonitor?
    private let state = Lock(State())

    init(number: Int, timeline: Timeline, total: Duration?, monitor: EventMonitor?) {
        self.number = number
        self.timeline = timeline
        self.monitor = monitor
        created = timeline.now
        deadline = total.map { [created] in created + $0 }
    }

    var attempts: [Attempt] { state.withLock { $0.attempts } }

    func add(_ attempt: Attempt) { state.withLock { $0.attempts.append(attempt) } }

    func report(_ kind: @autoclosure () -> SessionEvent.Kind) {
        guard let monitor else { return }
        monitor.receive(SessionEvent(request: number, time: timeline.now - created, kind: kind()))
    }

    /// Ends what is going on in it, and all that would begin, with `CancellationError`.
    func cancel() {
        let hooks = state.withLock { state in
            state.cancelled = true
            defer { state.hooks = [:] }
            return Array(state.hooks.values)
        }
        for hook in hooks { hook() }
    }

    /// Runs `body`, during which `cancel` is what ends it.
    ///
    /// - Throws: `CancellationError` if the flight was cancelled before.
    func whileRunning<Result: Sendable>(
        cancel: @escaping @Sendable () -> Void, _ body: () async throws -> Result
    ) async throws -> Result {
        let hook: Int? = state.withLock { state in
            guard !state.cancelled else { return nil }
            state.nextHook += 1
            state.hooks[state.nextHook] = cancel
            return state.nextHook
        }
        guard let hook else { throw CancellationError() }
        defer { _ = state.withLock { $0.hooks.removeValue(forKey: hook) } }
        return try await body()
    }

    /// Waits on the timeline; ends early when the task or the flight is cancelled.
    func wait(_ duration: Duration) async throws {
        let wake = timeline.now + duration
        let sleep = Task { [timeline] in try await timeline.sleep(until: wake) }
        try await whileRunning {
            sleep.cancel()
        } _: {
            try await withTaskCancellationHandler {
                try await sleep.value
            } onCancel: {
                sleep.cancel()
            }
        }
    }
}
