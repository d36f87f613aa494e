import RESTClientHTTP

// As in RetryPolicy.swift.
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Limits how many requests are in progress at the same time, and how many are sent in a second.
///
/// ```swift
/// let manager = SessionManager(interceptors: [.retry(), .limiting(concurrent: 8, perSecond: 10)])
/// ```
///
/// The limits apply to all requests of everything that the limiter is given to: managers, requests, or both. Requests that
/// exceed a limit wait for their turn, and are sent in the order in which they came. A request that is cancelled, or whose
/// total timeout elapses, stops waiting at once.
///
/// Add the limiter after a retry policy. Each attempt then waits for its turn, and the time before the next attempt does not
/// count as a request in progress.
///
/// **In progress.** A request is in progress until its body was received; a download, until the file is complete. A
/// stream whose reader is slow does not count while its transfer waits, so that the reader can send further requests. A
/// request that an interceptor after the limiter sends, such as the refresh of a credential, does not count either: the
/// request that needs it would wait for itself.
///
/// **Rate limits of the server.** After a `Retry-After` with the status 403, 429 or 503, requests to the origin of the
/// response, which a redirect can have led to, wait until that time. If a response says how many requests are left until the
/// limit is reset (`RateLimit`, or fields such as `RateLimit-Remaining` and `X-RateLimit-Reset`), no more than that are sent
/// until then. A reset after more than 10 minutes is not waited for: the requests are sent, and the response of the server is
/// their error.
///
/// The times are those of the clock of the manager that uses the limiter first.
public final class RequestLimiter: RequestInterceptor {
    private let state: LockedState<Places>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - concurrent: The maximum number of requests in progress, or `nil` for no limit. Values below 1 are treated as 1.
    ///   - perSecond: The maximum number of requests that are sent in any second, or `nil` for no limit. With 0.5, there are at
    ///     least two seconds between two requests. A value that is not positive is treated as no limit.
    public init(concurrent: Int? = nil, perSecond: Double? = nil) {
        state = LockedState(Places(concurrent.map { max($0, 1) } ?? .max, perSecond.flatMap(Rate.init)))
    }

    deinit { state.withLock { $0.timer }?.task.cancel() }

    /// Sends `request` when its turn has come.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        guard let origin = Origin(request.url) else { return try await next(request) }
        let clock = state.withLock { state in
            state.clock = state.clock ?? context.task.clock
            return state.clock ?? context.task.clock
        }
        let turn = try await turn(of: origin, context, clock)
        do {
            let response = try await Self.$entered.withValue(Self.entered.union([ObjectIdentifier(self)])) {
                try await next(request)
            }
            if let quota = Quota(response.status, response.headers) {
                let sender = Origin(response.request.url).flatMap { origin.includes($0) ? nil : $0 } ?? origin
                change(clock) { state, now in state.apply(quota, of: sender, after: turn, at: now) }
            }
            guard case .stream(let stream) = response.body else {
                end(turn, clock)
                return response
            }
            stream.whenAtRest { self.end(turn, clock) }
            return response
        } catch {
            end(turn, clock)
            throw error
        }
    }

    /// The limiters that the current task has entered.
    @TaskLocal private static var entered: Set<ObjectIdentifier> = []

    /// Waits until a request may be sent.
    ///
    /// - Throws: `CancellationError` if the request is cancelled; `DeadlineExceeded` if its total timeout elapses before its
    ///   turn can come.
    private func turn(of origin: Origin, _ context: RequestContext, _ clock: AnyClock) async throws -> Turn {
        let (turns, continuation) = AsyncThrowingStream.makeStream(of: Turn.self)
        let isNested = Self.entered.contains(ObjectIdentifier(self))
        let id = change(clock) { state, _ in state.add(origin, isNested: isNested, continuation) }
        do {
            let token = try context.task.addCancellationHandler {
                continuation.finish(throwing: CancellationError())
            }
            defer { context.task.removeCancellationHandler(token) }
            let now = clock.now
            if let wait = state.withLock({ $0.wait(of: id, at: now) }) {
                context.task.remark("while waiting for \(wait.reason)")
                if let remaining = context.remaining, let time = wait.duration, time > remaining {
                    throw DeadlineExceeded()
                }
                context.note("waiting for \(wait.reason)")
            }
            for try await turn in turns {
                context.task.remark(nil)
                return turn
            }
            throw CancellationError()
        } catch {
            // Its turn may have come before the cancellation.
            continuation.finish()
            if !change(clock, { state, _ in state.removeWaiter(id) }) {
                for try await turn in turns { end(turn, clock) }
            }
            throw error
        }
    }

    private func end(_ turn: Turn, _ clock: AnyClock) { change(clock) { state, _ in state.end(turn) } }

    /// Changes the state, and gives the turn to the requests that may be sent then.
    @discardableResult private func change<Value: Sendable>(
        _ clock: AnyClock, _ change: (inout Places, _ now: Duration) -> Value
    ) -> Value {
        let now = clock.now
        let (result, replaced) = state.withLock { state in
            let result = change(&state, now)
            return (result, wake(at: state.admit(at: now), &state, clock))
        }
        replaced?.cancel()
        return result
    }

    /// Changes the state at `time`, unless it is `nil`. Returns a sleep that is replaced, and must be cancelled.
    private func wake(at time: Duration?, _ state: inout Places, _ clock: AnyClock) -> Task<Void, Never>? {
        guard time != state.timer?.time else { return nil }
        let replaced = state.timer?.task
        // Detached, because the task must not keep the task-local values of the request that started it.
        state.timer = time.map { time in
            let task = Task.detached { [weak self] in
                let result = await Result { try await clock.sleep(until: time) }
                guard !Task.isCancelled else { return }
                self?.change(clock) { state, _ in
                    state.timer = nil
                    if case .failure(let error) = result { state.fail(error) }
                }
            }
            return (time, task)
        }
        return replaced
    }
}

