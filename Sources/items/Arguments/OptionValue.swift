import Foundation
import RESTClient

/// Parsers for the values of options.
enum OptionValue {
    /// Parses a whole number from 0.
    @Sendable static func count(_ text: String, of option: String) throws(CommandError) -> Int {
        try integer(text, from: 0, of: option, "a whole number from 0")
    }

    /// Parses a whole number from 1.
    @Sendable static func positive(_ text: String, of option: String) throws(CommandError) -> Int {
        try integer(text, from: 1, of: option, "a whole number from 1")
    }

    /// Parses a number of items, or the smallest number before a plus sign.
    @Sendable static func expectation(
        _ text: String, of option: String
    ) throws(CommandError) -> ClosedRange<Int> {
        let least = try count(text.hasSuffix("+") ? String(text.dropLast()) : text, of: option)
        return least...(text.hasSuffix("+") ? .max : least)
    }

    /// Parses a port. 0 selects any free port.
    @Sendable static func port(_ text: String, of option: String) throws(CommandError) -> Int {
        try integer(text, from: 0, to: 65_535, of: option, "a number from 0 to 65535")
    }

    private static func integer(
        _ text: String, from min: Int, to max: Int = .max, of option: String, _ requirement: String
    ) throws(CommandError) -> Int {
        guard isDigits(text), let number = Int(text), min...max ~= number else {
            throw .usage("\(option) requires \(requirement), not \(TerminalEscaping.quoted(text))")
        }
        return number
    }

    /// Parses a number of bytes from 1, such as `65536`, `64K`, `16M` or `4G`. As in curl, a K is 1,024.
    @Sendable static func size(_ text: String, of option: String) throws(CommandError) -> Int {
        let shift = text.last.flatMap { ["k": 10, "m": 20, "g": 30][$0.lowercased()] }
        let digits = text.dropLast(shift == nil ? 0 : 1)
        guard isDigits(digits), let number = Int(digits), number > 0, number <= Int.max >> (shift ?? 0) else {
            throw .usage(
                "\(option) requires a size such as 65536, 64K or 4G, not \(TerminalEscaping.quoted(text))")
        }
        return number << (shift ?? 0)
    }

    /// Parses a duration in seconds, such as `2` or `0.5`. As in curl, 0 means no limit.
    @Sendable static func seconds(_ text: String, of option: String) throws(CommandError) -> Duration? {
        let (whole, fraction) = text.divided(at: ".")
        let digits = whole + (fraction ?? "")
        guard isDigits(digits), let seconds = Double("0\(whole).\(fraction ?? "")0"), seconds <= 1e9 else {
            throw .usage(
                "\(option) requires seconds such as 2 or 0.5, not \(TerminalEscaping.quoted(text))",
                hint: isDigits(digits) ? "use 0 for no limit" : nil)
        }
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Parses a number of requests per second, minute or hour, such as `10/s`, and returns the number per second.
    @Sendable static func rate(_ text: String, of option: String) throws(CommandError) -> Double? {
        let (digits, unit) = text.divided(at: "/")
        guard isDigits(digits), let count = Int(digits), count > 0,
            let seconds = ["s": 1.0, "m": 60, "h": 3600][unit ?? ""]
        else {
            throw .usage(
                "\(option) requires a number per second, minute or hour, such as 10/s or 100/m, not \(TerminalEscaping.quoted(text))"
            )
        }
        return Double(count) / seconds
    }

    /// Parses `USER` or `USER:PASSWORD`. The password can contain colons.
    static func user(_ text: String) -> User {
        let (name, password) = text.divided(at: ":")
        return User(name: name, password: password)
    }

    /// Parses a URL of which the scheme, the host and the port are used.
    static func origin(_ text: String, of option: String) throws(CommandError) -> URL {
        guard text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") else {
            throw .usage(
                "\(option) requires a URL such as https://data.example.com, not \(TerminalEscaping.quoted(text))"
            )
        }
        return try URLArgument(text).url
    }

    /// Parses a text that is printed without quotes in every format.
    @Sendable static func nullValue(_ text: String, of option: String) throws(CommandError) -> String {
        guard
            !text.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" || TerminalEscaping.isUnsafe($0) })
        else { throw .usage("\(option) requires text without commas, quotes and control characters") }
        return text
    }

    /// Parses the value of `--color`.
    @Sendable static func color(_ text: String, of option: String) throws(CommandError) -> ColorMode {
        guard let mode = ColorMode(rawValue: text.lowercased()) else {
            throw .usage("\(option) requires auto, always or never, not \(TerminalEscaping.quoted(text))")
        }
        return mode
    }

    private static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension StringProtocol {
    /// Returns the text before and after the first `mark`; without a mark, the whole text and `nil`.
    func divided(at mark: Character) -> (head: String, tail: String?) {
        let parts = split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }
}
