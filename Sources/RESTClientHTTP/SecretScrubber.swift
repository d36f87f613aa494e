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

    package mutating func masked(_ body: Data, _ type: MediaType?) -> Data {
        guard !body.isEmpty else { return body }
        if let parser = type.flatMap({ MultipartBody(body, type: $0.rawValue) }) {
            return parser.mapped { section in
                let part = parser.body(of: section)
                if let name = section.name, Redaction.isSecret(name) {
                    collect(String(decoding: part, as: UTF8.self))
                    return Data(Redaction.mask.utf8)
                }
                return masked(part, section.headers[.contentType].map(MediaType.init(rawValue:)))
            }
        }
        guard let text = String(validating: body, as: UTF8.self) else { return body }
        return Data(masked(text, type).utf8)
    }

    /// Returns a text with its secrets masked: a form, JSON, or other text that can contain both.
    package mutating func masked(_ text: String, _ type: MediaType?) -> String {
        if type?.essence == MediaType.form.essence { return Redaction.query(text, found: { collect($0) }) }
        let masked = Redaction.readableJSON(text) { collect($0) }
        let isJSON = type?.isJSON == true || text.first { !$0.isWhitespace }.map { "{[".contains($0) } == true
        return isJSON ? masked : self.masked(message: masked)
    }
}
