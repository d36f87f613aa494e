import Foundation
import RESTClient

enum OptionValue {
    typealias Parser<Value> = @Sendable (_ text: String, _ option: String) throws(CommandError) -> Value

    static let count = integer(0...(.max), "a whole number from 0")
    static let positive = integer(1...(.max), "a whole number from 1")
    /// 0 selects any free port.
    static let port = integer(0...65_535, "a number from 0 to 65535")

    private static func integer(_ range: ClosedRange<Int>, _ requirement: String) -> Parser<Int> {
        { (text, option) throws(CommandError) in
            guard isDigits(text), let number = Int(text), range.contains(number) else {
                throw refused(text, of: option, requirement)
            }
            return number
        }
    }

    private static func refused(
        _ text: String, of option: String, _ requirement: String, hint: String? = nil
    ) -> CommandError {
        .usage("\(option) requires \(requirement), not \(text.quoted(200))", hint: hint)
    }

    /// Parses a number of items, or the smallest number before a plus sign.
    @Sendable static func expectation(
        _ text: String, of option: String
    ) throws(CommandError) -> ClosedRange<Int> {
        let digits = text.hasSuffix("+") ? String(text.dropLast()) : text
        let least = try count(digits.isEmpty ? text : digits, option)
        return least...(text.hasSuffix("+") ? .max : least)
    }

    /// Parses a number of bytes from 1, such as `65536`, `64K`, `16M` or `4G`. As in curl, a K is 1,024.
    @Sendable static func size(_ text: String, of option: String) throws(CommandError) -> Int {
        let shift = text.last.flatMap { ["k": 10, "m": 20, "g": 30][$0.lowercased()] }
        let digits = text.dropLast(shift == nil ? 0 : 1)
        guard isDigits(digits), let number = Int(digits), number > 0, number <= Int.max >> (shift ?? 0) else {
            throw refused(text, of: option, "a size such as 65536, 64K or 4G")
        }
        return number << (shift ?? 0)
    }

    /// Parses a duration in seconds, such as `2` or `0.5`. As in curl, 0 means no limit.
    @Sendable static func seconds(_ text: String, of option: String) throws(CommandError) -> Duration? {
        let (whole, fraction) = text.divided(at: ".")
        let digits = whole + (fraction ?? "")
        guard isDigits(digits), let seconds = Double("0\(whole).\(fraction ?? "")0"), seconds <= 1e9 else {
            let hint = isDigits(digits) ? "use 0 for no limit" : nil
            throw refused(text, of: option, "seconds such as 2 or 0.5", hint: hint)
        }
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Parses a number of requests per second, minute or hour, such as `10/s`, and returns the number per second.
    @Sendable static func rate(_ text: String, of option: String) throws(CommandError) -> Double? {
        let (digits, unit) = text.divided(at: "/")
        guard isDigits(digits), let count = Int(digits), count > 0,
            let seconds = ["s": 1.0, "m": 60, "h": 3600][unit ?? ""]
        else { throw refused(text, of: option, "a number per second, minute or hour, such as 10/s or 100/m") }
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
            throw refused(text, of: option, "a URL such as https://data.example.com")
        }
        return try URLArgument(text).url
    }

    /// Checks an entry of `--resolve`; libcurl checks the parts.
    static func address(_ text: String, of option: String) throws(CommandError) -> String {
        guard text.wholeMatch(of: /[^:]+:\d+:.+/) != nil else {
            throw refused(text, of: option, "HOST:PORT:ADDRESS, such as example.com:443:192.0.2.1")
        }
        return text
    }

    /// Parses a text that is printed without quotes in every format.
    @Sendable static func nullValue(_ text: String, of option: String) throws(CommandError) -> String {
        guard
            !text.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" || TerminalEscaping.isUnsafe($0) })
        else { throw .usage("\(option) requires text without commas, quotes and control characters") }
        return text
    }

    /// Parses one of several words.
    @Sendable static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, of option: String
    ) throws(CommandError) -> Word {
        if let word = Word(rawValue: text.lowercased()) { return word }
        let words = Word.allCases.map(\.rawValue)
        throw refused(text, of: option, "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
    }

    static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension StringProtocol {
    /// Returns the text before and after the first `mark`; without a mark, the whole text and `nil`. A combining character
    /// after the mark does not hide it.
    func divided(at mark: Unicode.Scalar) -> (head: String, tail: String?) {
        let scalars = String(self).unicodeScalars
        guard let index = scalars.firstIndex(of: mark) else { return (String(self), nil) }
        return (String(scalars[..<index]), String(scalars[scalars.index(after: index)...]))
    }
}
