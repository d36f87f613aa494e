import Foundation

extension SecretScrubber {
    static let schemes: Set<String> = ["bearer", "basic", "dpop"]

    /// Returns a text of any kind with its secrets masked.
    package mutating func masked(message text: String) -> String {
        let bytes = Array(text.utf8)
        guard !bytes.withUnsafeBufferPointer({ isPlain($0) }) else { return text }
        return masked(text: bytes.contains(byte: UInt8(ascii: "\"")) ? maskedMembers(of: text).text : text)
    }

    /// Masks private keys in PEM, and the rest as text that can contain tags.
    mutating func masked(text: String) -> String {
        var masked = ""
        var rest = text[...]
        while let begin = rest.utf8.range(of: "-----BEGIN ") {
            // That of PGP ends in `BLOCK`.
            let isKey = rest.utf8[begin.upperBound...].prefix(64).range(of: "PRIVATE KEY") != nil
            let start = isKey ? begin.lowerBound : begin.upperBound
            let end = isKey ? rest.utf8[start...].range(of: "-----END ")?.lowerBound ?? rest.endIndex : start
            masked += self.masked(tags: rest[..<start]) + (isKey ? mask(rest[start..<end]) : "")
            rest = rest[end...]
        }
        return masked + self.masked(tags: rest)
    }

    /// Masks the secrets of HTML and XML: values of inputs and attributes, and the text of elements.
    private mutating func masked(tags text: Substring) -> String {
        var masked = ""
        var (position, search) = (text.startIndex, text.startIndex)
        // The element before is the name of a secret: `<Name>password</Name>`.
        var isNamed = false
        while let open = text.utf8[search...].firstIndex(of: UInt8(ascii: "<")) {
            guard let tag = MarkupTag(text, at: open) else {
                search = text.utf8.index(after: open)
                continue
            }
            let (secrets, namesSecret) = tag.secrets(rule, isNamed: isNamed)
            isNamed = namesSecret ?? isNamed
            for value in secrets where !text[value].isEmpty {
                masked += self.masked(words: text[position..<value.lowerBound]) + mask(text[value])
                position = value.upperBound
            }
            search = tag.end
        }
        return masked + self.masked(words: text[position...])
    }

    // MARK: Words

