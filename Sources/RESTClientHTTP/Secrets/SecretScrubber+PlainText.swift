extension SecretScrubber {
    enum Kind {
        case separator, letter, capital, digit
        /// Other bytes of a key or of base64.
        case joiner
        case slash
        /// A blank, a quote or an angle bracket between words.
        case blank
        case colon, at, equals
        /// The start of a tag, and the escapes.
        case special
    }

    static let kinds: [Kind] = (0...255).map { (byte: UInt8) in
        switch byte {
        case 0x30...0x39: .digit
        case 0x41...0x5A: .capital
        case 0x61...0x7A: .letter
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: "@"): .at
        case UInt8(ascii: "/"): .slash
        case UInt8(ascii: "="): .equals
        case _ where byte.isBetweenWords && byte != UInt8(ascii: "<"): .blank
        case _ where "-_.+".utf8.contains(byte): .joiner
        case _ where "%<\\".utf8.contains(byte): .special
        default: .separator
        }
    }

    /// Returns `false` if a text can contain a secret. Sentences, dates and most URLs cannot.
    ///
    /// Most text is plain. This looks once at each byte, in a hundredth of the time of a search for secrets.
    mutating func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        Self.kinds.withUnsafeBufferPointer { isPlain(bytes, $0) }
    }

    private mutating func isPlain(
        _ bytes: UnsafeBufferPointer<UInt8>, _ kinds: UnsafeBufferPointer<Kind>
    ) -> Bool {
        let end = bytes.count
        func kindOfByte(at index: Int) -> Kind { index < end ? kinds[Int(bytes[index])] : .blank }
        var index = 0
        // The part of a word since its last separator.
        var (start, hasLetter, hasDigit, capitals) = (index, false, false, 0)
        // The word is a URL, or one precedes it.
        var (isURL, hasURL) = (false, false)
        while true {
            let kind = index < end ? kinds[Int(bytes[index])] : .blank
            switch kind {
            case .letter: hasLetter = true
            case .digit: hasDigit = true
            case .capital: capitals += 1
            case .joiner: break
            case .slash: hasURL = hasURL || index > 0 && bytes[index - 1] == bytes[index]
            case .special: return false
            case .at where hasURL: return false
            case .separator, .blank, .colon, .at, .equals:
                if kind == .colon, !isURL {
                    // The name of a value, unless it is the scheme of a URL, or the hour or minute of a time.
                    if kindOfByte(at: index + 1) == .slash, kindOfByte(at: index + 2) == .slash {
                        isURL = true
                    } else {
                        let isTime =
                            capitals == 0
                            || capitals == 1 && index - start > 2 && bytes[index - 3] == UInt8(ascii: "T")
                        guard isTime, hasDigit, !hasLetter, kindOfByte(at: index + 1) == .digit,
                            index - start >= 2
                        else { return false }
                    }
                } else if kind == .equals {
                    let isItem = start == 0 || Self.beforeItems.contains(bytes[start - 1])
                    let isValue =
                        switch kindOfByte(at: index + 1) {
                        case .separator, .letter, .capital, .digit: true
                        default: false
                        }
                    guard isItem, start < index, isValue else { return false }
                    let role = role(of: String(decoding: bytes[start..<index], as: UTF8.self))
                    if role.match != .no || role.isPairName || role.isPairValue { return false }
                }
                if index - start >= 4,
                    Self.mayBeSecret(
                        UnsafeBufferPointer(rebasing: bytes[start..<index]), hasDigit, capitals)
                {
                    return false
                }
                if kind == .blank { isURL = false }
                if index >= end { return true }
                (start, hasLetter, hasDigit, capitals) = (index + 1, false, false, 0)
            }
            index += 1
        }
    }

    private static let beforeItems = Array("?&;,# \t\r\n".utf8)

    /// Returns `true` for a part of a word that announces a secret, or may be one by its form or in base64.
    private static func mayBeSecret(
        _ part: UnsafeBufferPointer<UInt8>, _ hasDigit: Bool, _ capitals: Int
    ) -> Bool {
        let first = part[0]
        if part.count <= 6 {
            guard first | 0x20 == UInt8(ascii: "b") || first | 0x20 == UInt8(ascii: "d") else { return false }
            return schemes.contains(String(decoding: part, as: UTF8.self).lowercased())
        }
        // Words of lowercase letters are not keys.
        guard part.count >= 10, hasDigit || capitals > 1 || capitals == 1 && kinds[Int(first)] != .capital
        else { return false }
        return part.count < 12
            ? String(decoding: part, as: UTF8.self).hasSuffix("-----BEGIN") : SecretShapes.mayOccur(in: part)
    }
}
