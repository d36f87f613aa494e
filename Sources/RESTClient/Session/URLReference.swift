import Foundation

extension URL {
    /// What `reference` means at this URL (RFC 3986, section 5); bytes that a URL may not have are percent-encoded, and
    /// what is encoded already stays as it is.
    ///
    /// The platform must find nothing to encode: one character that a URL may not have makes it encode all of the
    /// rest, percent signs, too, which is another place (PLATFORM B).
    func resolving(_ reference: String) -> URL? {
        let bytes = Array(reference.trimmingCharacters(in: .whitespaces).utf8)
        let behindHost = Self.endOfAuthority(of: bytes)
        var encoded: [UInt8] = []
        var hasFragment = false
        for (index, byte) in bytes.enumerated() {
            let isSecondMark = hasFragment && byte == UInt8(ascii: "#")
            if byte == UInt8(ascii: "#") { hasFragment = true }
            if byte == UInt8(ascii: "%")
                ? Self.isEscape(bytes, at: index) : Self.isAllowed(byte, inAuthority: index < behindHost),
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

    /// Brackets are for the address in a host only (RFC 3986, section 3.2.2), though many write them in a query.
    private static func isAllowed(_ byte: UInt8, inAuthority: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"): inAuthority
        default: byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
        }
    }

    /// Where path, query and fragment begin in a reference that has a host; 0 in any other.
    private static func endOfAuthority(of bytes: [UInt8]) -> Int {
        let slash = UInt8(ascii: "/")
        let isMark = { (byte: UInt8) in "/?#".utf8.contains(byte) }
        guard let first = bytes.firstIndex(where: isMark), bytes[first] == slash, first + 1 < bytes.count,
            bytes[first + 1] == slash, first == 0 || bytes[first - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(first + 2)...].firstIndex(where: isMark) ?? bytes.count
    }
}
