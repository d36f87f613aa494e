package import Foundation

/// A parser for HTTP dates (RFC 9110, section 5.6.7).
///
/// Foundation's `Date.HTTPFormatStyle` is not used: it does not exist on Linux, and requires macOS 26.
package enum HTTPDate {
    /// Returns the date that `text` contains in one of the three formats, or `nil` if it has another format.
    ///
    /// - Parameter now: The current time. The two-digit year of an RFC 850 date is in the century that puts it at most 50
    ///   years after `now`.
    package static func date(_ text: String, now: Date) -> Date? {
        let words = text.split(separator: " ")
        switch words.count {
        // `Sun, 06 Nov 1994 08:49:37 GMT`
        case 6 where words[0].last == "," && shortDays.contains(words[0].dropLast()) && words[5] == "GMT":
            return date(number(words[3], digits: 4...4), words[2], number(words[1], digits: 2...2), words[4])
        // `Sunday, 06-Nov-94 08:49:37 GMT`
        case 4 where words[0].last == "," && longDays.contains(words[0].dropLast()) && words[3] == "GMT":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let shortYear = number(parts[2], digits: 2...2),
                let latest = calendar.date(byAdding: .year, value: 50, to: now)
            else { return nil }
            let century = calendar.component(.year, from: now) / 100
            return [century + 1, century, century - 1].lazy.compactMap {
                date($0 * 100 + shortYear, parts[1], number(parts[0], digits: 2...2), words[2])
            }.first { $0 <= latest }
        // `Sun Nov  6 08:49:37 1994`
        case 5 where shortDays.contains(words[0]):
            return date(number(words[4], digits: 4...4), words[1], number(words[2], digits: 1...2), words[3])
        default: return nil
        }
    }

    private static func date(_ year: Int?, _ month: Substring, _ day: Int?, _ time: Substring) -> Date? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        // Second 60 is a leap second.
        guard let year, let day, let month = months.firstIndex(of: month), parts.count == 3,
            let hour = number(parts[0], digits: 2...2), hour < 24,
            let minute = number(parts[1], digits: 2...2), minute < 60,
            let second = number(parts[2], digits: 2...2), second <= 60
        else { return nil }
        let components = DateComponents(
            calendar: calendar, timeZone: .gmt, year: year, month: month + 1, day: day, hour: hour,
            minute: minute)
        return components.isValidDate ? components.date?.addingTimeInterval(Double(second)) : nil
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        digits.contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
    }

    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
    private static let shortDays = longDays.map { $0.prefix(3) }
    private static let longDays: [Substring] = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