    private mutating func masked(words text: Substring) -> String {
        var masked = ""
        var rest = text
        var previous: Substring = ""
        /// The number of words among which the value of the last secret name may be.
        var expected = 0
        var isScheme = false
        /// The number of words that may be cookies, after `Cookie:`.
        var cookies = 0
        while !rest.isEmpty {
            let word = rest[..<Self.endOfWord(rest)]
            let isAssigned = word.utf8.last.map { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") } == true
            if expected > 0, let token = Self.credential(word, isScheme: isScheme) {
                masked += (isScheme ? mask(credential: token) : mask(token)) + word[token.endIndex...]
                expected = 0
            } else if cookies > 0, word.utf8.dropFirst().contains(UInt8(ascii: "=")) {
                let end = word.utf8.firstIndex(of: UInt8(ascii: ";")) ?? word.endIndex
                masked += self.masked(cookie: word[..<end]) + word[end...]
                cookies -= 1
            } else {
                masked += self.masked(word: word)
                if word.utf8.last == UInt8(ascii: ":"), word.lowercased().hasSuffix("cookie:") {
                    cookies = word.lowercased().hasSuffix("set-cookie:") ? 1 : .max
                }
                if isAssigned {
                    let isBare = !Self.bare(word).isEmpty
                    let name = Self.bare(isBare ? word : previous)
                    isScheme = Self.schemes.contains(name.lowercased())
                    // A name can have two words: `API key:`.
                    let isSecret =
                        rule.match(String(name)) >= .text
                        || isBare && rule.match("\(previous) \(name)") >= .text
                    expected = isScheme ? 1 : isSecret ? 2 : 0
                } else if 4...20 ~= word.utf8.count, Self.schemes.contains(Self.bare(word).lowercased()) {
                    (isScheme, expected) = (true, 1)
                } else if !word.isEmpty {
                    expected = expected > 0 && word.utf8.allSatisfy(\.isLetter) ? expected - 1 : 0
                }
            }
            if !word.isEmpty { previous = word }
            let next =
                rest.utf8[word.endIndex...].firstIndex { !$0.isBetweenWords && $0 != UInt8(ascii: "\\") }
                ?? rest.endIndex
            let gap = rest[word.endIndex..<next].utf8
            masked += rest[word.endIndex..<next]
            rest = rest[next...]
            if gap.contains(UInt8(ascii: "\n")) { cookies = 0 }
            // A quoted value is masked as a whole.
            guard isAssigned, expected > 0, !isScheme, let quote = gap.last, quote.isQuote else { continue }
            let isEscaped = gap.dropLast().last == UInt8(ascii: "\\")
            let end = Self.endOfQuoted(rest, by: quote, isEscaped: isEscaped)
            masked += end > rest.startIndex ? mask(rest[..<end]) : ""
            rest = rest[end...]
            expected = 0
        }
        return masked
    }

    /// Returns the end of the first word, which is before a backslash that escapes a quote.
    private static func endOfWord(_ text: Substring) -> String.Index {
        let bytes = text.utf8
        var end = bytes.firstIndex(where: \.isBetweenWords) ?? bytes.endIndex
        guard end < bytes.endIndex, bytes[end].isQuote else { return end }
        while end > bytes.startIndex, bytes[bytes.index(before: end)] == UInt8(ascii: "\\") {
            end = bytes.index(before: end)
        }
        return end
    }

    /// Returns the end of a value in quotes, or that of its line if they are not closed.
    private static func endOfQuoted(_ text: Substring, by quote: UInt8, isEscaped: Bool) -> String.Index {
        let bytes = text.utf8
        /// The position after the last other character.
        var end = bytes.startIndex
        for index in bytes.indices where bytes[index] != UInt8(ascii: "\\") {
            if bytes[index] == UInt8(ascii: "\n") { return index }
            if bytes[index] == quote, isEscaped || end == index { return end }
            end = bytes.index(after: index)
        }
        return bytes.endIndex
    }

    /// Returns a word without the punctuation around it, or what follows another one in it: `(Bearer:` is `Bearer`.
    private static func bare(_ word: Substring) -> Substring {
        let isPunctuation = { (byte: UInt8) in "([{,:=".utf8.contains(byte) }
        let end = word.utf8.lastIndex { !isPunctuation($0) } ?? word.startIndex
        let start = word.utf8[..<end].lastIndex(where: isPunctuation).map { word.utf8.index(after: $0) }
        return end == word.startIndex && word.utf8.first.map(isPunctuation) != false
            ? "" : word[(start ?? word.startIndex)...end]
    }

    /// Returns the credential at the start of a word after its scheme or name, or `nil` if it may be a plain word.
    private static func credential(_ word: Substring, isScheme: Bool) -> Substring? {
        let bytes = word.utf8.prefix { !",;()[]{}".utf8.contains($0) }
        // A URL and an item are masked in parts.
        let padding = bytes.drop { $0 != UInt8(ascii: "=") }
        guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }), bytes.range(of: "//") == nil else {
            return nil
        }
        let isKey =
            bytes.count >= 6
            && bytes.dropFirst().contains { $0.isASCIIDigit || isScheme && 0x41...0x5A ~= $0 }
        return isKey ? word[..<bytes.endIndex] : nil
    }

    private mutating func masked(word: Substring) -> String {
        let isSimple = !word.utf8.contains { "=:?#/".utf8.contains($0) }
        if isSimple, word.utf8.count < 12 { return String(word) }
        guard !isEncoded(word) else { return mask(word) }
        if isSimple {
            let masked = maskingShapes(String(word))
            return masked == word ? maskingEncoded(word) : masked
        }
        let colon = word.utf8.firstIndex(of: UInt8(ascii: ":")) ?? word.endIndex
        if colon < word.endIndex {
            let name = Self.bare(word[..<colon])
            let value = word[word.utf8.index(after: colon)...]
            let isScheme = Self.schemes.contains(name.lowercased())
            if isScheme || rule.match(String(name)) >= .text,
                let token = Self.credential(value, isScheme: isScheme)
            {
                return word[..<value.startIndex] + (isScheme ? mask(credential: token) : mask(token))
                    + word[token.endIndex...]
            }
        }
        if word.utf8.range(of: "//") != nil { return masked(url: String(word)) }
        // Without slashes before it, `ann@` is not user info.
        let masked =
            word.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            ? masked(plainURL: String(word)) : maskingShapes(masked(items: word, inText: true))
        return masked == word ? maskingEncoded(word) : masked
    }

    /// Returns a mask for a percent-encoded text that contains a secret. The values of items are decoded one by one.
    private mutating func maskingEncoded(_ word: Substring) -> String {
        guard word.utf8.contains(UInt8(ascii: "%")), !word.utf8.contains(UInt8(ascii: "=")) else {
            return String(word)
        }
        let text = QueryItems.decoded(word)
        return text != word && mayContainSecret(text) ? mask(word) : String(word)
    }

    /// Returns `true` for text in base64 that contains a secret.
    private mutating func isEncoded(_ word: Substring) -> Bool {
        SecretShapes.decoded(base64: word).map { mayContainSecret($0) } ?? false
    }

    /// Returns `true` for a decoded text with a secret, and for one that is too deep to be searched.
    private mutating func mayContainSecret(_ text: String) -> Bool {
        depth >= Self.maxDepth || masked(nested: text) != text
    }

    private mutating func maskingShapes(_ text: String) -> String {
        var masked = ""
        var position = text.startIndex
        for token in SecretShapes.ranges(in: text[...]) {
            masked += maskingBase64(text[position..<token.lowerBound]) + mask(text[token])
            position = token.upperBound
        }
        return masked + maskingBase64(text[position...])
    }

    /// Masks the parts of a word that contain a secret in base64, such as the data of a `data:` URL.
    private mutating func maskingBase64(_ text: Substring) -> String {
        var masked = ""
        var rest = text
        while let start = rest.utf8.firstIndex(where: SecretShapes.isBase64) {
            let end = rest.utf8[start...].firstIndex { !SecretShapes.isBase64($0) } ?? rest.endIndex
            let part = rest[start..<end]
            masked += rest[..<start]
            // The whole text is that of a word, which is not in base64.
            if part.utf8.count < text.utf8.count, isEncoded(part) {
                masked += mask(part)
            } else if part.utf8.contains(UInt8(ascii: "/")) {
                // A slash can be a part of base64, or separate the segments of a path.
                masked += part.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                    .map { isEncoded(Substring($0)) ? mask(Substring($0)) : String(Substring($0)) }
                    .joined(separator: "/")
            } else {
                masked += part
            }
            rest = rest[part.endIndex...]
        }
        return masked + rest
    }

    // MARK: URLs and forms

    /// Masks the text of a URL, which may be invalid: removes user info and masks the values of secret query items.
    package mutating func masked(url text: String) -> String {
        masked(plainURL: removingUserInfo(text[...]))
    }

    /// Masks the text of a URL without user info.
    private mutating func masked(plainURL text: String) -> String {
        // The path can have parameters. A fragment can contain a token, too (RFC 6749, section 4.2.2).
        let start =
            text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let path = text[..<start]
        var masked = masked(items: path, inText: !path.utf8.contains(UInt8(ascii: ";")))
        for (index, part) in text[start...].split(separator: "#", omittingEmptySubsequences: false)
            .enumerated()
        {
            // A fragment can be a path with a query: `#/route?code=`.
            let first = part.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "=") }
            let isMark = first.map { part.utf8[$0] == UInt8(ascii: "?") } ?? false
            let items = first.map { isMark ? part.utf8.index(after: $0) : part.startIndex } ?? part.startIndex
            masked += (index > 0 ? "#" : "") + part[..<items] + self.masked(items: part[items...])
        }
        return maskingShapes(masked)
    }

    /// Removes the user info of a URL and of those in it.
    private mutating func removingUserInfo(_ text: Substring) -> String {
        var kept = ""
        var rest = text
        var start = rest.utf8.range(of: "//")?.upperBound ?? rest.startIndex
        var isNested = false
        while true {
            kept += rest[..<start]
            rest = rest[start...]
            let end = rest.utf8.firstIndex { Self.endsHost($0, inItem: isNested) } ?? rest.endIndex
            let at =
                rest.utf8[..<end].lastIndex(of: UInt8(ascii: "@")) ?? Self.endOfUserInfo(rest, after: end)
            if let at {
                collect(userInfo: rest[..<at])
                rest = rest[rest.utf8.index(after: at)...]
            }
            guard let next = rest.utf8.range(of: "://") else { return kept + rest }
            start = next.upperBound
            isNested = true
        }
    }

    private static func endsHost(_ byte: UInt8, inItem: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
        case UInt8(ascii: "&"): inItem
        default: false
        }
    }

    /// Returns the end of user info whose password contains a delimiter: what precedes that is not a host with a port.
    private static func endOfUserInfo(_ text: Substring, after end: String.Index) -> String.Index? {
        guard let colon = text.utf8[..<end].firstIndex(of: UInt8(ascii: ":")), !text.hasPrefix("["),
            text.utf8[colon..<end].dropFirst().contains(where: { !$0.isASCIIDigit })
        else { return nil }
        return text.utf8[end...].prefix(200).firstIndex { "@ \t\r\n".utf8.contains($0) }
            .flatMap { text.utf8[$0] == UInt8(ascii: "@") ? $0 : nil }
    }

    private mutating func collect(userInfo: Substring) {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let secret = parts.last.map { $0.removingPercentEncoding ?? String($0) } ?? ""
        // A user name without a password is often a token.
        if parts.count > 1 ? !secret.isEmpty : secret.utf8.count >= 10 { _ = mask(secret) }
    }

    /// Returns a percent-encoded query or form with the values masked that have a secret name or contain a secret.
    ///
    /// - Parameter inText: A Boolean value that indicates whether the items are part of a text. There, names that are also
    ///   those of other values do not suffice.
    mutating func masked(items text: Substring, inText: Bool = false) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return String(text) }
        // A separator can be a character with an accent that follows it. In a text, a comma before another item is one.
        let separators = inText ? "&;," : "&;"
        var items: [Substring] = []
        for part in text.utf8.split(
            omittingEmptySubsequences: false, whereSeparator: separators.utf8.contains)
        {
            let isComma = text.utf8[..<part.startIndex].last == UInt8(ascii: ",")
            if isComma, !part.contains(UInt8(ascii: "=")), let last = items.popLast() {
                items.append(text[last.startIndex..<part.endIndex])
            } else {
                items.append(text[part.startIndex..<part.endIndex])
            }
        }
        var named: Set<[String]> = []
        if items.count > 1 {
            for item in items {
                guard let (name, _, value) = Self.parts(of: item), rule.isPairName(name), rule.isSecret(value)
                else { continue }
                named.insert(SecretRule.words(of: name).dropLast())
            }
        }
        return items.reduce(into: "") { masked, item in
            let separator = text.utf8[..<item.startIndex].last.map { String(UnicodeScalar($0)) } ?? ""
            masked += separator + self.masked(item: item, named: named, inText: inText)
        }
    }

    private static func parts(of item: Substring) -> (name: String, encoded: Substring, value: String)? {
        guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let encoded = item[item.utf8.index(after: equals)...]
        return (QueryItems.decoded(item[..<equals]), encoded, QueryItems.decoded(encoded))
    }

    private mutating func masked(item: Substring, named: Set<[String]>, inText: Bool) -> String {
        guard let (name, encoded, value) = Self.parts(of: item), !encoded.isEmpty else { return String(item) }
        let start = item[..<encoded.startIndex]
        let isMasked =
            inText
            ? rule.isSecret(name, value)
            : rule.isSecret(name)
                || rule.isPairValue(name) && named.contains(SecretRule.words(of: name).dropLast())
        // A value that is masked already keeps the brackets after it.
        let rest = encoded.hasPrefix(Redaction.mask) ? encoded.dropFirst(Redaction.mask.count) : encoded
        if encoded.count > rest.count, rest.allSatisfy(\.isPunctuation) { return String(item) }
        if isMasked { return start + mask(value) }
        // A value is masked as a whole if it contains a secret, such as a URL or JSON with one.
        let containsSecret =
            depth >= Self.maxDepth ? encoded.utf8.contains(UInt8(ascii: "%")) : masked(nested: value) != value
        return containsSecret ? start + mask(value) : String(item)
    }
}

