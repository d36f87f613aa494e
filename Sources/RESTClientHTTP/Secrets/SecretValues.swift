package import Foundation

/// Secret values, for masking them in any text.
///
/// A value of more than `maxPatternLength` bytes is masked as several patterns that overlap. Otherwise a server could send
/// a long value and a text that almost repeats it at each byte, and masking would take minutes. Parts of a long value are
/// therefore masked, too.
package struct SecretValues: Sendable {
    /// The maximum length of a pattern in bytes.
    package static let maxPatternLength = 128

    /// The values in all their encodings, or the parts of those that are long, sorted by their bytes.
    private let patterns: [[UInt8]]
    /// For each pattern, the index of the longest other pattern that it begins with, or `nil`.
    private let prefixes: [Int?]
    /// For each byte, a Boolean value that indicates whether a pattern begins with it.
    private let isFirst: [Bool]

    /// Ignores short values, which occur in many places with a different meaning; also plain words, unless
    /// `includingWords` is `true`.
    package init(_ values: Set<String>, includingWords: Bool = false) {
        let distinctive = values.filter { value in
            value.utf8.count >= 10
                || value.utf8.count >= 6 && (includingWords || !value.allSatisfy(\.isLetter))
        }
        let encodings = Set(distinctive.flatMap { Self.encodings(of: $0) })
        patterns = Set(encodings.flatMap { Self.parts(of: BodyText.bytes(of: $0)) })
            .sorted { $0.lexicographicallyPrecedes($1) }
        // In this order, the patterns that begin with a pattern follow it.
        var open: [Int] = []
        var prefixes: [Int?] = []
        var isFirst = [Bool](repeating: false, count: patterns.isEmpty ? 0 : 256)
        for (index, pattern) in patterns.enumerated() {
            while let last = open.last, !pattern.starts(with: patterns[last]) { open.removeLast() }
            prefixes.append(open.last)
            open.append(index)
            isFirst[Int(pattern[0])] = true
        }
        (self.prefixes, self.isFirst) = (prefixes, isFirst)
    }

    /// Returns a value as it is, percent-encoded, as in a form, and with the escapes of JSON and HTML.
    private static func encodings(of value: String) -> [String] {
        let encoded = QueryItems.encoded(value)
        guard encoded != value else { return [value] }
        func has(_ characters: String) -> Bool { value.utf8.contains { characters.utf8.contains($0) } }
        var lowercase = Array(encoded.utf8)
        for index in lowercase.indices where lowercase[index] == UInt8(ascii: "%") {
            for digit in index + 1...index + 2 { lowercase[digit] |= 0x20 }
        }
        let items = [encoded, String(decoding: lowercase, as: UTF8.self)]
        let quoted = String(JSONLiteral.quoted(value).dropFirst().dropLast())
        let json = [
            quoted, escaped(quoted) { !$0.isASCII }, escaped(quoted) { "<>&".unicodeScalars.contains($0) },
        ]
        var encodings = [value] + items + json
        if has(" ") {
            encodings +=
                [value.replacing(UInt8(ascii: " "), with: "+")] + items.map { $0.replacing("%20", with: "+") }
        }
        if has("/") { encodings += json.map { $0.replacing(UInt8(ascii: "/"), with: "\\/") } }
        guard has("&<>\"'") else { return encodings }
        let markup = value.replacing(UInt8(ascii: "&"), with: "&amp;").replacing(
            UInt8(ascii: "<"), with: "&lt;"
        )
        .replacing(UInt8(ascii: ">"), with: "&gt;")
        for quote in ["\"", "&quot;", "&#34;"] {
            let text = markup.replacing(UInt8(ascii: "\""), with: quote)
            for apostrophe in ["'", "&#39;", "&#039;", "&#x27;", "&apos;"] {
                encodings.append(text.replacing(UInt8(ascii: "'"), with: apostrophe))
            }
        }
        return encodings
    }

    /// Returns text with some characters as JSON escapes: `\u003c`.
    private static func escaped(_ text: String, _ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        return text.unicodeScalars.map { isEscaped($0) ? TerminalEscaping.escape($0) : "\($0)" }.joined()
    }

    /// Returns `value` itself if it is short, otherwise its parts. Each part overlaps the next by at least one byte, so that
    /// the whole value is masked as one.
    private static func parts(of value: [UInt8]) -> [[UInt8]] {
        let last = value.count - maxPatternLength
        guard last > 0 else { return [value] }
        var starts = Array(stride(from: 0, to: last, by: maxPatternLength - 1))
        starts.append(last)
        return starts.map { Array(value[$0..<$0 + maxPatternLength]) }
    }

    package func masked(message: String) -> String {
        patterns.isEmpty ? message : String(decoding: masked(Data(message.utf8)), as: UTF8.self)
    }

    /// Returns `body` with each value replaced; values that overlap are replaced together. The time is proportional to the
    /// size of `body`, and depends on the number of values only by its logarithm.
    package func masked(_ body: Data, in headers: HTTPHeaders = [:]) -> Data {
        guard !patterns.isEmpty else { return body }
        if patterns.count <= 16, !mayOccur(in: body) { return body }
        if let text = BodyText(utf16: body, headers) { return text.data(masked(message: text.text)) }
        var result = Data()
        var copied = 0
        body.withUnsafeBytes { bytes in
            var secret: Range<Int>?
            func mask(_ secret: Range<Int>) {
                result += bytes[copied..<secret.lowerBound]
                result += Redaction.mask.utf8
                copied = secret.upperBound
            }
            for index in bytes.indices where isFirst[Int(bytes[index])] {
                let length = longestMatch(UnsafeRawBufferPointer(rebasing: bytes[index...]))
                guard length > 0 else { continue }
                if let open = secret, index < open.upperBound {
                    secret = open.lowerBound..<max(open.upperBound, index + length)
                } else {
                    if let secret { mask(secret) }
                    secret = index..<index + length
                }
            }
            if let secret { mask(secret) }
            if copied > 0 { result += bytes[copied...] }
        }
        return copied > 0 ? result : body
    }

    /// Returns `false` if no pattern occurs, which is faster than to search for all of them at once, if there are few.
    private func mayOccur(in body: Data) -> Bool {
        // A text in UTF-16 has the bytes of a pattern in other places.
        body.contains(byte: 0) || patterns.contains { body.range(of: Data($0)) != nil }
    }

    /// Returns the length of the longest pattern that `text` begins with, or 0.
    private func longestMatch(_ text: UnsafeRawBufferPointer) -> Int {
        // The patterns that `text` begins with are the last one that does not follow it, or prefixes of that one.
        var low = 0
        var high = patterns.count
        var common = 0
        var last: Int?
        while low < high {
            let middle = (low + high) / 2
            let length = Self.commonLength(patterns[middle], text)
            if length == patterns[middle].count
                || length < text.count && patterns[middle][length] < text[length]
            {
                (last, common, low) = (middle, length, middle + 1)
            } else {
                high = middle
            }
        }
        while let index = last, patterns[index].count > common { last = prefixes[index] }
        return last.map { patterns[$0].count } ?? 0
    }

    private static func commonLength(_ pattern: [UInt8], _ text: UnsafeRawBufferPointer) -> Int {
        let count = min(pattern.count, text.count)
        return pattern.withUnsafeBytes { pattern in
            var length = 0
            while length < count, pattern[length] == text[length] { length += 1 }
            return length
        }
    }
}

extension String {
    /// Returns the text with each byte of ASCII replaced, also before an accent.
    fileprivate func replacing(_ byte: UInt8, with text: String) -> String {
        String(decoding: utf8.flatMap { $0 == byte ? Array(text.utf8) : [$0] }, as: UTF8.self)
    }
}