extension RequestInterceptor where Self == RequestLimiter {
    /// Sends at most `concurrent` requests at the same time, and at most `perSecond` in any second.
    ///
    /// Keep the limiter in a constant to share it between several managers or requests.
    public static func limiting(concurrent: Int? = nil, perSecond: Double? = nil) -> Self {
        RequestLimiter(concurrent: concurrent, perSecond: perSecond)
    }
}

// MARK: - Places

/// A request that may be sent.
private struct Turn: Sendable {
    let origin: Origin
    /// The number of the request among those to its origin, as long as the limiter knows the origin.
    let number: Int
    let isNested: Bool
}

/// At most `count` requests in any interval.
private struct Rate: Sendable {
    let count: Int
    let interval: Duration

    /// Returns `nil` for a rate without effect.
    init?(_ perSecond: Double) {
        guard perSecond > 0, perSecond < 1e6 else { return nil }
        count = max(Int(perSecond), 1)
        interval = .seconds(min(Double(count) / perSecond, 1e9))
    }
}

/// The requests that a server still accepts until a limit is reset.
private struct Quota: Sendable {
    /// The number of requests that the server still accepts, or `nil` if it refuses further ones until the reset.
    let remaining: Int?
    /// The time after the response at which the limit is reset.
    let reset: Duration
    let field: String

    init?(_ status: HTTPStatus, _ headers: HTTPHeaders) {
        if [403, 429, 503].contains(status), let wait = RetryAfter(status, headers, now: Date()) {
            (remaining, reset, field) = (nil, wait.delay, wait.field)
        } else {
            let limits = RateLimit.all(
                in: headers, now: headers[.date].flatMap { HTTPDate.date($0, now: Date()) } ?? Date()
            ).filter { $0.remaining != nil }
            let limit = limits.min { ($0.remaining ?? 0, $1.reset) < ($1.remaining ?? 0, $0.reset) }
            guard let limit, let count = limit.remaining, count < 1e9 else { return nil }
            (remaining, reset, field) = (Int(max(count, 0)), limit.reset, limit.field)
        }
        guard reset <= .seconds(600) else { return nil }
    }
}

/// The requests that are in progress or wait, and what limits them.
private struct Places: Sendable {
    struct Waiter: Sendable {
        let id: Int
        let origin: Origin
        let isNested: Bool
        let continuation: AsyncThrowingStream<Turn, any Error>.Continuation
    }

    /// The state of an origin with requests in progress, or with a quota.
    struct Server: Sendable {
        var sent = 0
        var running = 0
        /// No request after the one with the number `last` is accepted until `end`.
        var quota: (last: Int, end: Duration, field: String)?
    }

    private let concurrent: Int
    private let rate: Rate?
    var clock: AnyClock?
    var timer: (time: Duration, task: Task<Void, Never>)?
    private var running = 0
    /// The times at which the last requests were sent, at most as many as the rate allows; a ring.
    private var starts: [Duration] = []
    private var oldestStart = 0
    private var servers: [Origin: Server] = [:]
    /// The requests that wait, in the order in which they came.
    private var waiters: [Waiter] = []
    private var lastID = 0

    init(_ concurrent: Int, _ rate: Rate?) { (self.concurrent, self.rate) = (concurrent, rate) }

