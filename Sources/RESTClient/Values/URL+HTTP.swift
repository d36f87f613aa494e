import Foundation

extension URL {
    /// Creates a URL from text that has a scheme, or from a path that is appended to the path of `base`. Returns `nil` if the
    /// text is not a URL, or has no scheme and there is no `base`.
    init?(text: String, below base: URL?) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        var whole = text
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
        if scheme.first?.isLetter != true || !text[scheme.endIndex...].hasPrefix("://") {
            guard let base, var parts = URLComponents(url: base, resolvingAgainstBaseURL: true) else {
                return nil
            }
            (parts.query, parts.fragment) = (nil, nil)
            guard var prefix = parts.string else { return nil }
            while prefix.hasSuffix("/") { prefix.removeLast() }
            let path = text.drop { $0 == "/" }
            let isSuffix = path.isEmpty || path.hasPrefix("?") || path.hasPrefix("#")
            whole = isSuffix && text == path ? "\(prefix)\(path)" : "\(prefix)/\(path)"
        }
        guard let anyURL = URL(string: "http://localhost"), let url = anyURL.resolving(whole) else {
            return nil
        }
        self = url
    }

    /// Returns `reference` resolved against this URL (RFC 3986, section 5), with invalid characters percent-encoded.
    ///
    /// If the text contains an invalid character, Foundation would encode the entire text again, including existing
    /// percent signs (PLATFORM B).
    func resolving(_ reference: String) -> URL? {
        let bytes = Array(reference.trimmingCharacters(in: .whitespaces).utf8)
        let authorityEnd = Self.endOfAuthority(of: bytes)
        var encoded: [UInt8] = []
        var hasFragment = false
        for (index, byte) in bytes.enumerated() {
            let isSecondMark = hasFragment && byte == UInt8(ascii: "#")
            if byte == UInt8(ascii: "#") { hasFragment = true }
            if byte == UInt8(ascii: "%")
                ? Self.isEscape(bytes, at: index) : Self.isAllowed(byte, inAuthority: index < authorityEnd),
                !isSecondMark
            {
                encoded.append(byte)
            } else {
                encoded.append(
                    contentsOf: "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8)
            }
        }
        return URL(string: String(decoding: encoded, as: UTF8.self), relativeTo: self)?.absoluteURL
    }

    private static func isEscape(_ bytes: [UInt8], at index: Int) -> Bool {
        index + 2 < bytes.count
            && bytes[index + 1...index + 2].allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Brackets are valid only in the address of a host (RFC 3986, section 3.2.2), but are common in queries.
    private static func isAllowed(_ byte: UInt8, inAuthority: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"): inAuthority
        // Foundation converts a host with other characters to Punycode (RFC 5891).
        case 0x80...: inAuthority
        default: byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
        }
    }

    /// Returns the index after the authority of a reference, or 0 if it has no authority.
    private static func endOfAuthority(of bytes: [UInt8]) -> Int {
        let slash = UInt8(ascii: "/")
        let isMark = { (byte: UInt8) in "/?#".utf8.contains(byte) }
        guard let first = bytes.firstIndex(where: isMark), bytes[first] == slash, first + 1 < bytes.count,
            bytes[first + 1] == slash, first == 0 || bytes[first - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(first + 2)...].firstIndex(where: isMark) ?? bytes.count
    }
}

extension URL {
    /// `true` for a common URL that needs no further check: `http` or `https`, a host of letters, digits, dots and hyphens,
    /// an optional port, and no fragment.
    ///
    /// Parsing the URL with `URLComponents` would take most of the time of checking a small request.
    var isPlain: Bool {
        let text = absoluteString
        guard baseURL == nil, let scheme = ["http://", "https://"].first(where: text.hasPrefix) else {
            return false
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let host = authority.prefix { $0.isASCIIAlphanumeric || ".-".utf8.contains($0) }
        guard !host.isEmpty, !rest.contains(UInt8(ascii: "#")) else { return false }
        guard let colon = authority[host.endIndex...].first else { return true }
        let port = authority[host.endIndex...].dropFirst()
        return colon == UInt8(ascii: ":") && port.count < 6 && port.allSatisfy(\.isASCIIDigit)
            && UInt16(Substring(port)) ?? 0 > 0
    }
}
