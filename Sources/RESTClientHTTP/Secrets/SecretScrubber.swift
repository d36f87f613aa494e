package import Foundation

/// Masks values that have the name of a secret, and collects them.
package struct SecretScrubber: Sendable {
    /// The values so far, to be masked where they have no name.
    package private(set) var collected: Set<String> = []

    package init() {}

    package mutating func masked(message: String) -> String { Redaction.text(message) { collect($0) } }

    private mutating func collect(_ value: String) { if value != Redaction.mask { collected.insert(value) } }

    // MARK: URLs and forms

    /// Collects the password and the secrets of the query.
    package mutating func collect(_ url: URL) {
        if let password = url.password(percentEncoded: false) { collect(password) }
        _ = Redaction.text(ofURL: url.absoluteString) { collect($0) }
    }

    // MARK: Headers

    package mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String {
        switch name {
        case .cookie:
            return value.split(separator: ";", omittingEmptySubsequences: false)
                .map { masked(cookie: $0) }.joined(separator: ";")
        case .setCookie:
            // The first pair is the cookie, the others are its attributes.
            let end = value.firstIndex(of: ";") ?? value.endIndex
            return masked(cookie: value[..<end]) + value[end...]
        case _ where Redaction.isSecret(header: name):
            collect(credential: value)
            return Redaction.mask
        default: return masked(message: value)
        }
    }

    private mutating func masked(cookie pair: Substring) -> String {
        guard let equals = pair.firstIndex(of: "=") else { return Redaction.mask }
        let value = String(pair[pair.index(after: equals)...])
        // Many cookies are not secret, and their values are common words.
        let name = pair[..<equals].trimmingCharacters(in: .whitespaces)
        if Redaction.isSecret(name) || Redaction.looksSecret(value) { collect(value) }
        return pair[...equals] + Redaction.mask
    }

    /// Collects the secrets of "Bearer token", "Basic dXNlcjpwYXNz" or a plain value.
    private mutating func collect(credential value: String) {
        let token = value.firstIndex(of: " ").map { String(value[$0...].dropFirst()) } ?? value
        collect(token)
        let pair = Data(base64Encoded: token).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let colon = pair.firstIndex(of: ":") { collect(String(pair[colon...].dropFirst())) }
    }

    // MARK: Bodies

    /// The maximum number of multipart bodies in each other. Those further inside are not searched.
    private static let maxDepth = 3

    /// Returns the body with its secrets masked, or `nil` if it cannot be searched for secrets: see ``BodyText``. Images,
    /// other media and binary data of unknown type are not changed.
    package mutating func masked(_ body: Data, _ headers: HTTPHeaders, depth: Int = 0) -> Data? {
        guard !body.isEmpty else { return body }
        let type = headers[.contentType]
        if let parser = type.flatMap({ MultipartBody(body, type: $0) }), !parser.sections.isEmpty {
            guard depth < Self.maxDepth else { return nil }
            var isSearched = true
            let whole = parser.mapped { section in
                let part = parser.body(of: section)
                if let name = section.name, Redaction.isSecret(name) {
                    collect(BodyText.text(Array(part)[...]))
                    return Data(Redaction.mask.utf8)
                }
                let masked = self.masked(part, section.headers, depth: depth + 1)
                isSearched = isSearched && masked != nil
                return masked ?? part
            }
            return isSearched ? whole : nil
        }
        guard let text = BodyText(body, headers) else { return BodyText.isMedia(body, headers) ? body : nil }
        return text.data(masked(text.text, type.map(MediaType.init(rawValue:))))
    }

    /// Returns a text with its secrets masked: a form, JSON, or other text that can contain both.
    private mutating func masked(_ text: String, _ type: MediaType?) -> String {
        if type?.essence == MediaType.form.essence { return Redaction.query(text, found: { collect($0) }) }
        let masked = Redaction.readableJSON(text) { collect($0) }
        let isJSON = type?.isJSON == true || text.first { !$0.isWhitespace }.map { "{[".contains($0) } == true
        return isJSON ? masked : self.masked(message: masked)
    }
}
