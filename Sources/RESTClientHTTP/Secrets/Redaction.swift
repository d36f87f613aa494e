public import Foundation

/// Masking of secrets in header fields, URLs, forms, JSON and other texts.
///
/// A secret is recognized by its name, or as a credential after its scheme (`Bearer abc123`), or as a JSON Web Token.
public enum Redaction {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// Returns the value of a header field: masked for a secret name, otherwise with the secrets in its text masked.
    public static func value(_ value: String, of name: HTTPHeaders.Name) -> String {
        isSecret(header: name) ? mask : text(value)
    }

    /// Returns `true` if the header field `name` contains a secret.
    package static func isSecret(header name: HTTPHeaders.Name) -> Bool {
        if secretHeaders.contains(name) || isSecret(name.rawValue) { return true }
        if name != .idempotencyKey, name.rawValue.lowercased().hasSuffix("key") { return true }
        return addedHeaders.withLock { $0.contains(name) }
    }

    /// Adds a header field whose values are masked from now on.
    ///
    /// The names are global to the process, because values such as `HTTPHeaders`, `URLRequest` and recordings print
    /// themselves without access to the session that knows the credential. Names are only ever added.
    package static func addSecretHeader(_ name: HTTPHeaders.Name) {
        guard !isSecret(header: name) else { return }
        addedHeaders.withLock { _ = $0.insert(name) }
    }

    /// Returns the text of `url` without user info and with the values of secret query items masked.
    public static func url(_ url: URL) -> String { text(ofURL: url.absoluteString) }

    /// Returns `url` without user info and with the values of secret query items masked.
    package static func masked(_ url: URL) -> URL? {
        let text = text(ofURL: url.absoluteString)
        return text == url.absoluteString ? url : URL(string: text)
    }

    /// Masks text that may not be a valid URL, such as a `Location`, like a URL.
    public static func text(ofURL text: String) -> String { self.text(ofURL: text) { _ in } }

    /// Masks the text of a URL; `found` is called with each masked text.
    ///
    /// - Parameter names: The names of the values to mask, or `nil` for those of secrets.
    package static func text(
        ofURL text: String, names: Set<String>? = nil, depth: Int = 0, found: (String) -> Void
    ) -> String {
        var text = text
        let schemeEnd = text.range(of: "//")?.upperBound ?? text.startIndex
        let authorityEnd = text[schemeEnd...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        if let at = text[schemeEnd..<authorityEnd].lastIndex(of: "@") { text.removeSubrange(schemeEnd...at) }
        // The path can have parameters. A fragment can contain a token, too (RFC 6749, section 4.2.2).
        let start = text.firstIndex { "?#".contains($0) } ?? text.endIndex
        var masked = String(text[..<start])
        if masked.contains(";") { masked = query(masked, names: names, depth: depth, found: found) }
        let parts = text[start...].split(separator: "#", omittingEmptySubsequences: false).map { part in
            let mark = part.hasPrefix("?") ? "?" : ""
            return mark + query(String(part.dropFirst(mark.count)), names: names, depth: depth, found: found)
        }
        return maskingWebTokens(masked, found: found) + parts.joined(separator: "#")
    }

    /// Returns text with its secrets masked: those in URLs and form items between white space, quotes or angle brackets,
    /// credentials after their scheme, and JSON Web Tokens. `found` is called with each masked text.
    ///
    /// - Parameter names: The names of the values to mask, or `nil` for those of secrets.
    package static func text(
        _ text: String, names: Set<String>? = nil, depth: Int = 0, found: (String) -> Void = { _ in }
    ) -> String {
        var masked = ""
        var previous: Substring = ""
        var rest = text[...]
        while !rest.isEmpty {
            let word = rest[..<(rest.utf8.firstIndex { " \t\r\n<>\"'".utf8.contains($0) } ?? rest.endIndex)]
            masked += self.word(word, after: previous, names: names, depth: depth, found: found)
            if !word.isEmpty { previous = word }
            let next = rest.utf8[word.endIndex...].firstIndex { !" \t\r\n<>\"'".utf8.contains($0) }
            masked += rest[word.endIndex..<(next ?? rest.endIndex)]
            rest = rest[(next ?? rest.endIndex)...]
        }
        return masked
    }

    private static func word(
        _ word: Substring, after previous: Substring, names: Set<String>?, depth: Int,
        found: (String) -> Void
    ) -> String {
        let token = word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~+/=".contains($0)) }
        if ["bearer", "basic", "dpop"].contains(previous.lowercased()), token.utf8.count >= 6,
            token.dropFirst().contains(where: { $0.isNumber || $0.isUppercase })
        {
            found(String(token))
            return mask + word[token.endIndex...]
        }
        let text =
            word.contains { "?#".contains($0) } || word.contains("//")
            ? self.text(ofURL: String(word), names: names, depth: depth, found: found)
            : query(String(word), names: names, inText: true, depth: depth, found: found)
        return maskingWebTokens(text, found: found)
    }

    /// Masks JSON Web Tokens (RFC 7519): several parts in base64url, of which the first is a JSON object.
    private static func maskingWebTokens(_ text: String, found: (String) -> Void) -> String {
        var masked = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "eyJ")?.lowerBound {
            let token = rest[start...].prefix {
                $0.isASCII && ($0.isLetter || $0.isNumber || "-_.=".contains($0))
            }
            let isToken = token.utf8.count >= 16 && token.contains(".")
            if isToken { found(String(token)) }
            masked += rest[..<start] + (isToken ? mask[...] : token)
            rest = rest[token.endIndex...]
        }
        return masked + rest
    }

