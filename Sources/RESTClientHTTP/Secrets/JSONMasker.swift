import Foundation

extension Redaction {
    /// Returns JSON text with the values of secret members masked.
    ///
    /// The rest of the text is not changed. Text that is not JSON is returned as it is, except for such members.
    package static func json(_ text: String) -> String { JSONMasker(text, keepsTypes: false).text }

    /// Returns JSON text with secrets masked that is still valid input for its reader: values keep their type, and
    /// values with an ambiguous name, such as `code` or `key`, are masked only if they look like a secret.
    ///
    /// - Parameter found: Called with each masked text.
    package static func readableJSON(_ text: String, found: (String) -> Void) -> String {
        let masker = JSONMasker(text, keepsTypes: true)
        masker.found.forEach(found)
        return masker.text
    }

    /// Returns JSON text with the values of the given members masked, which keep their type. The rest is not changed.
    ///
    /// - Parameter found: Called with each masked text.
    package static func readableJSON(
        _ text: String, members: Set<String>, found: (String) -> Void
    ) -> String {
        let masker = JSONMasker(text, keepsTypes: true, members: members)
        masker.found.forEach(found)
        return masker.text
    }
}

/// Copies JSON text and masks the values of secret members.
///
/// This is a scanner instead of a JSON parser, because the unmasked text must stay as it is, and may be incomplete
/// or not JSON at all.
private struct JSONMasker {
    private let bytes: [UInt8]
    /// `true` if only strings and numbers are masked, and remain strings and numbers.
    private let keepsTypes: Bool
    /// The number of strings around the text that contain JSON themselves.
    private let depth: Int
    private static let maxDepth = 3
    /// The names of the members to mask, or `nil` for those of secrets.
    private let members: Set<String>?
    private var masked: [UInt8] = []
    private(set) var found: [String] = []
    private var position = 0
    /// The end of the last string.
    private var gap = 0

    init(_ text: String, keepsTypes: Bool, members: Set<String>? = nil, depth: Int = 0) {
        (bytes, self.keepsTypes, self.depth) = (Array(text.utf8), keepsTypes, depth)
        self.members = members
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
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

    /// The text with its secrets masked.
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
        guard members?.contains(name) ?? Redaction.isSecret(name) else { return false }
        copy(to: value)
        if keepsTypes {
            maskStrings(of: name)
        } else {
            replace(to: endOfValue(from: value), with: "\"\(Redaction.mask)\"")
        }
        return true
    }

    /// Copies the string at the position, with the secrets in its text masked, which can be JSON itself.
    private mutating func maskText(of string: Range<Int>) {
        guard bytes[string].contains(where: { "?#= .{[/".utf8.contains($0) }) else {
            return copy(to: string.upperBound)
        }
        let text = decoded(string)
        var masked = text
        if depth == Self.maxDepth {
            masked = Redaction.mask
        } else if text.first.map({ "{[".contains($0) }) == true {
            let inner = JSONMasker(
                text, keepsTypes: keepsTypes, members: members, depth: depth + 1)
            found += inner.found
            masked = inner.text
        } else {
            masked = Redaction.text(text, names: members) { found.append($0) }
        }
        if masked == text {
            copy(to: string.upperBound)
        } else {
            replace(to: string.upperBound, with: JSONLiteral.quoted(masked))
        }
    }

    /// Masks the strings in the value at the position, at any depth, or the value itself if it is a number.
    private mutating func maskStrings(of name: String) {
        let isAmbiguous = members == nil && Redaction.isAmbiguous(name)
        // The members of an object are masked by their names, which are more specific than an ambiguous one.
        if isAmbiguous, position < bytes.count, bytes[position] != UInt8(ascii: "\"") { return }
        let end = endOfValue(from: position)
        if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position].isASCIIDigit {
            if members != nil || Redaction.canBeNumeric(name) {
                replace(to: end, with: "0")
            } else {
                copy(to: end)
            }
            return
        }
        while position < end {
            guard bytes[position] == UInt8(ascii: "\"") else {
                copy(to: position + 1)
                continue
            }
            let string = position..<min(endOfString(from: position), end)
            let text = decoded(string)
            if startOfValue(after: string.upperBound) != nil
                || isAmbiguous && !Redaction.looksSecret(text)
            {
                copy(to: string.upperBound)
            } else {
                replace(to: string.upperBound, with: "\"\(Redaction.mask)\"")
                found.append(text)
            }
        }
    }

    /// Returns the decoded text of a JSON string, or its undecoded text if it is not valid.
    private func decoded(_ string: Range<Int>) -> String {
        let literal = bytes[string]
        if literal.contains(UInt8(ascii: "\\")),
            let text = try? JSONDecoder().decode(String.self, from: Data(literal))
        {
            return text
        }
        let content = literal.dropFirst()
        return String(
            decoding: content.last == UInt8(ascii: "\"") ? content.dropLast() : content, as: UTF8.self)
    }

    /// Returns the start of the value after a colon, or `nil` if there is no colon.
    private func startOfValue(after end: Int) -> Int? {
        let colon = endOfSpace(from: end)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
        return endOfSpace(from: colon + 1)
    }

    private func endOfSpace(from start: Int) -> Int {
        bytes[start...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
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
