import Foundation
import RESTClient

/// A URL from the command line, validated and percent-encoded.
struct URLArgument: Equatable, Sendable {
    let url: URL
    /// The user info, removed from the URL so that it is never displayed.
    let user: Options.User?

    /// Parses `text`, which starts with a scheme and `://`. Percent-encodes characters that are not valid after the
    /// host; rejects spaces and control characters.
    init(_ text: String) throws(CommandError) {
        guard text.utf8.count <= Self.maxLength else {
            throw .usage("the URL is longer than \(Self.maxLength) bytes")
        }
        if let invalid = text.unicodeScalars.first(where: {
            $0.value <= 0x20 || TerminalEscaping.isUnsafe($0)
        }) {
            throw .usage(
                "the URL contains \(invalid == " " ? "a space" : "a control character")",
                hint: invalid == " " ? "write %20 instead" : nil)
        }
        let parts = Components(text)
        let complete = "\(parts.scheme)://\(parts.host)\(Self.encoded(parts.rest))"
        guard !parts.host.isEmpty, !parts.host.hasPrefix(":") else {
            throw .usage("the URL has no host: \(TerminalEscaping.escaped(Input.masked(text), limit: 200))")
        }
        // The platform finds user info after a backslash where this parser finds a path.
        guard let url = URL(string: complete), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil
        else { throw .usage("not a valid URL: \(TerminalEscaping.escaped(Input.masked(text), limit: 200))") }
        #if canImport(FoundationNetworking)
        guard !parts.host.hasPrefix("[") else {
            throw .usage(
                "the platform's HTTP library does not support IPv6 addresses", hint: "use a host name")
        }
        #endif
        if let port = url.port, !(1...65_535).contains(port) { throw .usage("invalid port \(port)") }
        self.url = url
        user = parts.user
    }

    /// `true` if both URLs have the same scheme, host and port (RFC 6454, section 4).
    func hasSameOrigin(as other: Self) -> Bool {
        func origin(_ url: URL) -> [String?] {
            let port = url.port ?? (url.scheme == "https" ? 443 : 80)
            return [url.scheme, url.host(percentEncoded: true)?.lowercased(), "\(port)"]
        }
        return origin(url) == origin(other.url)
    }

    private static let maxLength = 64 << 10

    private struct Components {
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

    /// Returns `text` with all bytes percent-encoded that are not valid in a path or query (RFC 3986, sections 3.3
    /// and 3.4).
    private static func encoded(_ text: String) -> String {
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            let digits = part.utf8.prefix(2)
            let isEscape = digits.count == 2 && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            let mark = index == 0 ? "" : isEscape ? "%" : "%25"
            return mark + (part.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
        }.joined()
    }

    private static let allowed = CharacterSet.urlQueryAllowed.union(["#"])
}
