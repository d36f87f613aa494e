import Foundation
import RESTClientHTTP

/// A date and time in the most common form of ISO 8601, in UTC: `2024-02-29T12:30:45Z`.
///
/// `Date.ISO8601FormatStyle` reads the other forms. It takes most of the time of decoding an item with a date.
struct ISO8601Text {
    let date: Date

    /// Creates a date from 20 bytes. Returns `nil` if they are in another form, or not a valid date since 1600.
    init?(_ text: RawSpan) {
        guard text.byteCount == 20, text.byte(at: 4) == UInt8(ascii: "-"),
            text.byte(at: 7) == UInt8(ascii: "-"),
            text.byte(at: 10) == UInt8(ascii: "T"), text.byte(at: 13) == UInt8(ascii: ":"),
            text.byte(at: 16) == UInt8(ascii: ":"), text.byte(at: 19) == UInt8(ascii: "Z"),
            let century = Self.number(text, at: 0), let rest = Self.number(text, at: 2),
            let month = Self.number(text, at: 5), let day = Self.number(text, at: 8),
            let hour = Self.number(text, at: 11), let minute = Self.number(text, at: 14),
            let second = Self.number(text, at: 17)
        else { return nil }
        let year = century * 100 + rest
        guard year >= 1600, 1...12 ~= month, hour < 24, minute < 60, second < 60,
            1...Self.length(ofMonth: month, in: year) ~= day
        else { return nil }
        let days = Self.days(before: year, month) + day - 1
        date = Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    /// Returns the number of the two digits at `index`.
    @inline(__always) private static func number(_ text: RawSpan, at index: Int) -> Int? {
        let (tens, ones) = (text.byte(at: index), text.byte(at: index + 1))
        return Byte.isDigit(tens) && Byte.isDigit(ones) ? Int(tens &- 0x30) * 10 + Int(ones &- 0x30) : nil
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : 30 + (month + month / 8) % 2
    }

    /// Returns the number of days from 1970 to the start of a month.
    private static func days(before year: Int, _ month: Int) -> Int {
        // Years begin with March, so that the leap day is the last one (H. Hinnant, 2013).
        let year = month < 3 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        return year * 365 + year / 4 - year / 100 + year / 400 + (monthFromMarch * 153 + 2) / 5 - 719_468
    }
}
