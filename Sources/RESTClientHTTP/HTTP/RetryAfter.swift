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
/// A valid `Retry-After` comes first. The reset fields count only for the status 403, 429 or 503, and only if the field of the remaining requests is 0 or
/// negative. For 429 it may be missing.
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
        let value = headers[.retryAfter]?.trimmingCharacters(in: .whitespaces)
        let isLimited = [403, 429, 503].contains(status)
        // Most responses have neither, and their `Date` is not parsed.
        guard value != nil || isLimited else { return nil }
        let clock = headers[.date].flatMap { HTTPDate.date($0, now: now) } ?? now
        let date = value.flatMap { HTTPDate.date($0, now: clock) }.map { $0.timeIntervalSince(clock) }
        var times: [(field: String, seconds: Double?)] = []
        if let seconds = value.flatMap(Self.wholeSeconds) ?? date {
            times = [("Retry-After", seconds)]
        } else if isLimited {
            times = Self.rateLimits(status, headers, clock)
        }
        for (field, seconds) in times {
            guard let seconds, seconds > 0 else { continue }
            self.field = field
            delay = .seconds(min(seconds, Self.maxSeconds))
            return
        }
        return nil
    }

    /// Returns the times until exhausted rate limits are reset.
    private static func rateLimits(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ clock: Date
    ) -> [(field: String, seconds: Double?)] {
        let fields: [(HTTPHeaders.Name, HTTPHeaders.Name)] = [
            ("RateLimit-Reset", "RateLimit-Remaining"), ("X-RateLimit-Reset-After", "X-RateLimit-Remaining"),
            ("X-RateLimit-Reset", "X-RateLimit-Remaining"), ("X-Rate-Limit-Reset", "X-Rate-Limit-Remaining"),
        ]
        let resets = fields.map { reset, remaining -> (field: String, seconds: Double?) in
            let isExhausted = headers[remaining].map { (Double($0) ?? 1) <= 0 } ?? (status == 429)
            guard isExhausted, var seconds = headers[reset].flatMap(Double.init) else {
                return (reset.rawValue, nil)
            }
            // A Unix time is larger than a delay of three years, even in seconds.
            if seconds >= 1e11 { seconds /= 1000 }
            return (reset.rawValue, seconds >= 1e8 ? seconds - clock.timeIntervalSince1970 : seconds)
        }
        return [("RateLimit", headers["RateLimit"].flatMap(exhausted))] + resets
    }

    /// Returns the longest time until an exhausted limit of a `RateLimit` field is reset.
    private static func exhausted(_ value: String) -> Double? {
        func parameters(_ text: some StringProtocol) -> [String: Double] {
            let pairs = text.split { $0 == ";" || $0 == "," }.map { $0.split(separator: "=", maxSplits: 1) }
            let numbers = pairs.compactMap { pair -> (String, Double)? in
                guard pair.count == 2, let number = Double(pair[1]) else { return nil }
                return (pair[0].trimmingCharacters(in: .whitespaces).lowercased(), number)
            }
            return Dictionary(numbers) { $1 }
        }
        let limits = value.split(separator: ",").map { parameters($0) }
        let whole = parameters(value)
        return limits.filter { ($0["r"] ?? 1) <= 0 }.compactMap { $0["t"] }.max()
            ?? ((whole["remaining"] ?? 1) <= 0 ? whole["reset"] : nil)
    }

    private static func wholeSeconds(_ value: String) -> Double? {
        !value.isEmpty && value.utf8.allSatisfy(\.isASCIIDigit) ? Double(value) : nil
    }

    /// A thousand years, so that sums of durations stay in range.
    private static let maxSeconds: Double = 31_556_952_000
}
