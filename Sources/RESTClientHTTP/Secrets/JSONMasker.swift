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
        var source = text
        return source.withUTF8 { bytes in
            var masker = JSONMasker(bytes, self)
            // There is only one set, which is not copied when a value is added.
            collected = []
            masker.mask()
            self = masker.scrubber
            return (masker.text ?? text, masker.isJSON)
        }
    }
}

/// Copies JSON text and masks the values of secret members.
///
/// This is a scanner instead of a JSON parser, because the unmasked text must stay as it is, and may be incomplete
/// or not JSON at all.
private struct JSONMasker {
    private let source: JSONSource
    private(set) var scrubber: SecretScrubber
    private var masked: [UInt8] = []
    /// The end of the bytes that are in `masked`.
    private var copied = 0
    private var position = 0
    private var objects: [OpenObject] = []
    /// The name of the member whose value is the next object.
    private var container = ""
    /// `false` if there is text between the strings that JSON does not have there.
    private(set) var isJSON = true

    /// The positions of the texts that can name a secret, which another member has, of all objects.
    private var texts: [Int] = []

    private struct OpenObject {
        let name: String
        let role: SecretRule.Role
        /// The index of its first text.
        let texts: Int
        /// `true` if one of them is the name of a secret.
        var namesSecret = false
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ scrubber: SecretScrubber) {
        (source, self.scrubber) = (JSONSource(bytes: bytes), scrubber)
    }

    mutating func mask() {
        Self.kinds.withUnsafeBufferPointer { kinds in
            SecretScrubber.kinds.withUnsafeBufferPointer { mask(kinds, $0) }
        }
    }

    private mutating func mask(
        _ kinds: UnsafeBufferPointer<Kind>, _ textKinds: UnsafeBufferPointer<SecretScrubber.Kind>
    ) {
        let bytes = source.bytes
        // The end of the last string.
        var gap = 0
        while position < bytes.count {
            switch kinds[Int(bytes[position])] {
            case .structure: position += 1
            case .open:
                let role = container.isEmpty ? SecretRule.Role() : scrubber.role(of: container)
                objects.append(OpenObject(name: container, role: role, texts: texts.count))
                container = ""
                position += 1
            case .close:
                if let object = objects.popLast(), object.texts < texts.count {
                    texts.removeSubrange(object.texts...)
                }
                position += 1
            case .other:
                var end = position + 1
                while end < bytes.count, case .other = kinds[Int(bytes[end])] { end += 1 }
                isJSON = isJSON && Self.literals.contains(source.text(position..<end))
                position = end
            case .quote:
                if let end = endOfPlainString(textKinds) { position = end } else { maskString(after: gap) }
                gap = position
            }
        }
    }

