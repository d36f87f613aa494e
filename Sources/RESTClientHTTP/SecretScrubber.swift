package import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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

/// Secret values, for masking them in any text.
package struct SecretValues: Sendable {
    /// The values in all their encodings, the longest first, because one can contain another.
    private let encodings: [Data]

    /// Ignores short values, which occur in many places with a different meaning; also plain words, unless
    /// `includingWords` is `true`.
    package init(_ values: Set<String>, includingWords: Bool = false) {
        let distinctive = values.filter { value in
            value.utf8.count >= 10
                || value.utf8.count >= 6 && (includingWords || !value.allSatisfy(\.isLetter))
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

    package func masked(_ value: String, of name: HTTPHeaders.Name) -> String { masked(message: value) }

    package func masked(message: String) -> String {
        encodings.isEmpty ? message : String(decoding: masked(Data(message.utf8), nil), as: UTF8.self)
    }

    package func masked(_ body: Data, _ type: MediaType?) -> Data {
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
