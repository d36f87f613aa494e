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
        let entries = entries.map { $0.masked { scrubber.mask(&$0) } }
        let values = scrubber.values
        return HAR(entries.map { $0.masked { values.mask(&$0) } })
    }
}

extension HAR.Entry {
    /// The parts of an exchange that can contain secrets.
    struct MaskedParts {
        var url: URL
        var request: (headers: HTTPHeaders, body: Data)
        var response: (headers: HTTPHeaders, body: Data)
        var failure: String
    }

    fileprivate func masked(_ mask: (inout MaskedParts) -> Void) -> HAR.Entry {
        let body = response.body
        var parts = MaskedParts(
            url: request.url, request: (request.headers, request.body), response: (response.headers, body),
            failure: response.failure?.text ?? "")
        mask(&parts)
        var copy = self
        copy.request.url = parts.url
        copy.request.headers = parts.request.headers
        copy.request.body = parts.request.body
        copy.response.headers = parts.response.headers
        copy.response.failure?.text = parts.failure
        if parts.response.body != body { copy.response.chunks = chunks(of: parts.response.body, body.count) }
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
struct SecretScrubber {
    private var collected: Set<String> = []

    /// The collected values, to be masked where they have no name.
    var values: SecretValues { SecretValues(collected) }

    mutating func mask(_ parts: inout HAR.Entry.MaskedParts) {
        parts.url = masked(parts.url)
        parts.request = masked(parts.request)
        parts.response = masked(parts.response)
        parts.failure = Redaction.text(withURLs: parts.failure)
    }

    private mutating func masked(_ message: (headers: HTTPHeaders, body: Data)) -> (HTTPHeaders, Data) {
        var headers = HTTPHeaders()
        for (name, value) in message.headers { headers.add(name, masked(value, of: name)) }
        return (headers, masked(message.body, message.headers[.contentType].map(MediaType.init(rawValue:))))
    }

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

    private mutating func masked(_ value: String, of name: HTTPHeaders.Name) -> String {
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
        if let parser = type.flatMap({ MultipartParser(body, type: $0.rawValue) }) {
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
struct SecretValues {
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

    func mask(_ parts: inout HAR.Entry.MaskedParts) {
        guard !encodings.isEmpty else { return }
        parts.url = URL(masked: URL(string: masked(parts.url.absoluteString)))
        parts.request = masked(parts.request)
        parts.response = masked(parts.response)
        parts.failure = masked(parts.failure)
    }

    private func masked(_ message: (headers: HTTPHeaders, body: Data)) -> (HTTPHeaders, Data) {
        var headers = HTTPHeaders()
        for (name, value) in message.headers { headers.add(name, masked(value)) }
        return (headers, masked(message.body))
    }

    private func masked(_ text: String) -> String { String(decoding: masked(Data(text.utf8)), as: UTF8.self) }

    private func masked(_ data: Data) -> Data {
        encodings.reduce(data) { $0.replacing($1, with: Redaction.mask.utf8) }
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
