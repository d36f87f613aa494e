import Foundation
import RESTClient

/// A comparison of a member of each item with a value: that of `--where` and `--while`. A value that is a JSON
/// literal is compared with values of its type, any other text with strings, byte by byte, which is the order of
/// dates like `2026-01-31`. Null is a missing value. A missing value meets no comparison but `!=`.
struct Condition: Equatable, Sendable {
    /// The orders of the value of an item and that of the condition which meet a comparison: less, equal or more. Those of !=
    /// do not meet it.
    private static let orders: [String: ClosedRange<Int>] = [
        "=": 0...0, "!=": 0...0, "<": -1...(-1), "<=": -1...0, ">": 1...1, ">=": 0...1,
    ]

    /// The operators that other languages write as words.
    private static let words = [
        "eq": "=", "is": "=", "equals": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    ]

    enum Outcome {
        case holds, fails, missing
        /// The value has another type, which cannot be compared.
        case unordered
    }

    let path: FieldPath
    /// The condition as typed.
    let argument: String
    /// `exists`, or a key of `orders`.
    private let comparison: String
    private let orders: ClosedRange<Int>?
    /// The value as typed.
    private let literal: String
    private let value: Value

    private enum Value: Equatable {
        case number(Number)
        /// `true`, `false` or `null`, which are equal or not, and have no order.
        case word([UInt8])
        /// A text, or the contents of a JSON string.
        case text([UInt8])

        init(_ text: String) {
            let number = #/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/#
            let isNumber = text.wholeMatch(of: number) != nil
            let bytes = Array(text.utf8)
            self =
                isNumber
                ? .number(Number(text))
                : ["true", "false", "null"].contains(text) ? .word(bytes) : .text(bytes)
        }
    }

    /// `true` if an item without a value meets the comparison, or shows that it does not.
    var allowsMissing: Bool { comparison == "!=" || comparison == "exists" }

