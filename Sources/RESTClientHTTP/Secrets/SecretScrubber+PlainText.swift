extension SecretScrubber {
    private enum Kind {
        static let separator: UInt8 = 0
        static let letter: UInt8 = 1
        static let capital: UInt8 = 2
        static let digit: UInt8 = 3
        /// Other bytes of a key or of base64.
        static let joiner: UInt8 = 4
        static let slash: UInt8 = 9
        /// A blank, a quote or an angle bracket between words.
        static let blank: UInt8 = 5
        static let colon: UInt8 = 6
        static let at: UInt8 = 7
        static let equals: UInt8 = 8
        /// The start of a tag, and the escapes.
        static let special: UInt8 = 10
    }

    private static let kinds: [UInt8] = (0...255).map { (byte: UInt8) in
        switch byte {
        case 0x30...0x39: Kind.digit
        case 0x41...0x5A: Kind.capital
        case 0x61...0x7A: Kind.letter
        case UInt8(ascii: ":"): Kind.colon
        case UInt8(ascii: "@"): Kind.at
        case UInt8(ascii: "/"): Kind.slash
        case UInt8(ascii: "="): Kind.equals
        case _ where byte.isBetweenWords && byte != UInt8(ascii: "<"): Kind.blank
        case _ where "-_.+".utf8.contains(byte): Kind.joiner
        case _ where "%<\\".utf8.contains(byte): Kind.special
        default: Kind.separator
        }
    }

    /// Returns `false` if the text in `range` of `bytes` can contain a secret. Sentences, dates and most URLs cannot.
    ///
    /// Most text is plain. This looks once at each byte, in a hundredth of the time of a search for secrets.
    mutating func isPlain(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        let kinds = Self.kinds
        let end = range.upperBound
        func kindOfByte(at index: Int) -> UInt8 { index < end ? kinds[Int(bytes[index])] : Kind.blank }
        var index = range.lowerBound
        // The part of a word since its last separator.
        var (start, hasLetter, hasDigit, capitals) = (index, false, false, 0)
        // The word is a URL, or one precedes it.
        var (isURL, hasURL) = (false, false)
        while true {
            let kind = kindOfByte(at: index)
            switch kind {
            case Kind.letter: hasLetter = true
            case Kind.digit: hasDigit = true
            case Kind.capital: capitals += 1
            case Kind.joiner: break
            case Kind.slash: hasURL = hasURL || index > range.lowerBound && bytes[index - 1] == bytes[index]
            case Kind.special: return false
            case Kind.at where hasURL: return false
            default:
                if kind == Kind.colon, !isURL {
                    // The name of a value, unless it is the scheme of a URL, or the hour or minute of a time.
                    if kindOfByte(at: index + 1) == Kind.slash, kindOfByte(at: index + 2) == Kind.slash {
                        isURL = true
                    } else {
                        let beforeHour = bytes[start..<index].dropLast(2).last
                        let isTime = capitals == 0 || capitals == 1 && beforeHour == UInt8(ascii: "T")
                        guard isTime, hasDigit, !hasLetter, kindOfByte(at: index + 1) == Kind.digit,
                            index - start >= 2
                        else { return false }
                    }
                } else if kind == Kind.equals {
                    let isItem = start == range.lowerBound || Self.beforeItems.contains(bytes[start - 1])
                    guard isItem, start < index, kindOfByte(at: index + 1) <= Kind.digit else { return false }
                    let role = role(of: String(decoding: bytes[start..<index], as: UTF8.self))
                    if role.match != .no || role.isPairName || role.isPairValue { return false }
                }
                if index - start >= 4, Self.mayBeSecret(bytes, start..<index, hasDigit, capitals) {
                    return false
                }
                if kind == Kind.blank { isURL = false }
                if index >= end { return true }
                (start, hasLetter, hasDigit, capitals) = (index + 1, false, false, 0)
            }
            index += 1
        }
    }

    private static let beforeItems = Array("?&;,# \t\r\n".utf8)

    /// Returns `true` for a part of a word that announces a secret, or may be one by its form or in base64.
    private static func mayBeSecret(
        _ bytes: [UInt8], _ part: Range<Int>, _ hasDigit: Bool, _ capitals: Int
    ) -> Bool {
        let first = bytes[part.lowerBound]
        if part.count <= 6 {
            guard first | 0x20 == UInt8(ascii: "b") || first | 0x20 == UInt8(ascii: "d") else { return false }
            return schemes.contains(String(decoding: bytes[part], as: UTF8.self).lowercased())
        }
        // Words of lowercase letters are not keys.
        guard part.count >= 10, hasDigit || capitals > 1 || capitals == 1 && kinds[Int(first)] != Kind.capital
        else { return false }
        return part.count < 12
            ? String(decoding: bytes[part], as: UTF8.self).hasSuffix("-----BEGIN")
            : SecretShapes.mayOccur(in: bytes[part])
    }
}