    mutating func add(
        _ origin: Origin, isNested: Bool, _ continuation: AsyncThrowingStream<Turn, any Error>.Continuation
    ) -> Int {
        lastID += 1
        waiters.append(Waiter(id: lastID, origin: origin, isNested: isNested, continuation: continuation))
        return lastID
    }

    /// Returns `false` if the request does not wait any more.
    mutating func removeWaiter(_ id: Int) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return false }
        waiters.remove(at: index)
        return true
    }

    mutating func fail(_ error: any Error) {
        for waiter in waiters { waiter.continuation.finish(throwing: error) }
        waiters = []
    }

    /// Gives their turn to the requests that may be sent. Returns the time at which the next one may be, unless it waits for the
    /// end of another.
    mutating func admit(at now: Duration) -> Duration? {
        while let index = waiters.firstIndex(where: { hasPlace($0) && earliest($0.origin) <= now }) {
            let waiter = waiters.remove(at: index)
            var server = servers[waiter.origin] ?? Server()
            server.sent += 1
            server.running += 1
            let turn = Turn(origin: waiter.origin, number: server.sent, isNested: waiter.isNested)
            // A request that was cancelled takes no turn.
            if case .terminated = waiter.continuation.yield(turn) { continue }
            waiter.continuation.finish()
            servers[waiter.origin] = server
            if !waiter.isNested { running += 1 }
            if let rate {
                if starts.count < rate.count {
                    starts.append(now)
                } else {
                    starts[oldestStart] = now
                    oldestStart = (oldestStart + 1) % rate.count
                }
            }
        }
        return waiters.filter(hasPlace).map { earliest($0.origin) }.min()
    }

    mutating func end(_ turn: Turn) {
        if !turn.isNested { running -= 1 }
        servers[turn.origin]?.running -= 1
        if let server = servers[turn.origin], server.running == 0, server.quota == nil {
            servers[turn.origin] = nil
        }
    }

    /// Applies the quota of a response from `origin` to the request of `turn`, which a redirect can have led to another origin.
    mutating func apply(_ quota: Quota, of origin: Origin, after turn: Turn, at now: Duration) {
        let server = servers[origin] ?? Server()
        var (last, end) = (server.sent, now + quota.reset)
        if let remaining = quota.remaining {
            // Requests in progress can be counted, and answered, in another order than they were sent.
            let isOfTurn = origin == turn.origin
            let counted = server.sent - server.running + (isOfTurn ? 1 : 0)
            last = (isOfTurn ? min(turn.number, counted) : counted) + remaining
        }
        if let known = server.quota, known.end > now {
            (last, end) = (min(last, known.last), quota.remaining == nil ? max(end, known.end) : known.end)
        }
        servers[origin, default: server].quota = (last, end, quota.field)
        // Those of other servers whose limit was reset have no effect any more.
        guard servers.count > 64 else { return }
        servers = servers.filter { $0.value.running > 0 || $0.value.quota.map { $0.end > now } ?? false }
    }

    /// Returns what a request waits for, and the time in which its turn cannot come; `nil` if its turn has come.
    func wait(of id: Int, at now: Duration) -> (reason: String, duration: Duration?)? {
        guard let waiter = waiters.last(where: { $0.id == id }) else { return nil }
        guard hasPlace(waiter) else {
            let requests = concurrent == 1 ? "the request" : "one of \(concurrent) requests"
            return ("\(requests) in progress to end", nil)
        }
        let time = earliest(waiter.origin)
        if let quota = quota(of: waiter.origin), quota.end == time {
            return ("the reset of the rate limit in \((time - now).secondsText) (\(quota.field))", time - now)
        }
        let rate = rate.map {
            "\($0.count == 1 ? "one request" : "\($0.count) requests") in \($0.interval.secondsText)"
        }
        return ("the rate of \(rate ?? "the limiter")", time - now)
    }

    private func hasPlace(_ waiter: Waiter) -> Bool { waiter.isNested || running < concurrent }

    /// The quota of an origin, if no further request is accepted before its reset.
    private func quota(of origin: Origin) -> (last: Int, end: Duration, field: String)? {
        guard let server = servers[origin], let quota = server.quota, server.sent >= quota.last else {
            return nil
        }
        return quota
    }

    /// Returns the time before which no request to `origin` may be sent.
    private func earliest(_ origin: Origin) -> Duration {
        var time = Duration.zero
        if let rate, starts.count == rate.count { time = starts[oldestStart] + rate.interval }
        return max(time, quota(of: origin)?.end ?? .zero)
    }
}
