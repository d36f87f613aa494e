import Foundation
import RESTClient

/// A URL from the command line, validated and percent-encoded.
struct URLArgument: Equatable, Sendable {
    let url: URL
    /// The user info, removed from the URL so that it is never displayed.
    private(set) var user: User?

    /// Parses `text`, which starts with a scheme and `://`. Percent-encodes characters that are not valid after the
    /// host; rejects spaces and control characters.
    init(_ text: String) throws(CommandError) {
        guard text.utf8.count <= Self.maxLength else {
            throw .usage("the URL is longer than \(Self.maxLength.text(of: "byte"))")
        }
        if let invalid = Self.invalidCharacter(in: text) {
            throw .usage(
                "the URL contains \(invalid)",
                hint: invalid == Self.space
                    ? "write %20 instead" : "remove it, or write it with percent signs")
        }
        // The scheme, the user info, the host with the port, and the rest.
        let parts = text.wholeMatch(of: /(.*?):\/\/(?:([^\/?#\\]*)@)?([^\/?#\\]*)(.*)/)
        guard let (_, scheme, userInfo, host, rest) = parts?.output, !host.isEmpty, !host.hasPrefix(":")
        else { throw .usage("the URL has no host: \(Self.masked(text).escaped())") }
        // The platform finds user info after a backslash where this parser finds a path.
        guard let url = URL(string: "\(scheme.lowercased())://\(host)\(Self.encoded(rest))"),
            url.host(percentEncoded: false)?.isEmpty == false, url.user(percentEncoded: true) == nil,
            url.password(percentEncoded: true) == nil
        else { throw .usage("not a valid URL: \(Self.masked(text).escaped())") }
        if let port = url.port, !(1...65_535).contains(port) { throw .usage("invalid port \(port)") }
        self.url = url
        user = userInfo.map { text in
            let user = OptionValue.user(String(text))
            return User(name: Self.decoded(user.name), password: Self.decoded(user.password ?? ""))
        }
    }

    /// Returns the URL with `query` added to its query. A `#` in it does not start a fragment.
    func adding(query: String) throws(CommandError) -> Self {
        guard !query.isEmpty else { return self }
        if let invalid = Self.invalidCharacter(in: query) {
            throw .usage(
                "the data for the query contains \(invalid)",
                hint: "write it with percent signs, or use --data-urlencode for each NAME=VALUE")
        }
        let (rest, fragment) = url.absoluteString.divided(at: "#")
        let separator = rest.hasSuffix("?") || rest.hasSuffix("&") ? "" : rest.contains("?") ? "&" : "?"
        let data = query.replacing(/#/.matchingSemantics(.unicodeScalar), with: "%23")
        var other = try Self("\(rest)\(separator)\(data)\(fragment.map { "#\($0)" } ?? "")")
        other.user = user
        return other
    }

    /// `true` if both URLs have the same scheme, host and port (RFC 6454, section 4).
    func hasSameOrigin(as other: Self) -> Bool {
        func origin(_ url: URL) -> [String?] {
            [url.scheme, url.host(percentEncoded: true)?.lowercased(), "\(url.portOrDefault)"]
        }
        return origin(url) == origin(other.url)
    }

    /// Returns what the first character is that no URL contains.
    private static func invalidCharacter(in text: String) -> String? {
        text.unicodeScalars.first { $0.value <= 0x20 || TerminalEscaping.isUnsafe($0) }
            .map { $0 == " " ? space : "a control or invisible character" }
    }

    private static let space = "a space"
    private static let maxLength = 64 << 10

    private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }

    /// Returns `text` with all characters percent-encoded that are not valid in a path or query (RFC 3986, sections
    /// 3.3 and 3.4), and each percent sign that does not start an escape.
    private static func encoded(_ text: Substring) -> String {
        let percent = /%(?![0-9A-Fa-f]{2})/.matchingSemantics(.unicodeScalar)
        let allowed = CharacterSet.urlQueryAllowed.union(["#", "%"])
        return text.replacing(percent, with: "%25").addingPercentEncoding(withAllowedCharacters: allowed)
            ?? ""
    }

    /// The lowercase scheme before `://`, if it is valid (RFC 3986, section 3.1).
    static func scheme(of operand: String) -> String? {
        let scheme = operand.prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "." || $0 == "-")
        }
        guard !scheme.isEmpty, operand[scheme.endIndex...].hasPrefix("://") else { return nil }
        return scheme.lowercased()
    }

    /// Returns `operand` without user info and with secrets masked.
    static func masked(_ operand: String) -> String {
        // Searches scalars, because a combining mark after `@` would hide it from a character search.
        let scalars = operand.unicodeScalars
        guard let at = scalars.lastIndex(of: "@"), scalars[..<at].contains(":") else {
            return Redaction.text(ofURL: operand)
        }
        let scheme = scheme(of: operand).map { "\($0)://" } ?? ""
        return Redaction.text(ofURL: scheme + String(scalars[scalars.index(after: at)...]))
    }
}

/// A user name, and a password unless it has to be asked for.
struct User: Equatable, Sendable {
    var name: String
    var password: String?
}

extension URL {
    /// The port, which is that of the scheme if the URL names none.
    var portOrDefault: Int { port ?? (scheme == "https" ? 443 : 80) }
}
