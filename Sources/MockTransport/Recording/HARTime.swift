import Foundation

/// Times as an archive writes them: dates to the millisecond, durations to the microsecond.
enum HARTime {
    /// A year, in milliseconds.
    static let longest = 366.0 * 86_400_000
    /// The last second of the year 9999, the last that ISO 8601 writes with four digits.
    private static let last = 253_402_300_799.0

    /// `nil` for what is no date, and for one that could not be written again.
    static func date(_ text: String) -> Date? {
        let styles = [true, false].map {
            Date.ISO8601FormatStyle(includingFractionalSeconds: $0, timeZone: .gmt)
        }
        let date = styles.lazy.compactMap { try? $0.parse(text) }.first.map(rounded)
        return date.flatMap { hasFourDigits($0) ? $0 : nil }
    }

    /// Whether the year of a date is one of ISO 8601, 1 to 9999.
    private static func hasFourDigits(_ date: Date) -> Bool {
        date.timeIntervalSince1970 > -62_135_596_800 && date.timeIntervalSince1970 < last
    }

    /// `2026-03-04T05:06:07.123Z`; what is no date, or none of our era, is the beginning of 1970.
    static func text(_ date: Date) -> String {
        guard hasFourDigits(date) else { return text(Date(timeIntervalSince1970: 0)) }
        // A format style with fractions cuts them off where they are a hair too small.
        let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded())
        let rest = ((milliseconds % 1_000) + 1_000) % 1_000
        let whole = Date(timeIntervalSince1970: Double((milliseconds - rest) / 1_000))
        let fraction = String(rest + 1_000).dropFirst()
        return whole.formatted(Date.ISO8601FormatStyle(timeZone: .gmt)).dropLast() + ".\(fraction)Z"
    }

    static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
    }

    static func duration(milliseconds: Double) -> Duration {
        // Not a number is not more than nothing.
        guard milliseconds > 0 else { return .zero }
        return .microseconds(Int64((min(milliseconds, longest) * 1_000).rounded()))
    }

    /// Not less than nothing, not more than a year.
    static func rounded(_ duration: Duration) -> Duration {
        Self.duration(milliseconds: duration / .seconds(1) * 1_000)
    }

    static func scaled(_ duration: Duration, by pace: Double) -> Duration {
        Self.duration(milliseconds: duration / .seconds(1) * 1_000 * pace)
    }

    static func milliseconds(_ duration: Duration) -> JSONLiteral {
        let number = (duration / .seconds(1) * 1_000_000).rounded() / 1_000
        if let whole = Int(exactly: number) { return JSONLiteral(.integer(whole)) }
        return JSONLiteral(.number(number))
    }
}
