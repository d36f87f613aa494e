public import RESTClientHTTP

#if canImport(FoundationNetworking)
package import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Tries again what may be tried again.
///
/// ```swift
/// let manager = SessionManager(interceptors: [.retry(), .bearer(token, for: api)])
/// ```
///
/// It is asked once for each attempt, and only about the exchange: validation and decoding stand outside, and what
/// fails there is not sent again. What is tried again:
///
/// | outcome | again? | because |
/// |---|---|---|
/// | a status in `statuses` | yes | the server says that it is the moment, not the request |
/// | `connection`: `hostNotFound`, `refused`, `reset`, `emptyReply` | yes | names, servers and networks come back |
/// | `connection(.other)` | if URLSession says so | a protocol class's own error, such as a mock's, is no accident |
/// | `connection(.tls)` | no | a certificate does not get better |
/// | `timedOut(.idle)`, `incompleteBody` | yes | the exchange broke off |
/// | `timedOut(.total)` | no | there is no time left |
/// | all other errors, `CancellationError` first | no | they would come again, or somebody meant it |
///
/// Only what `methods` allows is sent twice, and never a body from an `httpBodyStream` that a caller brought, which
/// can be read once. A streamed answer that is refused is dropped before the wait.
///
/// A `Retry-After` on a refused answer, in seconds or as a date, takes the place of the backoff; one that is neither,
/// or has passed, does not count. Where the wait would be longer than ``maxRetryAfter`` or than the time before the
/// total timeout, the outcome stands at once, as it is: the last response, or the last error. The events say why.
public struct RetryPolicy: RequestInterceptor {
    /// The most attempts, the first included. 3 by default; less than 1 counts as 1.
    public var maxAttempts: Int
    /// How long to wait before an attempt, where the server does not say.
    public var backoff: Backoff
    /// The statuses that are worth another attempt: 408, 429, 500, 502, 503 and 504 by default.
    public var statuses: Set<HTTPStatus>
    /// Which requests may be sent twice.
    public var methods: Methods
    /// What all requests of the policy may spend on attempts after their first; `nil` is without limit.
    public var budget: RetryBudget?
    /// The longest `Retry-After` that is waited for; 10 minutes by default.
    public var maxRetryAfter: Duration
    /// How long after the request was made an attempt may still begin; `nil`, the default, is without limit.
    public var maxElapsedTime: Duration?

    /// The clock for a `Retry-After` that is a date, where the server does not tell its own time.
    package var now: @Sendable () -> Date = { Date() }

    /// Which requests may be sent twice.
    public enum Methods: Sendable {
        /// Those of an idempotent method (RFC 9110, section 9.2.2), and any that brings an `Idempotency-Key`.
        case idempotent
        /// All: those of another method get an `Idempotency-Key` where one is missing, a UUID, the same for
        /// each attempt. The server must know the header.
        case idempotencyKeyed
        /// All, whatever comes of it.
        case all
    }

    /// A policy, each part with its default.
    public init(
        maxAttempts: Int = 3, backoff: Backoff = .exponential(),
        statuses: Set<HTTPStatus> = [408, 429, 500, 502, 503, 504], methods: Methods = .idempotent,
        budget: RetryBudget? = RetryBudget(), maxRetryAfter: Duration = .seconds(600),
        maxElapsedTime: Duration? = nil
    ) {
        self.maxAttempts = maxAttempts
        self.backoff = backoff
        self.statuses = statuses
        self.methods = methods
        self.budget = budget
        self.maxRetryAfter = maxRetryAfter
        self.maxElapsedTime = maxElapsedTime
    }

    /// The wait before another attempt, `nil` to leave it at that. Pure but for the backoff's random numbers: tables
    /// test it, loops of one's own use it.
    ///
    /// It knows nothing of the budget, of ``maxElapsedTime`` and of the total timeout.
    ///
    /// - Parameters:
    ///   - outcome: how the attempt ended.
    ///   - request: what was sent.
    ///   - attempt: the number of the attempt that ended in `outcome`; 1 is the first.
    public func delay(
        after outcome: Result<ResponseHead, any Error>, to request: URLRequest, attempt: Int
    ) -> Duration? {
        guard case .again(let delay, _) = verdict(on: outcome, of: request, attempt: attempt) else {
            return nil
        }
        return delay
    }

    /// Sends `request` on until it gets an answer that stands.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        budget?.deposit()
        let request = keyed(request)
        var attempt = 1
        while true {
            switch try await send(request, attempt: attempt, context, next) {
            case .answer(let response): return response
            case .again(let delay, let reason):
                attempt += 1
                try await context.wait(delay, because: reason)
            }
        }
    }
}

extension RequestInterceptor where Self == RetryPolicy {
    /// Tries again up to `maxAttempts` times in all: idempotent requests, within a budget of their own.
    public static func retry(
        maxAttempts: Int = 3, backoff: RetryPolicy.Backoff = .exponential()
    ) -> Self {
        RetryPolicy(maxAttempts: maxAttempts, backoff: backoff)
    }

    /// Tries again as `policy` says.
    public static func retry(_ policy: RetryPolicy) -> Self { policy }
}

// MARK: One attempt

extension RetryPolicy {
    private enum Step {
        case answer(Response<ResponseBody>)
        case again(after: Duration, because: String)
    }

    /// One attempt. A response that does not stand ends here, and its transfer with it, before anybody waits.
    private func send(
        _ request: URLRequest, attempt: Int, _ context: RequestContext, _ next: Next
    ) async throws -> Step {
        let outcome: Result<Response<ResponseBody>, any Error>
        do { outcome = .success(try await next(request)) } catch { outcome = .failure(error) }

        switch verdict(on: outcome.map { $0.map { _ in } }, of: request, attempt: attempt) {
        case .stands(nil): break
        case .stands(let reason?): context.note(reason)
        case .again(let delay, let reason):
            if let remaining = context.remaining, remaining <= delay {
                let left = max(remaining, .zero).secondsText
                context.note(
                    "\(reason.cause); not tried again: \(reason.wait(delay)) would pass the total timeout in \(left)"
                )
            } else if let maxElapsedTime, context.elapsed + delay > maxElapsedTime {
                context.note(
                    "\(reason.cause); not tried again: \(reason.wait(delay)) would pass the \(maxElapsedTime.secondsText) for retries"
                )
            } else if let budget, !budget.withdraw() {
                context.note("\(reason.cause); not tried again: the retry budget is spent")
            } else {
                let count = "attempt \(attempt + 1) of \(maxAttempts)"
                return .again(
                    after: delay, because: "\(reason.cause); waiting \(reason.wait(delay)), \(count)")
            }
        }
        return .answer(try outcome.get())
    }

    private func keyed(_ request: URLRequest) -> URLRequest {
        guard case .idempotencyKeyed = methods, !isRepeatable(request) else { return request }
        var request = request
        request.setValue(UUID().uuidString, forHTTPHeaderField: HTTPHeaders.Name.idempotencyKey.rawValue)
        return request
    }
}
