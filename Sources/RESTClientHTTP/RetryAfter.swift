package import Foundation

/// How long a server wants to be left alone (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The wait that `Retry-After` asks for, in seconds or until a date; `nil` where there is none to keep: no such
    /// field, one that is neither, or a date that has passed.
    ///
    /// A date is read on the server's own clock, which is its `Date`, so that a clock that is wrong on either side does
    /// not matter; without one, on this machine's.
    package static func delay(in headers: HTTPHeaders, now: Date) -> Duration? {
        guard let value = headers[.retryAfter]?.trimmingCharacters(in: .whitespaces) else { return nil }
        let delay = seconds(value) ?? span(until: value, headers, now: now)
        return delay.flatMap { $0 > .zero ? $0 : nil }
    }

    private static func seconds(_ value: String) -> Duration? {
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // More digits than a number holds are longer than anyone waits.
        return .seconds(min(Int64(value) ?? .max, longest))
    }

    private static func span(until value: String, _ headers: HTTPHeaders, now: Date) -> Duration? {
        let clock = headers[.date].flatMap { HTTPDate.date($0, now: now) } ?? now
        guard let date = HTTPDate.date(value, now: clock) else { return nil }
        return .seconds(date.timeIntervalSince(clock))
    }

    /// A thousand years in seconds: keeps sums of durations in range.
    private static let longest: Int64 = 31_556_952_000
}
