package import Foundation

/// Finds secrets by a rule, masks them, and collects them, to be masked where they have no name.
package struct SecretScrubber: Sendable {
    let rule: SecretRule
    /// The values so far.
    package internal(set) var collected: Set<String> = []
    /// The names so far, of which a list repeats the same in each item.
    private var roles: [String: SecretRule.Role] = [:]
    /// The number of texts around the current one, such as URLs in query items and JSON in strings.
    private(set) var depth = 0
    /// Texts further inside are masked as a whole if they may contain others.
    static let maxDepth = 3

    package init(_ rule: SecretRule = .standard) { self.rule = rule }

    mutating func role(of name: String) -> SecretRule.Role {
        if let role = roles[name] { return role }
        let role = rule.role(of: name)
        roles[name] = role
        return role
    }

    /// Collects a secret and those in it, such as a token after its scheme, and returns the text that replaces it.
    mutating func mask(_ value: some StringProtocol) -> String {
        guard value != Redaction.mask else { return Redaction.mask }
        let isNew = collected.insert(String(value)).inserted
        if isNew, depth < Self.maxDepth { _ = masked(nested: String(value)) }
        return Redaction.mask
    }

    /// Collects a token after its scheme, and the password if it is a pair in base64. Returns the text that replaces it.
    mutating func mask(credential token: Substring) -> String {
        let pair = SecretShapes.data(base64: token).map { String(decoding: $0, as: UTF8.self)[...] } ?? ""
        if let colon = pair.utf8.firstIndex(of: Byte.colon) { _ = mask(pair[colon...].dropFirst()) }
        return mask(token)
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
        let words = SecretRule.words(of: name.rawValue)
        switch words.last {
        case _ where rule.headers.contains(name): return mask(value)
        case "cookie" where words.contains("set"):
            // The first pair is the cookie, the others are its attributes.
            let end = value.firstIndex(of: ";") ?? value.endIndex
            return masked(cookie: value[..<end]) + value[end...]
        case "cookie":
            return value.split(separator: ";", omittingEmptySubsequences: false)
                .map { masked(cookie: $0) }.joined(separator: ";")
        case _ where rule.isSecret(header: name):
            // "Bearer token", "Basic dXNlcjpwYXNz" or a plain value.
            return mask(credential: value.firstIndex(of: " ").map { value[$0...].dropFirst() } ?? value[...])
        default: return masked(message: value)
        }
    }

    mutating func masked(cookie pair: Substring) -> String {
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
        let parser = type.flatMap { type in
            MultipartBody(body, type: type).flatMap { $0.sections.isEmpty ? nil : $0 }
                ?? MultipartBody(body, type: type, boundaryInBody: true)
        }
        if let parser, !parser.sections.isEmpty {
            guard depth < Self.maxDepth else { return nil }
            depth += 1
            defer { depth -= 1 }
            var (isSearched, isNamed) = (true, false)
            let whole = parser.mapped { section, head, part in
                let head = Data(BodyText.bytes(of: masked(lines: BodyText.text(Array(head)[...]))))
                let text = BodyText.text(Array(part)[...])
                let name = section.name ?? ""
                defer { isNamed = rule.isPairName(name) && rule.isSecret(text) }
                if rule.isSecret(name) || isNamed && rule.isPairValue(name) {
                    return (head, Data(mask(text).utf8))
                }
                let masked = self.masked(part, section.headers)
                isSearched = isSearched && masked != nil
                return (head, masked ?? part)
            }
            return isSearched ? whole : nil
        }
        guard let text = BodyText(body, headers) else { return BodyText.isMedia(body, headers) ? body : nil }
        let safe = masked(text.text, type.map(MediaType.init(rawValue:)))
        return safe == text.text ? body : text.data(safe)
    }

    /// Masks the header fields of a part.
    private mutating func masked(lines head: String) -> String {
        head.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
            guard let colon = line.firstIndex(of: ":") else { return String(line) }
            let space = line[line.index(after: colon)...].prefix { $0 == " " || $0 == "\t" }
            let name = HTTPHeaders.Name(String(line[..<colon]))
            return line[..<space.endIndex] + masked(String(line[space.endIndex...]), of: name)
        }.joined(separator: "\r\n")
    }

    private mutating func masked(_ text: String, _ type: MediaType?) -> String {
        // URLSession names the type of a form for any body without one.
        if type?.essence == MediaType.form.essence, text.utf8.contains(UInt8(ascii: "=")),
            text.first(where: { !$0.isWhitespace }).map({ !"{[<\"".contains($0) }) == true
        {
            return masked(items: text[...])
        }
        return type?.isJSON == true ? masked(json: text) : masked(message: text)
    }
}
