public import Foundation

/// Masks secrets: the one place that knows what one looks like.
public enum Redaction {
    /// What stands in place of a secret.
    package static let mask = "***"

    /// The value of a header, masked where the name says that it is a secret, and in the URLs of those that hold some.
    public static func value(_ value: String, of name: HTTPHeaders.Name) -> String {
        if isSecret(header: name) { return mask }
        return headersWithURLs.contains(name) ? text(withURLs: value) : value
    }

    /// Whether the header `name` carries a secret.
    package static func isSecret(header name: HTTPHeaders.Name) -> Bool {
        if secretHeaders.contains(name) || isSecret(name.rawValue) { return true }
        if name != .idempotencyKey, name.rawValue.lowercased().hasSuffix("key") { return true }
        return declaredHeaders.withLock { $0.contains(name) }
    }

    /// Makes the header `name` a secret everywhere, from now on: somebody said that it carries a credential.
    package static func declareSecret(header name: HTTPHeaders.Name) {
        guard !isSecret(header: name) else { return }
        declaredHeaders.withLock { _ = $0.insert(name) }
    }

    /// `url` without user info, the values of secret-looking query items masked.
    public static func url(_ url: URL) -> String {
        text(ofURL: url.absoluteString)
    }

    /// `url` as a URL that is safe to hand out.
    package static func masked(_ url: URL) -> URL? {
        let text = text(ofURL: url.absoluteString)
        return text == url.absoluteString ? url : URL(string: text)
    }

    /// The same for something that may not even be a URL, such as a `Location`.
    public static func text(ofURL text: String) -> String {
        var text = text
        let schemeEnd = text.range(of: "//")?.upperBound ?? text.startIndex
        let authorityEnd = text[schemeEnd...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        if let at = text[schemeEnd..<authorityEnd].lastIndex(of: "@") {
            text.removeSubrange(schemeEnd...at)
        }
        // Tokens travel in fragments, too (RFC 6749, section 4.2.2).
        guard let start = text.firstIndex(where: { "?#".contains($0) }) else { return text }
        var masked = String(text[..<start])
        for part in text[start...].split(separator: "#", omittingEmptySubsequences: false).enumerated() {
            let isQuery = part.element.hasPrefix("?")
            masked += part.offset == 0 ? "" : "#"
            masked += (isQuery ? "?" : "") + query(String(isQuery ? part.element.dropFirst() : part.element))
        }
        return masked
    }

    /// Text in which URLs stand between spaces, quotes or angle brackets, such as a `Link`.
    package static func text(withURLs text: String) -> String {
        var masked = ""
        var url = ""
        for character in text {
            if " \t<>\"'".contains(character) {
                masked += self.text(ofURL: url)
                masked.append(character)
                url = ""
            } else {
                url.append(character)
            }
        }
        return masked + self.text(ofURL: url)
    }

    /// A percent-encoded query, the values of secret-looking items masked, and those that are URLs with a secret.
    package static func query(_ query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals].removingPercentEncoding ?? String(item[..<equals])
            let isMasked = isSecret(name) || hidesSecret(item[item.index(after: equals)...])
            return isMasked ? "\(item[...equals])\(mask)" : String(item)
        }.joined(separator: "&")
    }

    /// Whether something called `name` (a query item, a form field, a JSON member) is a secret.
    package static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if secretNames.contains(plain) || secretParts.contains(where: { plain.contains($0) }) { return true }
        return plain.hasSuffix("token") && !pagingParts.contains { plain.contains($0) }
    }

    /// Whether something that is called `name`, which says a secret, is often something else.
    static func mayBeOther(_ name: String) -> Bool {
        ["code", "key", "auth", "session", "pass", "cookie"].contains(name.lowercased())
    }

    /// Whether a secret of this name may be a number; most numbers that have such a name say how long it holds.
    static func mayBeNumber(_ name: String) -> Bool {
        let plain = name.lowercased()
        return ["password", "passwd", "pwd", "secret", "token"].contains { plain.hasSuffix($0) }
    }

    /// Whether `text` looks as if a machine had drawn it: long, without spaces, letters and digits in it.
    package static func looksSecret(_ text: String) -> Bool {
        text.utf8.count >= 16 && !text.contains(where: \.isWhitespace) && text.contains(where: \.isNumber)
            && text.contains(where: \.isLetter)
    }

    private static func hidesSecret(_ value: Substring) -> Bool {
        guard value.contains("%"), let decoded = value.removingPercentEncoding, decoded.contains("/") else {
            return false
        }
        return text(ofURL: decoded) != decoded
    }

    private static let declaredHeaders = LockedState<Set<HTTPHeaders.Name>>([])

    private static let secretHeaders: Set<HTTPHeaders.Name> = [
        .authorization, "Proxy-Authorization", .cookie, .setCookie,
    ]
    private static let headersWithURLs: Set<HTTPHeaders.Name> = [
        .location, .link, "Content-Location", "Referer", "Refresh",
    ]
    private static let secretNames: Set<String> = [
        "apikey", "key", "auth", "xauth", "authorization", "sig", "code", "jwt", "sid", "session",
        "sessionid", "pwd", "pass", "bearer", "cookie",
    ]
    private static let secretParts = [
        "accesstoken", "refreshtoken", "secret", "password", "passwd", "passphrase", "credential",
        "privatekey", "apikey", "accesskey", "authkey", "signature", "xauthorization",
    ]
    /// A token of a list says where its next page is.
    private static let pagingParts = ["page", "next", "prev", "continu", "cursor", "sync", "resum"]
}