    /// Parses `PATH=VALUE`, with one of the operators, or `PATH exists`.
    init(_ argument: String, of option: String) throws(CommandError) {
        func refused(_ reason: String, _ hint: String? = nil) -> CommandError {
            .usage("\(option) \(argument.quoted()) \(reason)", hint: hint)
        }
        let others = "other conditions are those of jq: items --jsonl … | jq 'select(…)'"
        // A combining character does not hide the sign or the quote before it.
        let name = #/(?:"(?:[^"\\]|\\.)*"|\\.|[^"\\=!<>~])*/#.matchingSemantics(.unicodeScalar)
        if argument.contains("exists"), let match = argument.wholeMatch(of: #/(.*\S)\s+exists\s*/#),
            match.1.wholeMatch(of: name) != nil
        {
            if match.1.contains(#/^not\s|\snot$|\sexists\s+(and|or)\s/#.ignoresCase()) {
                throw refused("is not a comparison", others)
            }
            self.init(argument, try FieldPath(String(match.1), of: option), "exists", "", .text([]))
            return
        }
        let start = (argument.prefixMatch(of: name)?.output ?? "").endIndex
        let rest = argument[start...]
        guard let sign = rest.prefixMatch(of: Self.sign)?.output else {
            if let (_, path, word, value) = argument.wholeMatch(
                of: #/(\S+) ([A-Za-z]+) (?!not |NOT )(\S.*)/#)?.output,
                let sign = Self.words[word.lowercased()]
            {
                let meant = "\(path)\(sign)\(value)".shellQuoted
                throw refused("is not a comparison", "did you mean \(option) \(meant)?")
            }
            let isOther =
                ["~", "!"].contains(rest.unicodeScalars.first)
                || argument.contains(#/\s(not|in|like|contains|matches)\s/#.ignoresCase())
            throw refused(
                "is not a comparison",
                isOther
                    ? others
                    : "write one such as 'stars>=100', 'state=open' or 'email exists', in quotes because of < and >"
            )
        }
        let path = argument[..<start].trimmingCharacters(in: Self.space)
        guard !path.isEmpty else { throw refused("has no path before \(sign)") }
        let value = rest[sign.endIndex...].trimmingCharacters(in: Self.space)
        if let first = value.unicodeScalars.first, ["=", "<", ">", "~"].contains(first) {
            let advice = first == "~" ? others : "the operators are = != < <= > >="
            throw refused(
                "is not a comparison", "\(advice); put a value that starts with \(first) into double quotes")
        }
        if let match = value.firstMatch(of: #/&&|\|\|| (and|or) .*[=<>]/#.ignoresCase()) {
            let isAnd = match.0 == "&&" || match.1?.lowercased() == "and"
            throw refused(
                "has more than one comparison", isAnd ? "repeat \(option); all of them must hold" : others)
        }
        let comparison = sign == "==" ? "=" : String(sign)
        let quoted = #/"(?:[^"\\]|\\.)*"/#.matchingSemantics(.unicodeScalar)
        let isString = value.wholeMatch(of: quoted) != nil
        let string = isString ? ListScanner.string(ArraySlice(value.utf8).span.bytes) : nil
        if value.unicodeScalars.first == "\"", string == nil {
            throw refused("has a quote that is not closed")
        }
        if value.isEmpty, comparison != "=", comparison != "!=" {
            throw refused("has no value after \(sign)")
        }
        let literal = string.map { Value.text(Array($0.utf8)) } ?? Value(value)
        if comparison.contains(where: "<>".contains), case .word = literal {
            throw refused(
                "has no order", "compare \(value) with = or !=, or put it into double quotes to compare texts"
            )
        }
        self.init(argument, try FieldPath(path, of: option), comparison, value, literal)
    }

    private init(
        _ argument: String, _ path: FieldPath, _ comparison: String, _ literal: String, _ value: Value
    ) {
        (self.argument, self.path, self.literal, self.value) = (argument, path, literal, value)
        (self.comparison, orders) = (comparison, Self.orders[comparison])
    }

    private static var sign: Regex<Substring> { #/==|!=|<=|>=|=|<|>/#.matchingSemantics(.unicodeScalar) }

    private static let space = CharacterSet(charactersIn: " ")

    /// Compares the value in `item`, which is valid JSON. Of several values, one has to meet the comparison, or for `!=` all.
    func outcome(for item: RawSpan) -> Outcome {
        guard let range = path.range(in: item) else { return isOther ? .holds : .missing }
        let value = item.extracting(range)
        let ranges = path.isJoined ? path.ranges(inList: value) : [0..<value.byteCount]
        var (isMissing, isOrdered) = (true, true)
        for range in ranges {
            let part = value.extracting(range)
            let isNull = part.isNull
            if !isNull || comparison == "=" && self.value == .word(.null) { isMissing = false }
            if meets(part, isNull: isNull) { return isOther ? .fails : .holds }
            isOrdered = isOrdered && (isNull || hasOrder(of: part))
        }
        if isOther { return .holds }
        return isMissing ? .missing : isOrdered ? .fails : .unordered
    }

    /// Returns `false` for a value that is neither before nor after that of the condition, because its type is another.
    private func hasOrder(of part: RawSpan) -> Bool {
        guard orders != nil, orders != 0...0 else { return true }
        return isNumeric ? part.isNumber : part.isString
    }

    /// `true` if the value to compare with is a number.
    var isNumeric: Bool { if case .number = value { true } else { false } }

    var isOther: Bool { comparison == "!=" }

    /// Returns `true` if `value` meets the comparison; for `!=`, if it is equal.
    private func meets(_ value: RawSpan, isNull: Bool) -> Bool {
        guard let orders else { return !isNull }
        switch self.value {
        case .number(let number):
            guard value.isNumber else { return false }
            let other = Number(value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            return orders.contains(other.order(to: number))
        case .word(let word): return value.withUnsafeBytes { $0.elementsEqual(word) }
        case .text(let text):
            guard value.isString, let found = ListScanner.utf8(of: value) else { return false }
            return orders.contains(Self.order(of: found, to: text))
        }
    }

    /// A comparison that was probably meant, because `item` meets it, or for `!=` is excluded by it: with the value without quotes, as
    /// text, as a number or in another case, or with the elements of a list.
    func suggestion(in item: RawSpan) -> Self? {
        guard orders != nil, let range = path.range(in: item) else { return nil }
        let plain = literal.trimmingCharacters(in: CharacterSet(charactersIn: "'\"‘’“”"))
        let list = item.extracting(range)
        let texts = (path.isJoined ? path.ranges(inList: list) : [0..<list.byteCount])
            .compactMap { ListScanner.string(list.extracting($0)) }
        let others = texts.filter {
            ["=", "!="].contains(comparison) && $0.lowercased() == plain.lowercased()
        }
        let number = [Int(literal).map { "\($0)" } ?? Double(literal).map { "\($0)" }].compactMap(\.self)
        let values = ([plain, literal] + others).flatMap { [$0, "\"\($0)\""] } + number
        let ends = values.map { "\(comparison)\($0)" } + ["[]\(comparison)\(literal)"]
        return ends.lazy.compactMap { try? Self(path.text + $0, of: "") }.first {
            $0.outcome(for: item) == (isOther ? .fails : .holds)
        }
    }

    /// Returns -1, 0 or 1 if the first list is before the other one, equal to it or after it.
    private static func order<Element: Comparable>(of list: [Element], to other: [Element]) -> Int {
        list == other ? 0 : list.lexicographicallyPrecedes(other) ? -1 : 1
    }

    /// A number of JSON, which is compared exactly.
    private struct Number: Equatable {
        private let text: String
        private let whole: Int?

        init(_ text: String) { (self.text, whole) = (text, Int(text)) }

        func order(to other: Self) -> Int {
            if let whole, let otherWhole = other.whole {
                return whole < otherWhole ? -1 : whole > otherWhole ? 1 : 0
            }
            return Condition.order(of: key, to: other.key)
        }

        /// The sign, the power of ten of the first digit, the digits without the zeros around them, and a mark of their end: lists
        /// that have the order of their numbers.
        private var key: [Int] {
            let parts = text.lowercased().split(separator: "e")
            let all = parts[0].utf8.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            let rest = all.drop { $0 == UInt8(ascii: "0") }
            let digits = rest.reversed().drop { $0 == UInt8(ascii: "0") }.reversed()
            guard !digits.isEmpty else { return [0] }
            let sign = text.hasPrefix("-") ? -1 : 1
            let power = parts.count > 1 ? Int(parts[1]) ?? (parts[1].hasPrefix("-") ? .min : .max) : 0
            let wholeDigits = parts[0].utf8.prefix { $0 != UInt8(ascii: ".") }.count - (sign < 0 ? 1 : 0)
            let exponent = wholeDigits - (all.count - rest.count) + min(max(power, .min / 2), .max / 2)
            return [sign, sign * exponent] + digits.map { sign * Int($0) } + [-sign]
        }
    }
}
