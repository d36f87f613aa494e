public import RESTClientHTTP

// The public URLSession types come from Foundation on Apple platforms. On Linux they come from
// RESTClientHTTP, and a public import of Foundation would be reported as unused.
#if canImport(FoundationNetworking)
package import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Retries failed attempts with backoff.
///
/// ```swift
/// let manager = SessionManager(interceptors: [.retry(), .bearer(token, for: api)])
/// ```
///
/// The policy is consulted once after each attempt. Responses that fail validation or decoding are not retried.
///
/// | outcome | retried | reason |
/// |---|---|---|
/// | a status in `statuses` | yes | the server reports a temporary condition |
/// | 403 with a time to wait | if `statuses` contains 429 | a rate limit, for example of GitHub |
/// | 400, 403 or a success whose small body states a rate limit | if `statuses` contains 429 | a rate limit, for example of Slack |
/// | `connection`: `hostNotFound`, `refused`, `reset`, `emptyReply` | yes | names, servers and networks recover |
/// | `connection(.other)` | if the underlying error is a `URLError` | a custom `URLProtocol`'s error, such as a mock's, is permanent |
/// | `connection(.other)` with the status of a proxy that opens no tunnel | if `statuses` contains it | the proxy would refuse it again |
/// | `connection(.tls)` | no | a certificate error is not transient |
/// | `timedOut(.idle)`, `timedOut(.connect)`, `incompleteBody` | yes | the transfer was interrupted |
/// | `timedOut(.total)` | no | there is no time left |
/// | any other error, including `CancellationError` | no | the error is permanent or intentional |
///
/// Only requests that ``methods`` allows are retried. A request whose body comes from a caller's `httpBodyStream` is
/// never retried, because the stream can be read only once. A streamed response that is retried is cancelled before
/// the wait.
///
/// A time to wait in the response replaces the backoff: a `Retry-After` field, in seconds or as a date, or for the status
/// 403, 429 or 503 the reset of an exhausted rate limit (`X-RateLimit-Remaining: 0` and `X-RateLimit-Reset`, or the
/// `RateLimit` fields of the IETF draft), or a time in a body that states a rate limit, such as `"retry_after": 30`. An
/// invalid or past value is ignored. If the wait would be longer than ``maxRetryAfter`` or than the remaining total timeout,
/// the policy immediately returns the last response or throws the last error, and reports the reason as an event.
public struct RetryPolicy: RequestInterceptor {
    /// The maximum number of attempts, including the first. Defaults to 3; values below 1 are treated as 1.
    public var maxAttempts: Int
    /// The delay before each retry when the response contains no time to wait.
    public var backoff: Backoff
    /// The status codes to retry. Defaults to 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<HTTPStatus>
    /// The requests that may be sent more than once. Defaults to ``Methods/idempotent``.
    public var methods: Methods
    /// The retry budget shared by all requests that use this policy, or `nil` for no limit. A retry after a time that the
    /// response contains withdraws no token.
    public var budget: RetryBudget?
    /// The maximum time to wait that a response may request. A longer one is not waited for. Defaults to 10 minutes.
    public var maxRetryAfter: Duration
    /// The time since the creation of the request after which no retry starts, or `nil` for no limit. Defaults to
    /// `nil`.
    public var maxElapsedTime: Duration?

    /// The current time, used for a `Retry-After` date if the response has no `Date`.
    package var now: @Sendable () -> Date = { Date() }

    /// The requests that may be sent more than once.
    public enum Methods: Sendable {
        /// Requests with an idempotent method (RFC 9110, section 9.2.2) or an `Idempotency-Key` header.
        case idempotent
        /// All requests. A request with a method that is not idempotent gets a random `Idempotency-Key` (a UUID) unless
        /// it has one. The key is the same for each attempt. The server must support the header.
        case idempotencyKeyed
        /// All requests, even if the server may execute one of them twice.
        case all
    }

    /// The delay before each retry.
    public struct Backoff: Sendable {
        private let function: @Sendable (_ retry: Int) -> Duration

        /// Creates a custom backoff. `retry` is 1 before the second attempt. A negative delay is treated as zero.
        public init(_ delay: @escaping @Sendable (_ retry: Int) -> Duration) { function = delay }

