import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A retry policy's decision about the outcome of one attempt.
enum RetryDecision {
    case retry(PlannedRetry)
    /// Returns the outcome to the caller; with a planned retry and the limit that it exceeds, if there was one.
    case doNotRetry((retry: PlannedRetry, limit: RetryLimit)?)
}

/// A retry that the outcome of an attempt calls for.
struct PlannedRetry {
    enum Cause {
        case status(HTTPStatus)
        case connection(RESTClientError.Connection)
        case idleTimeout
        case incompleteBody
    }

    let cause: Cause
    let delay: Duration
    /// `true` if the server gave the delay in `Retry-After`.
    let isRetryAfter: Bool

    /// The delay as text: `12 s (Retry-After)`.
    var delayText: String { delay.secondsText + (isRetryAfter ? " (Retry-After)" : "") }
}

/// A limit that rules out a planned retry.
enum RetryLimit {
    case maxRetryAfter(Duration)
    case totalTimeout(remaining: Duration)
    case maxElapsedTime(Duration)
    case budget

    /// The event text for a retry that is not made because of this limit.
    func note(on retry: PlannedRetry) -> String {
        let reason =
            switch self {
            case .maxRetryAfter(let limit):
                "Retry-After of \(retry.delay.secondsText) exceeds the maximum of \(limit.secondsText)"
            case .totalTimeout(let remaining):
                "waiting \(retry.delayText) would exceed the total timeout (\(remaining.secondsText) left)"
            case .maxElapsedTime(let limit):
                "waiting \(retry.delayText) would exceed the time for retries (\(limit.secondsText))"
            case .budget: "the retry budget is exhausted"
            }
        return "\(retry.cause); not retried: \(reason)"
    }
}

extension PlannedRetry.Cause: CustomStringConvertible {
    var description: String {
        switch self {
        case .status(let status): "\(status)"
        case .connection(let failure): "\(failure)"
        case .idleTimeout: "timed out waiting for data"
        case .incompleteBody: "the response ended early"
        }
    }

    /// The cause for retrying after `outcome`, or `nil` if the outcome is permanent; see the table of `RetryPolicy`.
    fileprivate init?(_ outcome: Result<ResponseHead, any Error>, statuses: Set<HTTPStatus>) {
        switch outcome {
        case .success(let head):
            guard statuses.contains(head.status) else { return nil }
            self = .status(head.status)
        case .failure(let error):
            guard let error = error as? RESTClientError else { return nil }
            switch error.kind {
            case .connection(.other) where error.underlying is URLError: self = .connection(.other)
            case .connection(let failure) where failure != .tls && failure != .other:
                self = .connection(failure)
            case .timedOut(.idle): self = .idleTimeout
            case .incompleteBody: self = .incompleteBody
            default: return nil
            }
        }
    }
}

extension RetryPolicy {
    /// Returns the decision about `outcome`, before the deadlines and the budget are consulted.
    func decision(
        on outcome: Result<ResponseHead, any Error>, of request: URLRequest, attempt: Int
    ) -> RetryDecision {
        guard attempt < maxAttempts, allowsRepeating(request),
            let cause = PlannedRetry.Cause(outcome, statuses: statuses)
        else { return .doNotRetry(nil) }
        guard case .success(let head) = outcome,
            let retryAfter = RetryAfter.delay(in: head.headers, now: now())
        else {
            return .retry(PlannedRetry(cause: cause, delay: backoff.delay(attempt), isRetryAfter: false))
        }
        let retry = PlannedRetry(cause: cause, delay: retryAfter, isRetryAfter: true)
        return retryAfter <= maxRetryAfter
            ? .retry(retry) : .doNotRetry((retry, .maxRetryAfter(maxRetryAfter)))
    }

    private func allowsRepeating(_ request: URLRequest) -> Bool {
        guard request.httpBodyStream == nil else { return false }
        return switch methods {
        case .idempotent, .idempotencyKeyed: request.isIdempotent
        case .all: true
        }
    }
}
