import Foundation

extension SecretScrubber {
    /// Returns JSON text with its secrets masked that is still valid input for its reader: values keep their type, and values
    /// with an ambiguous name, such as `code` or `key`, are masked only if they look like a secret.
    ///
    /// The rest of the text is not changed. Text that is not JSON is masked as text, too.
    mutating func masked(json text: String) -> String {
        let (masked, isJSON) = maskedMembers(of: text)
        return isJSON ? masked : self.masked(text: masked)
    }

    /// Masks the secret members in a text, of which only a part may be JSON.
    mutating func maskedMembers(of text: String) -> (text: String, isJSON: Bool) {
        var masker = JSONMasker(text, self)
        // There is only one set, which is not copied when a value is added.
        collected = []
        masker.mask()
        self = masker.scrubber
        return (masker.text, masker.isJSON)
    }
}

/// Copies JSON text and masks the values of secret members.
///
/// This is a scanner instead of a JSON parser, because the unmasked text must stay as it is, and may be incomplete
/// or not JSON at all.
private struct JSONMasker {
    private let bytes: [UInt8]
    private(set) var scrubber: SecretScrubber
    private var masked: [UInt8] = []
    private var position = 0
    private var objects: [OpenObject] = []
    /// The name of the member whose value is the next object.
    private var container = ""
    /// The end of the last string.
    private var gap = 0
    /// `false` if there is text between the strings that JSON does not have there.
    private(set) var isJSON = true

    private struct OpenObject {
        /// `true` if a member is the name of a secret, which another has.
        var namesSecret = false
        let name: String
        let isPaging: Bool
        let isErrors: Bool
    }

    init(_ text: String, _ scrubber: SecretScrubber) {
        (bytes, self.scrubber) = (Array(text.utf8), scrubber)
    }

