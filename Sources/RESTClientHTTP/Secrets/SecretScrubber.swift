package import Foundation

/// Finds secrets by a rule, masks them, and collects them, to be masked where they have no name.
package struct SecretScrubber: Sendable {
    let rule: SecretRule
    /// The values so far.
    package internal(set) var collected: Set<String> = []
    /// The number of texts around the current one, such as URLs in query items and JSON in strings.
    private(set) var depth = 0
    /// Texts further inside are masked as a whole if they may contain others.
    static let maxDepth = 3

    package init(_ rule: SecretRule = .standard) { self.rule = rule }

    /// Collects a secret, and returns the text that replaces it.
    mutating func mask(_ value: some StringProtocol) -> String {
        if value != Redaction.mask { collected.insert(String(value)) }
        return Redaction.mask
    }

    /// Returns a text in another one with its secrets masked.
    mutating func masked(nested text: String) -> String {
        depth += 1
        defer { depth -= 1 }
        return masked(message: text)
    }

    // MARK: Headers

    /// Returns the value of a header field: masked for a secret name, otherwise with the secrets in its text masked.
    package mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String {
        switch name {
        case _ where rule.headers.contains(name): return mask(value)
        case .cookie:
            return value.split(separator: ";", omittingEmptySubsequences: false)
                .map { masked(cookie: $0) }.joined(separator: ";")
        case .setCookie:
            // The first pair is the cookie, the others are its attributes.
            let end = value.firstIndex(of: ";") ?? value.endIndex
            return masked(cookie: value[..<end]) + value[end...]
        case _ where rule.isSecret(header: name):
            // "Bearer token", "Basic dXNlcjpwYXNz" or a plain value.
            let token = value.firstIndex(of: " ").map { value[$0...].dropFirst() } ?? value[...]
            let pair = Data(base64Encoded: String(token)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            if let colon = pair.firstIndex(of: ":") { _ = mask(pair[colon...].dropFirst()) }
            return mask(token)
        default: return masked(message: value)
        }
    }

    private mutating func masked(cookie pair: Substring) -> String {
        guard let equals = pair.firstIndex(of: "=") else { return Redaction.mask }
        let value = String(pair[pair.index(after: equals)...])
        // Many cookies are not secret, and their values are common words.
        let name = pair[..<equals].trimmingCharacters(in: .whitespaces)
        if rule.isSecret(name) || Redaction.looksSecret(value) { _ = mask(value) }
        return pair[...equals] + Redaction.mask
    }

    // MARK: Bodies

    /// Returns the body with its secrets masked, or `nil` if it cannot be searched for secrets: see ``BodyText``. Images,
    /// other media and binary data of unknown type are not changed.
    package mutating func masked(_ body: Data, _ headers: HTTPHeaders) -> Data? {
        guard !body.isEmpty else { return body }
        let type = headers[.contentType]
        if let parser = type.flatMap({ MultipartBody(body, type: $0) }), !parser.sections.isEmpty {
            guard depth < Self.maxDepth else { return nil }
            depth += 1
            defer { depth -= 1 }
            var isSearched = true
            let whole = parser.mapped { section in
                let part = parser.body(of: section)
                if let name = section.name, rule.isSecret(name) {
                    return Data(mask(BodyText.text(Array(part)[...])).utf8)
                }
                let masked = self.masked(part, section.headers)
                isSearched = isSearched && masked != nil
                return masked ?? part
            }
            return isSearched ? whole : nil
        }
        guard let text = BodyText(body, headers) else { return BodyText.isMedia(body, headers) ? body : nil }
        return text.data(masked(text.text, type.map(MediaType.init(rawValue:))))
    }

    private mutating func masked(_ text: String, _ type: MediaType?) -> String {
        // URLSession names the type of a form for any body without one.
        let isForm =
            text.utf8.contains(UInt8(ascii: "="))
            && text.first { !$0.isWhitespace }.map { !"{[<\"".contains($0) } ?? false
        if type?.essence == MediaType.form.essence, isForm { return masked(items: text[...]) }
        return type?.isJSON == true ? masked(json: text) : masked(message: text)
    }
}
