import Foundation

extension HAR {
    /// The same without secrets: in headers, URLs, queries, forms, JSON and multipart parts, by their names; and
    /// wherever else a value stands that had such a name somewhere in the archive.
    func masked() -> HAR {
        let secrets = Secrets(of: entries)
        return HAR(entries.map { $0.masked(secrets) })
    }
}

extension HAR.Entry {
    fileprivate func masked(_ secrets: Secrets) -> HAR.Entry {
        var copy = self
        let type = request.headers[.contentType].map(MediaType.init(rawValue:))
        copy.request.url = secrets.masking(request.url)
        copy.request.headers = secrets.masking(request.headers)
        copy.request.body = secrets.masking(request.body, type)
        copy.response.headers = secrets.masking(response.headers)
        copy.response.failure?.text = secrets.masking(Redaction.text(withURLs: response.failure?.text ?? ""))
        let whole = response.body
        let masked = secrets.masking(whole, response.headers[.contentType].map(MediaType.init(rawValue:)))
        guard masked != whole else { return copy }
        // The pieces are cut where they were, as far as that can be said of another text.
        var old = 0
        var cut = 0
        copy.response.chunks = response.chunks.compactMap { chunk in
            old += chunk.data.count
            let end = masked.count * old / whole.count
            defer { cut = end }
            return end > cut ? HAR.Chunk(time: chunk.time, data: Data(masked[cut..<end])) : nil
        }
        return copy
    }
}

/// Values that some name said to be secret, for finding them where no name does.
private struct Secrets {
    /// The longest first, so that none is cut by one that it contains.
    private let values: [String]
    /// Shorter ones stand in too many places where they mean something else.
    private static let least = 6

    init(of entries: [HAR.Entry]) {
        var found: Set<String> = []
        for entry in entries {
            for field in Array(entry.request.headers) + Array(entry.response.headers)
            where Redaction.isSecret(header: field.name) {
                found.formUnion(Self.secrets(in: field.value, of: field.name))
            }
            let url = entry.request.url
            found.formUnion(Self.secrets(in: QueryItems(of: url)))
            if let password = url.password(percentEncoded: false) { found.insert(password) }
            for (headers, body) in [
                (entry.request.headers, entry.request.body), (entry.response.headers, entry.response.body),
            ] {
                if headers[.contentType]?.hasPrefix(MediaType.form.rawValue) == true {
                    let items = QueryItems(percentEncoded: String(decoding: body, as: UTF8.self))
                    found.formUnion(Self.secrets(in: items))
                } else if let literal = try? JSONLiteral(parsing: body) {
                    Self.collect(literal, into: &found)
                }
            }
        }
        found.remove(Redaction.mask)
        values = found.filter { $0.utf8.count >= Self.least }
            .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    private static func secrets(in value: String, of name: HTTPHeaders.Name) -> [String] {
        if name == .cookie || name == .setCookie {
            // The first pair of a Set-Cookie is the cookie, the others say where it goes.
            let pairs = value.split(separator: ";")
            return pairs.prefix(name == .cookie ? pairs.count : 1).compactMap { pair in
                pair.firstIndex(of: "=").map { String(pair[pair.index(after: $0)...]) }
            }
        }
        // "Bearer token", "Basic dXNlcjpwYXNz"
        guard let space = value.firstIndex(of: " ") else { return [value] }
        let token = String(value[space...].dropFirst())
        let pair = Data(base64Encoded: token).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let password = pair.firstIndex(of: ":").map { String(pair[$0...].dropFirst()) }
        return [token] + (password.map { [$0] } ?? [])
    }

    private static func secrets(in items: QueryItems) -> [String] {
        items.filter { Redaction.isSecret($0.name) }.compactMap(\.value)
    }

    private static func collect(_ literal: JSONLiteral, into found: inout Set<String>) {
        switch literal.node {
        case .array(let elements): for element in elements { collect(element, into: &found) }
        case .object(let members):
            for member in members {
                if case .string(let text) = member.value.node, Redaction.isSecret(member.key) {
                    found.insert(text)
                } else {
                    collect(member.value, into: &found)
                }
            }
        case .null, .bool, .integer, .number, .string, .invalid: return
        }
    }

    func masking(_ text: String) -> String {
        var text = text
        for value in values {
            for written in Set([value, QueryItems.encoded(value)]) where text.contains(written) {
                text = text.replacing(written, with: Redaction.mask)
            }
        }
        return text
    }

    func masking(_ url: URL) -> URL {
        let masked = Redaction.masked(url) ?? url
        return URL(string: masking(masked.absoluteString)) ?? masked
    }

    func masking(_ headers: HTTPHeaders) -> HTTPHeaders {
        var masked = HTTPHeaders()
        for (name, value) in headers { masked.add(name, masking(Redaction.value(value, of: name))) }
        return masked
    }

    func masking(_ body: Data, _ type: MediaType?) -> Data {
        guard !body.isEmpty else { return body }
        if type?.essence.hasPrefix("multipart/") == true || String(validating: body, as: UTF8.self) == nil {
            // As Latin-1, where every byte is a character, and stays one.
            let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
            let masked = masking(type.map { Multiparts.masking(text, $0) } ?? text)
            return masked == text
                ? body : Data(masked.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
        let text = String(decoding: body, as: UTF8.self)
        let named = type?.essence == MediaType.form.rawValue ? Redaction.query(text) : Redaction.json(text)
        return Data(masking(named).utf8)
    }
}

/// The parts of a multipart form whose names say that they are secret (RFC 7578).
private enum Multiparts {
    static func masking(_ text: String, _ type: MediaType) -> String {
        guard let boundary = boundary(of: type), text.contains("--\(boundary)") else { return text }
        return text.components(separatedBy: "--\(boundary)").map { part in
            guard let end = part.range(of: "\r\n\r\n"), let name = name(in: part[..<end.lowerBound]),
                Redaction.isSecret(name)
            else { return part }
            return "\(part[..<end.upperBound])\(Redaction.mask)\r\n"
        }.joined(separator: "--\(boundary)")
    }

    private static func boundary(of type: MediaType) -> String? {
        guard let place = type.rawValue.range(of: "boundary=", options: .caseInsensitive) else { return nil }
        let rest = type.rawValue[place.upperBound...]
        let value = rest.hasPrefix("\"") ? rest.dropFirst().prefix { $0 != "\"" } : rest.prefix { $0 != ";" }
        return value.isEmpty ? nil : String(value)
    }

    private static func name(in head: Substring) -> String? {
        guard let place = head.range(of: " name=\"", options: .caseInsensitive) else { return nil }
        return String(head[place.upperBound...].prefix { $0 != "\"" })
    }
}
