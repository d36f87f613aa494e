import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A retry after an attempt that failed with a transient error.
struct PlannedRetry {
    enum Cause {
        case status(HTTPStatus)
        case connection(RESTClientError.ConnectionFailure)
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
    /// Returns the retry after `outcome`, or `nil` if the outcome is permanent or the request must not be repeated.
    func plannedRetry(
        after outcome: Result<ResponseHead, any Error>, to request: URLRequest, attempt: Int
    ) -> PlannedRetry? {
        guard attempt < maxAttempts, request.httpBodyStream == nil, methods == .all || request.isIdempotent,
            let cause = PlannedRetry.Cause(outcome, statuses: statuses)
        else { return nil }
        if case .success(let head) = outcome, let delay = RetryAfter.delay(in: head.headers, now: now()) {
            return PlannedRetry(cause: cause, delay: delay, isRetryAfter: true)
        }
        return PlannedRetry(cause: cause, delay: backoff.delay(attempt), isRetryAfter: false)
    }
}
