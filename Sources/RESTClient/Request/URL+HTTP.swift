package import Foundation

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

extension URL {
    /// Whether it is as nearly all are, so that there is nothing to refuse or to change: `http` or `https`, a host of
    /// letters, digits, dots and hyphens, perhaps a port, and no fragment.
    ///
    /// To take a URL apart with `URLComponents` is most of what it costs to check a small request.
    var isPlain: Bool {
        guard baseURL == nil else { return false }
        var text = absoluteString
        return text.withUTF8 { Self.isPlain($0[...]) }
    }

    private static func isPlain(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: { text.starts(with: $0.utf8) }) else {
            return false
        }
        let rest = text.dropFirst(scheme.utf8.count)
        let host = rest.prefix { isHostByte($0) }
        guard !host.isEmpty else { return false }
        var path = rest[host.endIndex...]
        if path.first == UInt8(ascii: ":") {
            let port = path.dropFirst().prefix { isDigit($0) }
            let number = port.prefix(6).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard (1...65_535).contains(number), port.count < 6 else { return false }
            path = path[port.endIndex...]
        }
        return path.isEmpty || path.first == UInt8(ascii: "/") && !path.contains(UInt8(ascii: "#"))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: isDigit(byte)
        }
    }
}

/// Scheme, host and port: what a credential belongs to (RFC 6454, section 4).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int

    /// The origin of an http or https URL; of anything else there is none.
    package init?(_ url: URL?) {
        guard let url, let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true),
            !host.isEmpty, let standard = Self.ports[scheme]
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? standard
    }

    /// As it stands in a URL, the port left out where it is the scheme's own.
    package var description: String {
        "\(scheme)://\(host)" + (port == Self.ports[scheme] ? "" : ":\(port)")
    }

    private static let ports = ["http": 80, "https": 443]
}
