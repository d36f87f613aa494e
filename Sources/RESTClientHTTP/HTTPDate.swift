package import Foundation

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// The moment that `text` names in any of the three formats, or `nil` where it is none of them.
    ///
    /// - Parameter now: places the two digits of an RFC 850 year: a date more than 50 years ahead is one of the
    ///   past, as the RFC says.
    package static func date(_ text: String, now: Date) -> Date? {
        let words = text.split(separator: " ")
        switch words.count {
        case 6: return fixed(words)
        case 4: return obsolete(words, now: now)
        case 5: return asctime(words)
        default: return nil
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixed(_ words: [Substring]) -> Date? {
        guard words[0].last == ",", shortDays.contains(words[0].dropLast()), words[5] == "GMT",
            let day = number(words[1], digits: 2...2), let month = month(words[2]),
            let year = number(words[3], digits: 4...4)
        else { return nil }
        return date(year, month, day, words[4])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func obsolete(_ words: [Substring], now: Date) -> Date? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[0].last == ",", longDays.contains(words[0].dropLast()), words[3] == "GMT",
            parts.count == 3, let day = number(parts[0], digits: 2...2), let month = month(parts[1]),
            let shortYear = number(parts[2], digits: 2...2)
        else { return nil }
        let thisYear = civilYear(now)
        var year = thisYear - thisYear % 100 + shortYear
        // As close to now as two digits allow, but not more than 50 years ahead.
        if year > thisYear + 50 { year -= 100 } else if year <= thisYear - 50 { year += 100 }
        guard let date = date(year, month, day, words[2]) else { return nil }
        guard date.timeIntervalSince(now) > 50 * 365.2425 * 86_400 else { return date }
        return self.date(year - 100, month, day, words[2])
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ words: [Substring]) -> Date? {
        guard shortDays.contains(words[0]), let month = month(words[1]),
            let day = number(words[2], digits: 1...2), let year = number(words[4], digits: 4...4)
        else { return nil }
        return date(year, month, day, words[3])
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int, _ time: Substring) -> Date? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        // A second 60 is a leap second.
        guard parts.count == 3, let hour = number(parts[0], digits: 2...2), hour < 24,
            let minute = number(parts[1], digits: 2...2), minute < 60,
            let second = number(parts[2], digits: 2...2), second <= 60,
            day >= 1, day <= days(in: month, of: year)
        else { return nil }
        let days = daysSince1970(year, month, day)
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func month(_ name: Substring) -> Int? {
        months.firstIndex(of: name).map { $0 + 1 }
    }

    // MARK: The Gregorian calendar, without the cost of a formatter

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Counts in years that begin in March, so that a leap day is the last day of one.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func civilYear(_ date: Date) -> Int {
        // A year is off by a day at most here, which only the century of a date 50 years away can tell.
        1970 + Int((min(max(date.timeIntervalSince1970, 0), 2e11) / (365.2425 * 86_400)).rounded(.down))
    }

    private static let shortDays: [Substring] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays: [Substring] = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
