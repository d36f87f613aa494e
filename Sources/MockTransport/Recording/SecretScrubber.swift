import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension HAR {
    /// Returns the archive without secrets.
    ///
    /// Values in headers, URLs, queries, forms, JSON and multipart parts are masked by their names. The same values are
    /// then masked everywhere else in the archive.
    func masked() -> HAR {
        var scrubber = SecretScrubber()
        let entries = entries.map { $0.masked(by: &scrubber) }
        var values = SecretValues(scrubber.collected)
        return HAR(entries.map { $0.masked(by: &values) })
    }
}

/// Masks the parts of an exchange that can contain secrets.
private protocol SecretMasker {
    mutating func masked(_ url: URL) -> URL
    mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String
    mutating func masked(_ body: Data, _ type: MediaType?) -> Data
    mutating func masked(message: String) -> String
}

extension SecretMasker {
    fileprivate mutating func mask(_ headers: inout HTTPHeaders, _ body: inout Data) {
        body = masked(body, headers[.contentType].map(MediaType.init(rawValue:)))
        let fields = headers
        headers = [:]
        for (name, value) in fields { headers.add(name, masked(value, of: name)) }
    }
}

extension HAR.Entry {
    fileprivate func masked(by masker: inout some SecretMasker) -> HAR.Entry {
        var copy = self
        copy.request.url = masker.masked(request.url)
        masker.mask(&copy.request.headers, &copy.request.body)
        let body = response.body
        var maskedBody = body
        masker.mask(&copy.response.headers, &maskedBody)
        if maskedBody != body { copy.response.chunks = chunks(of: maskedBody, body.count) }
        if let text = response.failure?.text { copy.response.failure?.text = masker.masked(message: text) }
        return copy
    }

    /// Splits a masked body into chunks in proportion to the original ones.
    private func chunks(of masked: Data, _ count: Int) -> [HAR.Chunk] {
        var originalEnd = 0
        var start = 0
        return response.chunks.compactMap { chunk in
            originalEnd += chunk.data.count
            let end = Int(Double(masked.count) * Double(originalEnd) / Double(count))
            defer { start = end }
            return end > start ? HAR.Chunk(time: chunk.time, data: Data(masked[start..<end])) : nil
        }
    }
}

/// Masks values that have the name of a secret, and collects them.
struct SecretScrubber: SecretMasker {
    /// The values so far, to be masked where they have no name.
    private(set) var collected: Set<String> = []

    func masked(message: String) -> String { Redaction.text(withURLs: message) }

    private mutating func collect(_ value: String) {
        if value != Redaction.mask { collected.insert(value) }
    }

    // MARK: URLs and forms

    mutating func masked(_ url: URL) -> URL {
        if let password = url.password(percentEncoded: false) { collect(password) }
        collect(QueryItems(of: url))
        return URL(masked: Redaction.masked(url))
    }

    private mutating func collect(_ items: QueryItems) {
        for item in items where Redaction.isSecret(item.name) { collect(item.value ?? "") }
    }

    // MARK: Headers

    mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String {
        switch name {
        case .cookie:
            return value.split(separator: ";", omittingEmptySubsequences: false)
                .map { masked(cookie: $0) }.joined(separator: ";")
        case .setCookie:
            // The first pair is the cookie, the others are its attributes.
            let end = value.firstIndex(of: ";") ?? value.endIndex
            return masked(cookie: value[..<end]) + value[end...]
        case .location:
            if let url = URL(string: value) { collect(QueryItems(of: url)) }
        default:
            if Redaction.isSecret(header: name) { collect(credential: value) }
        }
        return Redaction.value(value, of: name)
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

    mutating func masked(_ body: Data, _ type: MediaType?) -> Data {
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
        if type?.essence == MediaType.form.rawValue {
            collect(QueryItems(percentEncoded: text))
            return Data(Redaction.query(text).utf8)
        }
        return Data(Redaction.readableJSON(text) { collect($0) }.utf8)
    }
}

/// Secret values, for masking them in any text.
private struct SecretValues: SecretMasker {
    /// The values in all their encodings, the longest first, because one can contain another.
    private let encodings: [Data]

    /// Ignores short values and plain words, which occur in many places with a different meaning.
    init(_ values: Set<String>) {
        let distinctive = values.filter { value in
            value.utf8.count >= 10 || value.utf8.count >= 6 && !value.allSatisfy(\.isLetter)
        }
        encodings = Set(distinctive.flatMap { Self.encodings(of: $0) }).map { Data($0.utf8) }
            .sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count }
    }

    private static func encodings(of value: String) -> [String] {
        let quoted = String(JSONLiteral.quoted(value).dropFirst().dropLast())
        return [
            value, QueryItems.encoded(value), quoted, quoted.replacing("/", with: "\\/"),
            value.replacing(" ", with: "+"),
        ]
    }

    func masked(_ url: URL) -> URL { URL(masked: URL(string: masked(message: url.absoluteString))) }

    func masked(_ value: String, of name: HTTPHeaders.Name) -> String { masked(message: value) }

    func masked(message: String) -> String {
        String(decoding: masked(Data(message.utf8), nil), as: UTF8.self)
    }

    func masked(_ body: Data, _ type: MediaType?) -> Data {
        encodings.reduce(body) { $0.replacing($1, with: Redaction.mask.utf8) }
    }
}

extension Data {
    fileprivate func replacing(_ other: Data, with replacement: String.UTF8View) -> Data {
        var result: Data?
        var copied = startIndex
        while let index = firstIndex(of: other, from: copied) {
            result = (result ?? Data()) + self[copied..<index] + replacement
            copied = index + other.count
        }
        return result.map { $0 + self[copied...] } ?? self
    }

    /// Uses `memchr` and `memcmp`, which are much faster than `range(of:)`.
    private func firstIndex(of other: Data, from start: Index) -> Index? {
        withUnsafeBytes { bytes in
            other.withUnsafeBytes { other in
                guard let base = bytes.baseAddress, let first = other.first, let pattern = other.baseAddress
                else { return nil }
                var offset = start - startIndex
                while bytes.count - offset >= other.count,
                    let found = memchr(base + offset, Int32(first), bytes.count - offset - other.count + 1)
                {
                    offset = UnsafeRawPointer(found) - base
                    if memcmp(base + offset, pattern, other.count) == 0 { return startIndex + offset }
                    offset += 1
                }
                return nil
            }
        }
    }
}

extension URL {
    /// Creates a URL from the result of masking, or a placeholder if it is not a URL with a scheme, as archives require.
    fileprivate init(masked url: URL?) {
        self = url.flatMap { $0.scheme == nil ? nil : $0 } ?? URL(filePath: "/\(Redaction.mask)")
    }
}