        /// Returns an exponential backoff with full jitter: `random` × min(`maxDelay`, `initialDelay` · 2ⁿ), n from 0.
        ///
        /// The jitter keeps clients that failed at the same time from retrying at the same time.
        ///
        /// - Parameters:
        ///   - initialDelay: The longest delay before the second attempt. Defaults to half a second.
        ///   - maxDelay: The longest delay before any attempt. Defaults to 20 seconds.
        ///   - random: A random number from 0 to 1; pass `{ 1 }` in a test for exact delays.
        public static func exponential(
            initialDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(20),
            random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
        ) -> Self {
            Self { retry in
                var delay = min(initialDelay, maxDelay)
                var doublings = retry - 1
                while doublings > 0, delay > .zero, delay < maxDelay {
                    delay = min(delay * 2, maxDelay)
                    doublings -= 1
                }
                let factor = random()
                return delay * (factor >= 0 ? min(factor, 1) : 0)
            }
        }

        /// Returns a backoff with the same delay before each retry.
        public static func constant(_ delay: Duration) -> Self { Self { _ in delay } }

        func delay(_ attempt: Int) -> Duration { max(function(attempt), .zero) }
    }

    /// Creates a retry policy. See the properties for the meaning of each parameter.
    public init(
        maxAttempts: Int = 3, backoff: Backoff = .exponential(),
        statuses: Set<HTTPStatus> = [408, 429, 500, 502, 503, 504], methods: Methods = .idempotent,
        budget: RetryBudget? = RetryBudget(), maxRetryAfter: Duration = .seconds(600),
        maxElapsedTime: Duration? = nil
    ) {
        (self.maxAttempts, self.backoff, self.statuses) = (maxAttempts, backoff, statuses)
        (self.methods, self.budget) = (methods, budget)
        (self.maxRetryAfter, self.maxElapsedTime) = (maxRetryAfter, maxElapsedTime)
    }

    /// Returns the delay before the next attempt, or `nil` if the outcome is not retried.
    ///
    /// The result depends only on the arguments and the backoff's random numbers, so it can be used in a custom retry
    /// loop and tested with a table. It does not consider the budget, ``maxElapsedTime`` and the total timeout.
    ///
    /// - Parameters:
    ///   - outcome: The result of the attempt.
    ///   - request: The request that was sent.
    ///   - attempt: The number of the attempt, beginning with 1.
    public func delay(
        after outcome: Result<ResponseHead, any Error>, to request: URLRequest, attempt: Int
    ) -> Duration? {
        plannedRetry(after: outcome, to: request, attempt: attempt)
            .flatMap { exceedsMaxRetryAfter($0) ? nil : $0.delay }
    }

    /// Sends `request` until it succeeds or the policy allows no further attempt.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        budget?.deposit()
        let request = addingIdempotencyKey(to: request)
        var attempt = 1
        while true {
            let retry: PlannedRetry
            do {
                // The response is released at the end of this scope, so that its transfer ends before the wait.
                let outcome = await Result { try await next(request) }
                let limit = await statedLimit(try? outcome.get())
                guard let next = self.retry(after: outcome, limit, to: request, attempt: attempt, context)
                else { return try outcome.get() }
                retry = next
            }
            attempt += 1
            try await context.wait(
                retry.delay,
                because: "\(retry.cause); waiting \(retry.delayText), attempt \(attempt) of \(maxAttempts)")
        }
    }
}

extension RequestInterceptor where Self == RetryPolicy {
    /// Retries idempotent requests, with at most `maxAttempts` attempts including the first and a separate retry
    /// budget.
    public static func retry(maxAttempts: Int = 3, backoff: RetryPolicy.Backoff = .exponential()) -> Self {
        RetryPolicy(maxAttempts: maxAttempts, backoff: backoff)
    }

    /// Retries requests according to `policy`.
    public static func retry(_ policy: RetryPolicy) -> Self { policy }
}

/// A retry after an attempt that failed with a transient error.
struct PlannedRetry {
    /// The failure of the attempt, for events.
    let cause: String
    let delay: Duration
    /// The header field in which the server gave the delay, or `nil` if it is a backoff.
    let field: String?

    /// The delay as text: `12 s (Retry-After)`.
    var delayText: String { delay.secondsText + (field.map { " (\($0))" } ?? "") }
}

