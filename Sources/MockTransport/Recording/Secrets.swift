import Foundation

/// Masks what its name says to be secret, and remembers the values.
struct Secrets {
    private var values: Set<String> = []

    /// Finds the values where no name says what they are.
    var echoes: Echoes { Echoes(values) }

    mutating func maskNamed(_ texts: inout HAR.Entry.Texts) {
        texts.url = masked(texts.url)
        texts.asked = masked(texts.asked)
        texts.answered = masked(texts.answered)
        texts.failure = Redaction.text(withURLs: texts.failure)
    }

    private mutating func masked(_ message: (headers: HTTPHeaders, body: Data)) -> (HTTPHeaders, Data) {
        var headers = HTTPHeaders()
        for (name, value) in message.headers { headers.add(name, masked(value, of: name)) }
        return (headers, masked(message.body, message.headers[.contentType].map(MediaType.init(rawValue:))))
    }

    private mutating func remember(_ value: String) {
        if value != Redaction.mask { values.insert(value) }
    }

    // MARK: URLs and forms

    mutating func masked(_ url: URL) -> URL {
        if let password = url.password(percentEncoded: false) { remember(password) }
        remember(QueryItems(of: url))
        return URL(masked: Redaction.masked(url))
    }

    private mutating func remember(_ items: QueryItems) {
        for item in items where Redaction.isSecret(item.name) { remember(item.value ?? "") }
    }

    // MARK: Headers

    private mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String {
        switch name {
        case .cookie:
            return value.split(separator: ";", omittingEmptySubsequences: false)
                .map { masked(cookie: $0) }.joined(separator: ";")
        case .setCookie:
            // The first pair is the cookie, the others say where it goes.
            let end = value.firstIndex(of: ";") ?? value.endIndex
            return masked(cookie: value[..<end]) + value[end...]
        case .location:
            if let url = URL(string: value) { remember(QueryItems(of: url)) }
        default:
            if Redaction.isSecret(header: name) { remember(credential: value) }
        }
        return Redaction.value(value, of: name)
    }

    private mutating func masked(cookie pair: Substring) -> String {
        guard let equals = pair.firstIndex(of: "=") else { return Redaction.mask }
        let value = String(pair[pair.index(after: equals)...])
        // Many cookies are no secrets, and their values are words that stand everywhere.
        let name = pair[..<equals].trimmingCharacters(in: .whitespaces)
        if Redaction.isSecret(name) || Redaction.looksSecret(value) { remember(value) }
        return pair[...equals] + Redaction.mask
    }

    /// "Bearer token", "Basic dXNlcjpwYXNz", or a value alone.
    private mutating func remember(credential value: String) {
        let token = value.firstIndex(of: " ").map { String(value[$0...].dropFirst()) } ?? value
        remember(token)
        let pair = Data(base64Encoded: token).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let colon = pair.firstIndex(of: ":") { remember(String(pair[colon...].dropFirst())) }
    }

    // MARK: Bodies

    mutating func masked(_ body: Data, _ type: MediaType?) -> Data {
        guard !body.isEmpty else { return body }
        if let form = type.flatMap({ Multipart(body, type: $0.rawValue) }) {
            return form.mapped { section in
                let part = form.body(of: section)
                if let name = section.name, Redaction.isSecret(name) {
                    remember(String(decoding: part, as: UTF8.self))
                    return Data(Redaction.mask.utf8)
                }
                return masked(part, section.headers[.contentType].map(MediaType.init(rawValue:)))
            }
        }
        guard let text = String(validating: body, as: UTF8.self) else { return body }
        if type?.essence == MediaType.form.rawValue {
            remember(QueryItems(percentEncoded: text))
            return Data(Redaction.query(text).utf8)
        }
        return Data(Redaction.readableJSON(text) { remember($0) }.utf8)
    }
}

extension URL {
    /// What masking has left of a URL; nothing of it where that is no URL, or has no scheme, as those of archives have.
    init(masked rest: URL?) {
        self = rest.flatMap { $0.scheme == nil ? nil : $0 } ?? URL(filePath: "/\(Redaction.mask)")
    }
}
