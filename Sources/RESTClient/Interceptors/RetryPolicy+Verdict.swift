import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RetryPolicy {
    /// What is to become of an outcome.
    enum Verdict {
        /// It stands; says why, where another attempt might have been expected.
        case stands(because: String?)
        case again(after: Duration, because: Reason)
    }

    /// Why there is a wait.
    struct Reason {
        /// What happened.
        var cause: String
        var isRetryAfter: Bool

        /// `12 s (Retry-After)`
        func wait(_ delay: Duration) -> String { delay.secondsText + (isRetryAfter ? " (Retry-After)" : "") }
    }

    /// The whole decision, but for what it takes a clock, a deadline and a budget to know.
    func verdict(on outcome: Result<ResponseHead, any Error>, of request: URLRequest, attempt: Int) -> Verdict
    {
        guard attempt < maxAttempts, mayRepeat(request), let cause = cause(of: outcome) else {
            return .stands(because: nil)
        }
        if case .success(let head) = outcome, let wish = RetryAfter.delay(in: head.headers, now: now()) {
            let reason = Reason(cause: cause, isRetryAfter: true)
            guard wish <= maxRetryAfter else {
                let limit = "longer than \(maxRetryAfter.secondsText)"
                return .stands(
                    because: "\(cause); not tried again: Retry-After is \(wish.secondsText), \(limit)")
            }
            return .again(after: wish, because: reason)
        }
        return .again(after: backoff.delay(attempt), because: Reason(cause: cause, isRetryAfter: false))
    }

    /// What happened, if it is worth another attempt.
    private func cause(of outcome: Result<ResponseHead, any Error>) -> String? {
        switch outcome {
        case .success(let head): statuses.contains(head.status) ? "\(head.status)" : nil
        case .failure(let error): (error as? RESTClientError)?.passingCause
        }
    }

    private func mayRepeat(_ request: URLRequest) -> Bool {
        guard request.httpBodyStream == nil else { return false }
        return switch methods {
        case .idempotent, .idempotencyKeyed: isRepeatable(request)
        case .all: true
        }
    }

    /// Whether sending it twice means no more than sending it once, as its method or its key says.
    func isRepeatable(_ request: URLRequest) -> Bool {
        HTTPMethod(rawValue: request.httpMethod ?? "GET").isIdempotent
            || request.value(forHTTPHeaderField: HTTPHeaders.Name.idempotencyKey.rawValue) != nil
    }
}

extension RESTClientError {
    /// What happened, if it may pass by itself: the table of `RetryPolicy`.
    fileprivate var passingCause: String? {
        switch kind {
        case .connection(.tls): nil
        case .connection(.other) where !(underlying is URLError): nil
        case .connection(let failure): "\(failure)"
        case .timedOut(.idle): "timed out waiting for data"
        case .incompleteBody: "the reply ended early"
        case .timedOut(.total), .invalidRequest, .shutDown, .redirect, .status, .authentication,
            .invalidResponse, .notJSON, .malformedJSON, .wrongShape, .pagination, .limit, .file:
            nil
        }
    }
}