extension RetryPolicy {
    /// Returns the reason for a retry after `outcome`, or `nil` if the outcome is permanent; see the table of the policy.
    private func transientFailure(
        _ outcome: Result<ResponseHead, any Error>, _ retryAfter: RetryAfter?, _ limit: StatedRateLimit?
    ) -> String? {
        switch outcome {
        case .success(let head):
            let isRateLimit = head.status == 403 && statuses.contains(429) && retryAfter != nil
            if statuses.contains(head.status) || isRateLimit { return "\(head.status)" }
            return limit.map { _ in "\(head.status) with a rate limit" }
        case .failure(let error):
            guard let error = error as? RESTClientError else { return nil }
            return switch error.kind {
            case .connection(.tls): nil
            case .connection(.other) where !(error.underlying is URLError): nil
            case .connection where error.response.map { isPermanent($0.status) } ?? false: nil
            case .connection(let failure): "\(failure)"
            case .timedOut(let timeout) where timeout != .total: "\(timeout)"
            case .incompleteBody: "the response ended early"
            default: nil
            }
        }
    }

    /// Returns `true` for the status of an error that is not retried, such as that of a proxy that refuses to open a tunnel.
    private func isPermanent(_ status: HTTPStatus) -> Bool {
        status.rawValue >= 400 && !statuses.contains(status)
    }

    /// Returns the rate limit that only the body of a response states, without consuming the body.
    private func statedLimit(_ response: Response<ResponseBody>?) async -> StatedRateLimit? {
        guard let response, statuses.contains(429), StatedRateLimit.isPossible(in: response),
            RetryAfter(response.status, response.headers, now: now()) == nil
        else { return nil }
        // Only an error is read to its end. A list can arrive slowly, and its first items must not wait for the others.
        let count = response.status.isSuccess ? 1 : StatedRateLimit.maxBytes
        let start = await ByteStream(response.body).start(upTo: count)
        return StatedRateLimit(response.map { _ in start })
    }

    /// Returns the retry after `outcome`, or `nil` if the outcome is permanent or the request must not be repeated.
    func plannedRetry(
        after outcome: Result<ResponseHead, any Error>, _ limit: StatedRateLimit? = nil,
        to request: URLRequest, attempt: Int
    ) -> PlannedRetry? {
        guard attempt < maxAttempts, request.httpBodyStream == nil, methods == .all || request.isIdempotent
        else { return nil }
        let retryAfter = (try? outcome.get()).flatMap { RetryAfter($0.status, $0.headers, now: now()) }
        guard let cause = transientFailure(outcome, retryAfter, limit) else { return nil }
        let stated = limit?.delay != nil ? limit?.field : nil
        return PlannedRetry(
            cause: cause, delay: retryAfter?.delay ?? limit?.delay ?? backoff.delay(attempt),
            field: retryAfter?.field ?? stated)
    }

    /// Returns the retry after `outcome`, or `nil`. If a limit prevents a retry, it is reported as an event.
    private func retry(
        after outcome: Result<Response<ResponseBody>, any Error>, _ limit: StatedRateLimit?,
        to request: URLRequest, attempt: Int, _ context: RequestContext
    ) -> PlannedRetry? {
        let head = outcome.map { $0.map { _ in } }
        guard let retry = plannedRetry(after: head, limit, to: request, attempt: attempt) else { return nil }
        guard let limit = exceededLimit(of: retry, context) else { return retry }
        context.note("\(retry.cause); not retried: \(limit)")
        context.task.remark("not retried: \(limit)")
        return nil
    }

    /// The limit that rules out `retry`, or `nil` after a token was withdrawn from the budget for it. A wait that the server
    /// asked for needs no token, because the server has limited the load itself.
    private func exceededLimit(of retry: PlannedRetry, _ context: RequestContext) -> String? {
        if let field = retry.field, exceedsMaxRetryAfter(retry) {
            let (delay, limit) = (retry.delay.secondsText, maxRetryAfter.secondsText)
            return "\(field) of \(delay) exceeds the maximum of \(limit)"
        }
        if let remaining = context.remaining, remaining <= retry.delay {
            let left = max(remaining, .zero).secondsText
            return "waiting \(retry.delayText) would exceed the total timeout (\(left) left)"
        }
        if let maxElapsedTime, context.elapsed + retry.delay > maxElapsedTime {
            let limit = maxElapsedTime.secondsText
            return "waiting \(retry.delayText) would exceed the time for retries (\(limit))"
        }
        guard retry.field == nil, budget?.withdraw() == false else { return nil }
        return "the retry budget is exhausted"
    }

    private func exceedsMaxRetryAfter(_ retry: PlannedRetry) -> Bool {
        retry.field != nil && retry.delay > maxRetryAfter
    }

    private func addingIdempotencyKey(to request: URLRequest) -> URLRequest {
        guard case .idempotencyKeyed = methods, !request.isIdempotent else { return request }
        var request = request
        request[.idempotencyKey] = UUID().uuidString
        return request
    }
}