/// The start tag of an element.
private struct MarkupTag {
    private let text: Substring
    private var name: Substring
    private var attributes: [(name: Substring, value: Range<String.Index>)] = []
    /// The position after the tag.
    private(set) var end: String.Index

    /// Parses the tag whose bracket is at `open`. A tag that is cut ends at the end of the text.
    init?(_ text: Substring, at open: String.Index) {
        self.text = text
        let bytes = text.utf8
        func skip(from start: String.Index, while condition: (UInt8) -> Bool) -> String.Index {
            bytes[start...].firstIndex { !condition($0) } ?? bytes.endIndex
        }
        let start = bytes.index(after: open)
        end = skip(from: start) {
            $0.isASCIIDigit || $0 >= 0x41 && $0 != 0x7B && $0 != 0x7D || "-.:".utf8.contains($0)
        }
        name = text[start..<end]
        guard name.first?.isLetter == true, end == bytes.endIndex || " \t\r\n/>".utf8.contains(bytes[end]),
            !bytes[end...].starts(with: "//".utf8)
        else { return nil }
        while true {
            let start = skip(from: end) { " \t\r\n/".utf8.contains($0) }
            guard start < bytes.endIndex, bytes[start] != UInt8(ascii: ">") else {
                end = start < bytes.endIndex ? bytes.index(after: start) : start
                return
            }
            end = skip(from: bytes.index(after: start)) { !" \t\r\n=>".utf8.contains($0) }
            let attribute = text[start..<end]
            let equals = skip(from: end) { " \t\r\n".utf8.contains($0) }
            guard equals < bytes.endIndex, bytes[equals] == UInt8(ascii: "=") else { continue }
            end = skip(from: bytes.index(after: equals)) { " \t\r\n".utf8.contains($0) }
            guard end < bytes.endIndex else { return }
            let quote = bytes[end]
            let isQuoted = "\"'".utf8.contains(quote)
            let value = isQuoted ? bytes.index(after: end) : end
            end = skip(from: value) { isQuoted ? $0 != quote : !" \t\r\n>".utf8.contains($0) }
            attributes.append((attribute, value..<end))
            if isQuoted, end < bytes.endIndex { end = bytes.index(after: end) }
        }
    }