    mutating func mask() {
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                if !Self.isStructure(bytes[position]) {
                    let word = bytes[position...].prefix { !Self.isStructure($0) && $0 != UInt8(ascii: "\"") }
                    isJSON = isJSON && Self.literals.contains { $0.starts(with: word) }
                    copy(to: word.endIndex)
                    continue
                }
                if bytes[position] == UInt8(ascii: "{") {
                    objects.append(
                        OpenObject(
                            name: container, isPaging: scrubber.rule.isPaging(object: container),
                            isErrors: scrubber.rule.isErrors(object: container)))
                    container = ""
                }
                if bytes[position] == UInt8(ascii: "}") { _ = objects.popLast() }
                copy(to: position + 1)
                continue
            }
            defer { gap = position }
            // In text whose start is cut, this can be the end of a string instead of its start.
            let gapText = gap..<position
            if let value = startOfValue(after: position + 1),
                mask(valueAt: value, of: String(decoding: bytes[gapText], as: UTF8.self))
            {
                continue
            }
            let string = position..<endOfString(from: position)
            guard let value = startOfValue(after: string.upperBound) else {
                maskText(of: string)
                continue
            }
            copy(to: string.upperBound)
            _ = mask(valueAt: value, of: decoded(string))
        }
    }

    private static let literals = ["true", "false", "null", "NaN", "Infinity", "e", "E"].map {
        Array($0.utf8)
    }

    /// Returns `true` for white space, and for the bytes of numbers and between values.
    private static func isStructure(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || " \t\r\n{}[]:,+-.".utf8.contains(byte)
    }

    var text: String { String(decoding: masked, as: UTF8.self) }

    private mutating func copy(to end: Int) {
        masked += bytes[position..<end]
        position = end
    }

    private mutating func replace(to end: Int, with text: String) {
        masked += text.utf8
        position = end
    }

    /// Masks the value of a member. Returns `false` if its name is not that of a secret.
    private mutating func mask(valueAt value: Int, of name: String) -> Bool {
        if let text = string(at: value), scrubber.rule.isPairName(name), scrubber.rule.isSecret(text),
            !objects.isEmpty
        {
            objects[objects.count - 1].namesSecret = true
        }
        let isNamed =
            scrubber.rule.isPairValue(name)
            && (objects.last?.namesSecret == true || isNamed(after: endOfValue(from: value)))
        let match =
            isNamed ? .any : scrubber.rule.match(name, isInPaging: objects.last?.isPaging == true)
        container = value < bytes.count && bytes[value] == UInt8(ascii: "{") ? name : ""
        if match == .no {
            guard let parent = objects.last?.name, scrubber.rule.isSecret(name, in: parent),
                let text = string(at: value), Redaction.looksSecret(text)
            else { return false }
        }
        copy(to: value)
        maskStrings(of: name, match)
        return true
    }

    /// Returns `true` if one of the next members is the name of a secret.
    private func isNamed(after end: Int) -> Bool {
        var end = end
        for _ in 0..<4 {
            let comma = endOfSpace(from: end)
            let start = endOfSpace(from: min(comma + 1, bytes.count))
            guard comma < bytes.count, bytes[comma] == UInt8(ascii: ","), let name = string(at: start),
                let value = startOfValue(after: endOfString(from: start))
            else { return false }
            if scrubber.rule.isPairName(name), let text = string(at: value), scrubber.rule.isSecret(text) {
                return true
            }
            end = endOfValue(from: value)
        }
        return false
    }

    /// Returns the text of the string at `start`, or `nil` for another value.
    private func string(at start: Int) -> String? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
        return decoded(start..<endOfString(from: start))
    }

    /// Copies the string at the position, with the secrets in its text masked, which can be JSON itself.
    private mutating func maskText(of string: Range<Int>) {
        let content = bytes[string].dropFirst()
        guard
            content.contains(where: { "?#= .{[/:".utf8.contains($0) })
                || content.count >= 12 && content.contains(where: \.isASCIIDigit)
        else { return copy(to: string.upperBound) }
        let text = decoded(string)
        let isHidden =
            scrubber.depth >= SecretScrubber.maxDepth && content.contains { "?#=.{[/%".utf8.contains($0) }
        let masked = isHidden ? scrubber.mask(text) : scrubber.masked(nested: text)
        if masked == text {
            copy(to: string.upperBound)
        } else {
            replace(to: string.upperBound, with: JSONLiteral.quoted(masked))
        }
    }

    /// Masks the strings in the value at the position, at any depth, or the value itself if it is a number.
    private mutating func maskStrings(of name: String, _ match: SecretRule.Match) {
        let end = endOfValue(from: position)
        // The members of an object are masked by their names, which are more specific than an ambiguous one.
        if match == .byValue, bytes[position..<end].first.map({ "{[".utf8.contains($0) }) == true,
            bytes[position..<end].contains(UInt8(ascii: "{"))
        {
            return
        }
        if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position].isASCIIDigit {
            let number = String(decoding: bytes[position..<end], as: UTF8.self)
            if match == .any || match == .byValue && scrubber.rule.isSecret(name, number) {
                replace(to: end, with: "0")
            } else {
                copy(to: end)
            }
            return
        }
        let isArray = position < end && bytes[position] == UInt8(ascii: "[")
        while position < end {
            guard bytes[position] == UInt8(ascii: "\"") else {
                copy(to: position + 1)
                continue
            }
            let string = position..<min(endOfString(from: position), end)
            let text = decoded(string)
            if startOfValue(after: string.upperBound) != nil {
                copy(to: string.upperBound)
            } else if match == .byValue && !scrubber.rule.isSecret(name, text)
                || isMessage(text, inArray: isArray)
            {
                maskText(of: string)
            } else {
                replace(to: string.upperBound, with: "\"\(scrubber.mask(text))\"")
            }
        }
    }

    /// Returns `true` for a text that is not the value of a member with the name of a secret, but says what is wrong with it:
    /// `{"errors": {"password": ["is too short"]}}`, `{"password": ["This field is required."]}`.
    private func isMessage(_ text: String, inArray isArray: Bool) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count > 1 && objects.last?.isErrors == true
            || words.count > 2 && isArray && text.hasSuffix(".")
    }

    /// Returns the decoded text of a JSON string, or its undecoded text if it is not valid.
    private func decoded(_ string: Range<Int>) -> String {
        let literal = bytes[string]
        if literal.contains(UInt8(ascii: "\\")) {
            // The string can be cut, even in an escape.
            for end in ["", "\"", "\\\""] {
                let literal = Data(literal) + Data(end.utf8)
                if let text = try? JSONDecoder().decode(String.self, from: literal) { return text }
            }
        }
        let content = literal.dropFirst()
        return String(
            decoding: content.last == UInt8(ascii: "\"") ? content.dropLast() : content, as: UTF8.self)
    }

    /// Returns the start of the value after a colon, or `nil` if there is no colon.
    private func startOfValue(after end: Int) -> Int? {
        let colon = endOfSpace(from: end)
        return colon < bytes.count && bytes[colon] == Byte.colon ? endOfSpace(from: colon + 1) : nil
    }

    private func endOfSpace(from start: Int) -> Int {
        ArraySlice(bytes).span.bytes.endOfWhitespace(from: start)
    }

    private func endOfString(from start: Int) -> Int {
        var end = start + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(end + 1, bytes.count)
    }

    /// Returns the end of a string, an array or an object, or of any other text before the next comma or bracket.
    private func endOfValue(from start: Int) -> Int {
        var end = start
        var depth = 0
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "\""): end = endOfString(from: end)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                end += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return end }
                depth -= 1
                end += 1
            case UInt8(ascii: ",") where depth == 0: return end
            default:
                end += 1
                continue
            }
            if depth == 0 { return end }
        }
        return end
    }
}