    /// Returns a percent-encoded query with the values masked that have a secret name or contain a secret.
    ///
    /// - Parameters:
    ///   - names: The names of the values to mask, or `nil` for those of secrets.
    ///   - inText: A Boolean value that indicates whether the query is part of a text. There, ambiguous names are ignored.
    package static func query(
        _ query: String, names: Set<String>? = nil, inText: Bool = false, depth: Int = 0,
        found: (String) -> Void = { _ in }
    ) -> String {
        var masked = ""
        var rest = query[...]
        while true {
            // A separator can be a character with an accent that follows it.
            let item = rest[..<(rest.utf8.firstIndex { "&;".utf8.contains($0) } ?? rest.endIndex)]
            masked += self.item(item, names: names, inText: inText, depth: depth, found: found)
            guard item.endIndex < rest.endIndex else { return masked }
            let next = rest.utf8.index(after: item.endIndex)
            masked += rest[item.endIndex..<next]
            rest = rest[next...]
        }
    }

    private static func item(
        _ item: Substring, names: Set<String>?, inText: Bool, depth: Int, found: (String) -> Void
    ) -> String {
        guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return String(item) }
        let encoded = item[item.utf8.index(after: equals)...]
        let value = QueryItems.decoded(encoded)
        // A URL is masked as a whole if it contains a secret, or another URL in another URL.
        let containsSecret =
            encoded.contains("%")
            && (depth == maxDepth || text(value, names: names, depth: depth + 1) != value)
            || maskingWebTokens(value, found: { _ in }) != value
        let name = QueryItems.decoded(item[..<equals])
        let isMasked = names?.contains(name) ?? (isSecret(name) && !(inText && isAmbiguous(name)))
        guard isMasked || containsSecret else { return String(item) }
        found(value)
        return item[..<equals] + "=\(mask)"
    }

    /// Returns `true` if `name` is the name of a secret query item, form field or JSON member.
    package static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if secretNames.contains(plain) || secretParts.contains(where: { plain.contains($0) }) { return true }
        if plain.hasSuffix("authorization") || plain.hasSuffix("otp") { return true }
        return plain.hasSuffix("token") && !pagingParts.contains { plain.contains($0) }
    }

    /// Returns `true` for the name of a secret that is also a common name of other values.
    static func isAmbiguous(_ name: String) -> Bool {
        ["code", "key", "auth", "session", "pass", "cookie"].contains(name.lowercased())
    }

    /// Returns `true` if a number with this name may be a secret. Most numbers with a secret name are lifetimes.
    static func canBeNumeric(_ name: String) -> Bool {
        let plain = name.lowercased()
        return ["password", "passwd", "pwd", "secret", "token"].contains { plain.hasSuffix($0) }
    }

    /// Returns `true` if `text` looks like a generated key: at least 16 bytes, letters and digits, no white space.
    package static func looksSecret(_ text: String) -> Bool {
        text.utf8.count >= 16 && !text.contains(where: \.isWhitespace) && text.contains(where: \.isNumber)
            && text.contains(where: \.isLetter)
    }

    /// The number of URLs in other URLs that are searched.
    private static let maxDepth = 3

    private static let addedHeaders = LockedState<Set<HTTPHeaders.Name>>([])

    private static let secretHeaders: Set<HTTPHeaders.Name> = [
        .authorization, "Proxy-Authorization", .cookie, .setCookie,
    ]
    private static let secretNames: Set<String> = [
        "apikey", "key", "auth", "xauth", "sig", "code", "jwt", "sid", "session", "pwd", "pass", "bearer",
        "cookie", "dpop", "assertion", "clientassertion", "samlresponse", "codeverifier", "idtokenhint",
    ]
    private static let secretParts = [
        "accesstoken", "refreshtoken", "secret", "password", "passwd", "passphrase", "credential",
        "privatekey", "apikey", "accesskey", "authkey", "subscriptionkey", "signature", "sessionid", "sessid",
    ]
    /// Parts of the names of tokens that select a page of a list and are not secret.
    private static let pagingParts = ["page", "next", "prev", "continu", "cursor", "sync", "resum"]
}