    /// Returns the end of the string at the position if it is short, and neither contains a secret nor is the name of one or of
    /// an object. In a debug build, this takes a tenth of the time of the functions that find the others.
    private mutating func endOfPlainString(_ kinds: UnsafeBufferPointer<SecretScrubber.Kind>) -> Int? {
        let bytes = source.bytes
        var (end, mayBeKey, mayBeScheme) = (position + 1, false, false)
        while true {
            guard end + 3 < bytes.count, end < position + 50 else { return nil }
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") { break }
            switch kinds[Int(byte)] {
            case .special, .colon, .at, .equals: return nil
            case .digit, .capital: mayBeKey = true
            default: break
            }
            if byte | 0x20 == UInt8(ascii: "b") || byte | 0x20 == UInt8(ascii: "d") { mayBeScheme = true }
            end += 1
        }
        if bytes[position + 1] <= UInt8(ascii: " ") { return nil }
        let count = end - position - 1
        switch bytes[end + 1] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            return mayBeKey && count >= 10 || mayBeScheme && count >= 4 ? nil : end + 1
        case UInt8(ascii: ":"):
            let value = bytes[end + 2] == UInt8(ascii: " ") ? bytes[end + 3] : bytes[end + 2]
            if value <= UInt8(ascii: " ") || value == UInt8(ascii: "{") { return nil }
            container = ""
            return scrubber.rule.mayMatter(source.slice(position + 1..<end)) ? nil : end + 1
        default: return nil
        }
    }

    /// Masks the string at the position, or the value after it.
    private mutating func maskString(after gap: Int) {
        let (source, start) = (source, position)
        // In text whose start is cut, this can be the end of a string instead of its start.
        if let value = source.startOfValue(after: position + 1),
            mask(valueAt: value, gap..<start, of: source.text(gap..<start))
        {
            return
        }
        let string = position..<source.endOfString(from: position)
        guard let value = source.startOfValue(after: string.upperBound) else { return maskText(of: string) }
        position = string.upperBound
        _ = mask(
            valueAt: value, string.lowerBound + 1..<string.upperBound - 1, of: source.decoded(string))
    }

    private enum Kind: UInt8 {
        /// White space, the bytes of numbers, and those between values.
        case structure
        case open, close, quote, other
    }

    private static let kinds: [Kind] = (0...255).map { (byte: UInt8) in
        switch byte {
        case UInt8(ascii: "{"): .open
        case UInt8(ascii: "}"): .close
        case UInt8(ascii: "\""): .quote
        case _ where byte.isASCIIDigit || " \t\r\n[]:,+-.".utf8.contains(byte): .structure
        default: .other
        }
    }

    /// The words of JSON and the exponents of numbers, which can be cut.
    private static let literals = Set(
        ["true", "false", "null", "NaN", "Infinity", "e", "E"].flatMap { word in
            (1...word.count).map { String(word.prefix($0)) }
        })

    /// The text with its secrets masked, or `nil` if it has none.
    var text: String? {
        copied == 0 ? nil : String(decoding: masked + source.bytes[copied...], as: UTF8.self)
    }

    /// Replaces the text from the position to `end`.
    private mutating func replace(to end: Int, with text: String) {
        masked += source.bytes[copied..<position]
        masked += text.utf8
        (copied, position) = (end, end)
    }

    /// Masks the value of a member. Returns `false` if its name is not that of a secret.
    private mutating func mask(
        valueAt value: Int, _ bytes: Range<Int>, of name: @autoclosure () -> String
    ) -> Bool {
        let isObject = value < source.bytes.count && source.bytes[value] == UInt8(ascii: "{")
        guard isObject || scrubber.rule.mayMatter(source.slice(bytes)) else {
            container = ""
            return false
        }
        let name = name()
        let role = scrubber.role(of: name)
        if role.isPairName, !objects.isEmpty { texts.append(value) }
        let isNamed = role.isPairValue && isNamed(before: source.endOfValue(from: value))
        let match =
            isNamed ? .any : objects.last?.role.isPaging == true ? role.matchInPaging : role.match
        container = isObject ? name : ""
        if match == .no {
            // Its text has 16 bytes at least.
            guard role.isOwned, source.endOfString(from: value) > value + 16, let parent = objects.last?.name,
                scrubber.role(of: "\(parent) \(name)").match != .no,
                let text = source.string(at: value), Redaction.looksSecret(text)
            else { return false }
        }
        position = value
        maskStrings(of: name, match)
        return true
    }

    /// Returns `true` if a member of the object, of those before or the next ones, is the name of a secret.
    private mutating func isNamed(before end: Int) -> Bool {
        if let object = objects.last {
            let namesSecret = object.namesSecret || texts[object.texts...].contains(where: namesSecret)
            objects[objects.count - 1].namesSecret = namesSecret
            texts.removeSubrange(object.texts...)
            if namesSecret { return true }
        }
        return isNamed(after: end)
    }

    private func namesSecret(at value: Int) -> Bool {
        source.string(at: value).map(scrubber.rule.isSecret) ?? false
    }

    /// Returns `true` if one of the next members is the name of a secret.
    private mutating func isNamed(after end: Int) -> Bool {
        var end = end
        for _ in 0..<4 {
            let comma = source.endOfSpace(from: end)
            let start = source.endOfSpace(from: min(comma + 1, source.bytes.count))
            guard comma < source.bytes.count, source.bytes[comma] == UInt8(ascii: ","),
                let name = source.string(at: start),
                let value = source.startOfValue(after: source.endOfString(from: start))
            else { return false }
            if scrubber.role(of: name).isPairName, namesSecret(at: value) { return true }
            end = source.endOfValue(from: value)
        }
        return false
    }

    /// Masks the secrets in the text of the string at the position, which can be JSON itself.
    private mutating func maskText(of string: Range<Int>) {
        let content = string.lowerBound + 1..<string.upperBound
        guard !scrubber.isPlain(source.slice(content)) else { return position = string.upperBound }
        let text = source.decoded(string)
        let isHidden =
            scrubber.depth >= SecretScrubber.maxDepth
            && source.bytes[content].contains { "?#=.{[/%".utf8.contains($0) }
        let masked = isHidden ? scrubber.mask(text) : scrubber.masked(nested: text)
        if masked == text {
            position = string.upperBound
        } else {
            replace(to: string.upperBound, with: JSONLiteral.quoted(masked))
        }
    }

    /// Masks the strings in the value at the position, at any depth, or the value itself if it is a number.
    private mutating func maskStrings(of name: String, _ match: SecretRule.Match) {
        let end = source.endOfValue(from: position)
        // The members of an object are masked by their names, which are more specific than an ambiguous one.
        if match == .byValue, source.bytes[position..<end].first.map({ "{[".utf8.contains($0) }) == true,
            source.bytes[position..<end].contains(UInt8(ascii: "{"))
        {
            return
        }
        if position < end, source.bytes[position] == UInt8(ascii: "-") || source.bytes[position].isASCIIDigit
        {
            let number = String(decoding: source.bytes[position..<end], as: UTF8.self)
            if match == .any || match == .byValue && scrubber.rule.isSecret(name, number) {
                replace(to: end, with: "0")
            } else {
                position = end
            }
            return
        }
        let isArray = position < end && source.bytes[position] == UInt8(ascii: "[")
        while position < end {
            guard source.bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let string = position..<min(source.endOfString(from: position), end)
            let text = source.decoded(string)
            if source.startOfValue(after: string.upperBound) != nil {
                position = string.upperBound
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
        return words.count > 1 && objects.last?.role.isErrors == true
            || words.count > 2 && isArray && text.hasSuffix(".")
    }
}

/// A text that is probably JSON, whose strings and values are found without checking the others.
///
/// Its bytes are not in an array, whose methods are not inlined in a debug build.
private struct JSONSource {
    let bytes: UnsafeBufferPointer<UInt8>

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    func text(_ range: Range<Int>) -> String { String(decoding: slice(range), as: UTF8.self) }

    /// Returns the text of the string at `start`, or `nil` for another value.
    func string(at start: Int) -> String? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
        return decoded(start..<endOfString(from: start))
    }

    /// Returns the decoded text of a JSON string, or its undecoded text if it is not valid.
    func decoded(_ string: Range<Int>) -> String {
        if index(of: UInt8(ascii: "\\"), from: string.lowerBound, to: string.upperBound) != nil {
            // The string can be cut, even in an escape.
            for end in ["", "\"", "\\\""] {
                let literal = Data(slice(string)) + Data(end.utf8)
                if let text = try? JSONDecoder().decode(String.self, from: literal) { return text }
            }
        }
        let start = string.lowerBound + 1
        let isClosed = string.upperBound > start && bytes[string.upperBound - 1] == UInt8(ascii: "\"")
        return text(start..<string.upperBound - (isClosed ? 1 : 0))
    }

    /// Returns the start of the value after a colon, or `nil` without a colon.
    func startOfValue(after end: Int) -> Int? {
        let colon = endOfSpace(from: end)
        return colon < bytes.count && bytes[colon] == Byte.colon ? endOfSpace(from: colon + 1) : nil
    }

    func endOfSpace(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] <= UInt8(ascii: " "), Byte.isWhitespace(bytes[end]) { end += 1 }
        return end
    }

    func endOfString(from start: Int) -> Int {
        var end = start + 1
        var quote = end - 1
        while true {
            // The quote after the escapes is looked for once.
            if quote < end {
                guard let next = index(of: UInt8(ascii: "\""), from: end, to: bytes.count)
                else { return bytes.count }
                quote = next
            }
            guard let escape = index(of: UInt8(ascii: "\\"), from: end, to: quote) else { return quote + 1 }
            end = escape + 2
        }
    }

    /// In a debug build, `memchr` is much faster than a loop.
    private func index(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        guard let first = UnsafeRawPointer(bytes.baseAddress), start < end else { return nil }
        return memchr(first + start, Int32(byte), end - start).map { UnsafeRawPointer($0) - first }
    }

    /// Returns the end of a string, an array or an object, or of any other text before the next comma or bracket.
    func endOfValue(from start: Int) -> Int {
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
