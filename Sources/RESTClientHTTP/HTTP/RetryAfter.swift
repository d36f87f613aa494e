package import Foundation

/// The time that a server asks the client to wait for: `Retry-After` (RFC 9110, section 10.2.3) or, if a rate limit is
/// exhausted, the time until it is reset.
///
/// | field | value |
/// |---|---|
/// | `Retry-After` | seconds or a date |
/// | `RateLimit` | `"name";r=0;t=30`, or `remaining=0, reset=30` (drafts of the IETF) |
/// | `RateLimit-Reset`, `X-RateLimit-Reset-After` | seconds |
/// | `X-RateLimit-Reset`, `X-Rate-Limit-Reset` | seconds, or a Unix time in seconds or milliseconds |
///
/// A valid `Retry-After` comes first. The reset fields count only for the status 403, 429 or 503, and only if the field of the
/// remaining requests is 0 or negative. For 429 it may be missing.
package struct RetryAfter: Equatable, Sendable {
    /// The time to wait, which is positive.
    package let delay: Duration
    /// The name of the header field that contains it.
    package let field: String

    /// Creates the time that a response asks for. Returns `nil` if it asks for none, or if all fields are invalid, zero
    /// or in the past.
    ///
    /// A point in time is compared with the `Date` of the response if there is one, so that clock differences between
    /// the server and the client do not matter, otherwise with `now`.
    package init?(_ status: HTTPStatus, _ headers: HTTPHeaders, now: Date) {
        let value = headers[.retryAfter]?.withoutRepetition.trimmingCharacters(in: .whitespaces)
        let isLimited = [403, 429, 503].contains(status)
        // Most responses have neither, and their `Date` is not parsed.
        guard value != nil || isLimited else { return nil }
        let clock = headers[.date].flatMap { HTTPDate.date($0, now: now) } ?? now
        let date = value.flatMap { HTTPDate.date($0, now: clock) }.map { $0.timeIntervalSince(clock) }
        if let seconds = value.flatMap(Self.wholeSeconds) ?? date {
            guard seconds > 0 else { return nil }
            (field, delay) = ("Retry-After", .seconds(min(seconds, RateLimit.maxSeconds)))
            return
        }
        guard isLimited else { return nil }
        let exhausted = RateLimit.all(in: headers, now: clock)
            .filter { ($0.remaining ?? (status == 429 ? 0 : 1)) <= 0 }
        // The first field; of the limits in it, the one that is reset last.
        let limit = exhausted.filter { $0.field == exhausted.first?.field }.max { $0.reset < $1.reset }
        guard let limit else { return nil }
        (field, delay) = (limit.field, limit.reset)
    }

    private static func wholeSeconds(_ value: String) -> Double? {
        !value.isEmpty && value.utf8.allSatisfy(\.isASCIIDigit) ? Double(value) : nil
    }
}

/// A rate limit that a response reports: see the fields of ``RetryAfter``.
package struct RateLimit: Equatable, Sendable {
    /// The name of the header field that contains the reset.
    package let field: String
    /// The number of requests until the reset, which can be negative; `nil` if the response does not say it.
    package let remaining: Double?
    /// The time until the limit is reset, which is positive.
    package let reset: Duration

    private init?(_ field: String, _ remaining: Double?, _ seconds: Double?) {
        guard let seconds, seconds > 0 else { return nil }
        (self.field, self.remaining) = (field, remaining)
        reset = .seconds(min(seconds, Self.maxSeconds))
    }

    /// Returns the limits of a response whose time is `now`, in the order of the fields of ``RetryAfter``.
    package static func all(in headers: HTTPHeaders, now: @autoclosure () -> Date) -> [RateLimit] {
        let fields: [(HTTPHeaders.Name, HTTPHeaders.Name)] = [
            ("RateLimit-Reset", "RateLimit-Remaining"), ("X-RateLimit-Reset-After", "X-RateLimit-Remaining"),
            ("X-RateLimit-Reset", "X-RateLimit-Remaining"), ("X-Rate-Limit-Reset", "X-Rate-Limit-Remaining"),
        ]
        let single = fields.compactMap { reset, remaining -> RateLimit? in
            guard var seconds = headers[reset].flatMap(Double.init) else { return nil }
            // A Unix time is larger than a delay of three years, even in seconds.
            if seconds >= 1e11 { seconds /= 1000 }
            if seconds >= 1e8 { seconds -= now().timeIntervalSince1970 }
            return RateLimit(reset.rawValue, headers[remaining].map { Double($0) ?? 1 }, seconds)
        }
        return (headers["RateLimit"].map(limits) ?? []) + single
    }

    /// Returns the limits of a `RateLimit` field.
    private static func limits(_ value: String) -> [RateLimit] {
        func parameters(_ text: some StringProtocol) -> [String: Double] {
            let pairs = text.split { $0 == ";" || $0 == "," }.map { $0.split(separator: "=", maxSplits: 1) }
            let numbers = pairs.compactMap { pair -> (String, Double)? in
                guard pair.count == 2, let number = Double(pair[1]) else { return nil }
                return (pair[0].trimmingCharacters(in: .whitespaces).lowercased(), number)
            }
            return Dictionary(numbers) { $1 }
        }
        let whole = parameters(value)
        return value.split(separator: ",").map { parameters($0) }
            .compactMap { RateLimit("RateLimit", $0["r"] ?? 1, $0["t"]) }
            + [RateLimit("RateLimit", whole["remaining"] ?? 1, whole["reset"])].compactMap(\.self)
    }

    /// A thousand years, so that sums of durations stay in range.
    fileprivate static let maxSeconds: Double = 31_556_952_000
}
