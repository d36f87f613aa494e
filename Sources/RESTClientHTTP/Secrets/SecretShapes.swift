import Foundation

/// The credentials that their form identifies, wherever they stand.
enum SecretShapes {
    /// The texts with which credentials begin, by the number of bytes that they have at least.
    private static let starts: KeyValuePairs = [
        12: "xoxa- xoxb- xoxc- xoxd- xoxe- xoxp- xoxr- xoxs- xapp-",
        16: "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        20: "AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ glpat- ya29.", 24: "sk- hvs.",
        30: "github_pat_ AIza npm_ hf_ shpat_ glsa_ lin_api_", 40: "SG. dop_v1_ pypi-",
    ]
    private static let shapes = starts.flatMap { count, starts in
        starts.split(separator: " ").map { (start: Array($0.utf8), count: count) }
    }
    private static let shapesByFirst = Dictionary(grouping: shapes) { $0.start[0] }

    /// Returns the positions of the credentials in a text without white space.
    static func ranges(in text: Substring) -> [Range<String.Index>] {
        Array(text.utf8).withUnsafeBufferPointer { ranges(in: $0) }.map {
            let start = text.utf8.index(text.startIndex, offsetBy: $0.lowerBound)
            return start..<text.utf8.index(start, offsetBy: $0.count)
        }
    }

    private static func begins(
        _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, with start: [UInt8]
    ) -> Bool {
        guard let base = bytes.baseAddress, bytes.count - index >= start.count else { return false }
        return memcmp(base + index, start, start.count) == 0
    }

    private static let tokenStart = Array("eyJ".utf8)

    private static func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var position = bytes.startIndex
        var isStart = true
        while position < bytes.endIndex {
            let byte = bytes[position]
            let start = position
            if byte == UInt8(ascii: "e"), begins(bytes, at: start, with: tokenStart) {
                // A JSON Web Token (RFC 7519): several parts in base64url, of which the first is a JSON object.
                let token = bytes[start...].prefix { isPart($0) || $0 == UInt8(ascii: "=") }
                if token.count >= 16, token.contains(UInt8(ascii: ".")) { ranges.append(token.indices) }
                position = token.endIndex
            } else if isStart, let shapes = shapesByFirst[byte],
                let shape = shapes.first(where: { begins(bytes, at: start, with: $0.start) })
            {
                let token = bytes[start...].prefix(while: isPart)
                if token.count >= shape.count, token.contains(where: \.isASCIIDigit) {
                    ranges.append(token.indices)
                }
                position = token.endIndex
            } else {
                isStart = !isPart(byte) || byte == UInt8(ascii: ".")
                position += 1
            }
        }
        return ranges
    }

    /// Returns `false` if a part of a word contains no credential, and no text in base64.
    static func mayOccur(in part: UnsafeBufferPointer<UInt8>) -> Bool {
        var (start, segment) = (part.startIndex, part.startIndex)
        for index in part.startIndex...part.endIndex {
            let byte = index < part.endIndex ? part[index] : UInt8(ascii: ".")
            guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") else { continue }
            // A slash can be a part of base64, or separate the segments of a path.
            if mayBeBase64(part[segment..<index]) { return true }
            if byte != UInt8(ascii: "/"), start < segment, mayBeBase64(part[start..<index]) { return true }
            segment = index + 1
            if byte != UInt8(ascii: "/") { start = segment }
        }
        return !ranges(in: part).isEmpty
    }

    private static func mayBeBase64(_ slice: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let text = UnsafeBufferPointer(rebasing: slice)
        guard text.count >= 12, mayBeginText(base64: text) else { return false }
        return decoded(base64: Substring(String(decoding: text, as: UTF8.self))) != nil
    }

    /// Returns `false` if a text of at least three bytes is not UTF-8 in base64. Most other words do not begin with UTF-8.
    private static func mayBeginText(base64 text: UnsafeBufferPointer<UInt8>) -> Bool {
        let second = base64Value(text[1])
        let first = base64Value(text[0]) << 2 | second >> 4
        let next = second << 4 | base64Value(text[2]) >> 2
        return first < 0x80 ? first >= 0x09 : 0xC2...0xF4 ~= first && 0x80...0xBF ~= next
    }

    private static func base64Value(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        default: 63
        }
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
        default: isPart(byte) && byte != UInt8(ascii: ".")
        }
    }

    /// Returns the text that `text` is in base64 or base64url, or `nil` if it is something else.
    static func decoded(base64 text: Substring) -> String? {
        var text = text
        guard text.utf8.count >= 12, text.withUTF8({ mayBeginText(base64: $0) }),
            let data = data(base64: text),
            let decoded = String(validating: data, as: UTF8.self),
            !decoded.utf8.contains(where: { $0 < 0x09 })
        else { return nil }
        return decoded
    }

    /// Returns the data that `text` is in base64 or base64url.
    static func data(base64 text: Substring) -> Data? {
        text.utf8.allSatisfy(isBase64) ? Data(anyBase64: text) : nil
    }
}