    /// Returns the positions of secret values in the tag, and that of the text after it. Also returns whether this text is
    /// the name of a secret, or `nil` if the element is neither a name nor a value.
    ///
    /// - Parameter isValue: `true` if the text of the last name is that of a secret.
    func secrets(
        _ rule: SecretRule, isNamed isValue: Bool
    ) -> (positions: [Range<String.Index>], namesSecret: Bool?) {
        let isNamed = attributes.contains { name, value in
            rule.isPairName(String(name)) && rule.isSecret(String(text[value]))
                || name.lowercased() == "type" && text[value].lowercased() == "password"
        }
        var secrets = attributes.filter { name, value in
            rule.isSecret(String(name), String(text[value])) || isNamed && rule.isPairValue(String(name))
        }.map(\.value)
        let cdata = "<![CDATA["
        let isCDATA = text[end...].hasPrefix(cdata)
        let start = isCDATA ? text.utf8.index(end, offsetBy: cdata.utf8.count) : end
        let content =
            isCDATA
            ? text.utf8[start...].range(of: "]]>")?.lowerBound
            : text.utf8[start...].firstIndex(of: UInt8(ascii: "<"))
        let value = text[start..<(content ?? text.endIndex)]
        // A placeholder such as `<token>` has no end tag.
        let hasEnd =
            isCDATA || content.map { text[$0...].hasPrefix("</") } ?? !value.contains(where: \.isWhitespace)
        // Property lists have `string` after `key`.
        let isPairValue = rule.isPairValue(String(name)) || name == "string"
        let hasSecretName =
            name.lowercased() != "a"
            && attributes.contains {
                ["name", "key"].contains($0.lowercased()) && rule.isSecret(String(text[$1]))
            }
        let isSecret =
            isValue && isPairValue || hasSecretName && !value.contains(where: \.isWhitespace)
            || rule.isSecret(String(name), String(value))
        if hasEnd, isSecret { secrets.append(value.startIndex..<value.endIndex) }
        if !hasEnd, hasSecretName { return (secrets, true) }
        let isPairName = hasEnd && rule.isPairName(String(name))
        return (secrets, isPairName ? rule.isSecret(String(value)) : isPairValue ? false : nil)
    }
}

extension UInt8 {
    /// `true` for white space, quotes and angle brackets.
    var isBetweenWords: Bool {
        switch self {
        case 0x20, 0x09, 0x0D, 0x0A, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: false
        }
    }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    fileprivate var isASCIILetter: Bool { 0x61...0x7A ~= self | 0x20 }
    fileprivate var isLetter: Bool { isASCIILetter || self >= 0x80 }
}
