import Foundation
import RESTClientHTTP

/// A URL as it was typed, made into one that can be asked for.
struct URLArgument: Equatable, Sendable {
    let url: URL
    /// What stood before the `@`: taken out of the URL, so that it is shown nowhere.
    let user: Options.User?

    /// Takes `text`, which begins with a scheme, `://`, apart. What a URL may not have behind its host is
    /// percent-encoded, as people type it; control characters and spaces are refused, as they are slips.
    init(_ text: String) throws(UsageError) {
        guard text.utf8.count <= Self.longest else {
            throw UsageError("the URL is longer than \(Self.longest) bytes")
        }
        if let blank = text.unicodeScalars.first(where: { $0.value <= 0x20 || TerminalEscaping.isUnsafe($0) })
        {
            throw UsageError(
                "the URL has \(blank == " " ? "a space" : "a control character") in it",
                hint: blank == " " ? "write it as %20" : nil)
        }
        let parts = Parts(text)
        let complete = "\(parts.scheme)://\(parts.host)\(Self.encoded(parts.rest))"
        guard !parts.host.isEmpty, !parts.host.hasPrefix(":") else {
            throw UsageError(
                "the URL has no host: \(TerminalEscaping.escaped(Input.redacted(text), limit: 200))")
        }
        // Behind a backslash the platform sees user info where we see a path.
        guard let url = URL(string: complete), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil
        else {
            throw UsageError("this is no URL: \(TerminalEscaping.escaped(Input.redacted(text), limit: 200))")
        }
        #if canImport(FoundationNetworking)
        guard !parts.host.hasPrefix("[") else {
            throw UsageError(
                "the platform's HTTP library cannot reach an IPv6 address", hint: "use a host name")
        }
        #endif
        if let port = url.port, !(1...65_535).contains(port) { throw UsageError("there is no port \(port)") }
        self.url = url
        user = parts.user
    }

    private static let longest = 64 << 10

    private struct Parts {
        var scheme = ""
        var user: Options.User?
        var host = ""
        var rest = ""

        init(_ text: String) {
            guard let mark = text.firstRange(of: "://") else { return }
            scheme = text[..<mark.lowerBound].lowercased()
            var authority = text[mark.upperBound...].prefix { !"/?#\\".contains($0) }
            rest = String(text[authority.endIndex...])
            if let at = authority.lastIndex(of: "@") {
                let typed = OptionValue.user(String(authority[..<at]))
                user = Options.User(
                    name: Self.decoded(typed.name), password: Self.decoded(typed.password ?? ""))
                authority = authority[authority.index(after: at)...]
            }
            host = String(authority)
        }

        private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }
    }

    /// `text` with the bytes percent-encoded that a path or a query may not have (RFC 3986, sections 3.3 and 3.4).
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && index + 2 < bytes.count
                && bytes[index + 1...index + 2].allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            if isEscape || isAllowed(byte) {
                encoded.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                encoded += "%\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
            }
        }
        return encoded
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?#".utf8.contains(byte)
        }
    }
}
