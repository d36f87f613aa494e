import Foundation
import RESTClientHTTP

/// The timeout of a request in process, on the clock of its server.
///
/// URLSession applies `timeoutInterval` to its own protocols only (PLATFORM B). Waits of a known length end a request
/// exactly at its timeout. The timer is for parts of unknown length: handlers, streams and stalls.
final class InactivityTimer: DeadlineHandler {
    private struct State {
        var lastEvent = Duration.zero
        var token: Int?
        var onTimeout: (@Sendable () -> Void)?
        var hasFired = false
        var isStopped = false
    }

    /// A timeout of about a year or more, which clients with their own timeouts set, counts as none.
    private static let longest = 86_400.0 * 364

    static func duration(_ interval: TimeInterval) -> Duration? {
        interval > 0 && interval < longest ? .seconds(interval) : nil
    }

    /// The time without data after which the request fails, or `nil` for no limit.
    let timeout: Duration?
    private let clock: ServerClock
    private let url: URL
    /// Returns `true` while the task is suspended, which stops its timeout.
    private let isPaused: @Sendable () -> Bool
    private let state = LockedState(State())

    init(_ timeout: Duration?, _ clock: ServerClock, _ url: URL, isPaused: @escaping @Sendable () -> Bool) {
        (self.timeout, self.clock, self.url, self.isPaused) = (timeout, clock, url, isPaused)
    }

    /// The error that URLSession creates on a real connection.
    var error: URLError {
        URLError(
            .timedOut,
            userInfo: [
                NSLocalizedDescriptionKey: "The request timed out.", NSURLErrorFailingURLErrorKey: url,
                "NSErrorFailingURLStringKey": url.absoluteString,
            ])
    }

    /// Starts the timer, unless it runs. `onTimeout` is called when no event has occurred for the timeout, of which `elapsed`
    /// has passed.
    func start(elapsed: Duration = .zero, _ onTimeout: @escaping @Sendable () -> Void) {
        guard let timeout else { return }
        let now = clock.now - elapsed
        let mustStart = state.withLock { state in
            guard !state.isStopped, state.onTimeout == nil else { return false }
            state.onTimeout = onTimeout
            state.lastEvent = now
            return true
        }
        guard mustStart else { return }
        let token = clock.deadlines.add(self, due: now + timeout)
        let isStopped = state.withLock { state in
            state.token = token
            return state.isStopped
        }
        if isStopped { clock.deadlines.remove(token) }
    }

    func restart() {
        guard timeout != nil else { return }
        let now = clock.now
        state.withLock { $0.lastEvent = now }
    }

    /// Stops the timer until it is started again. Returns `false` if the timeout has been reached before.
    func pause() -> Bool { end(isStopped: false) }

    /// Stops the timer. It cannot be started again.
    func stop() { end(isStopped: true) }

    @discardableResult private func end(isStopped: Bool) -> Bool {
        let ended = state.withLock { state in
            defer { state = State(isStopped: state.isStopped || isStopped) }
            return state
        }
        if let token = ended.token { clock.deadlines.remove(token) }
        return !ended.hasFired
    }

    func deadlineReached() -> Duration? {
        guard let timeout else { return nil }
        let now = clock.now
        if isPaused() { return now + timeout }
        let (next, onTimeout) = state.withLock { state -> (Duration?, (@Sendable () -> Void)?) in
            let due = state.lastEvent + timeout
            guard due <= now else { return (due, nil) }
            state.hasFired = state.onTimeout != nil
            return (nil, state.onTimeout)
        }
        onTimeout?()
        return next
    }
}
