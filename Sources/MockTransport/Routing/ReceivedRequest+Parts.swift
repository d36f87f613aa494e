public import Foundation

extension ReceivedRequest {
    /// One part of a multipart body (RFC 7578).
    public struct Part: Sendable {
        /// The name of the form field.
        public let name: String
        /// The name of the file, where the part is one.
        public let filename: String?
        /// The part's own header fields.
        public let headers: HTTPHeaders
        /// The part's bytes.
        public let body: Data

        /// The bytes as text; those that are not UTF-8 are replaced.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The parts of a multipart body, in order; none where the body is something else.
    public var parts: [Part] {
        guard let type = headers[.contentType], type.lowercased().hasPrefix("multipart/"),
            let boundary = Self.parameter("boundary", of: type)
        else { return [] }
        let delimiter = Data("--\(boundary)".utf8)
        var parts: [Part] = []
        var rest = body[...]
        while let start = rest.range(of: delimiter) {
            rest = rest[start.upperBound...]
            guard let end = rest.range(of: delimiter) else { break }
            if let part = Self.part(rest[..<end.lowerBound]) { parts.append(part) }
            rest = rest[end.lowerBound...]
        }
        return parts
    }

    private static func part(_ data: Data) -> Part? {
        let lineEnd = Data("\r\n".utf8)
        guard data.starts(with: lineEnd), let gap = data.range(of: lineEnd + lineEnd) else { return nil }
        var headers = HTTPHeaders()
        for line in String(decoding: data[..<gap.lowerBound], as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.add(HTTPHeaders.Name(String(line[..<colon])), String(value))
        }
        guard let disposition = headers["Content-Disposition"],
            let name = parameter("name", of: disposition)
        else { return nil }
        var body = data[gap.upperBound...]
        if body.suffix(2).elementsEqual(lineEnd) { body = body.dropLast(2) }
        return Part(
            name: name, filename: parameter("filename", of: disposition), headers: headers, body: Data(body))
    }

    /// A parameter of a header's value, with or without quotes.
    private static func parameter(_ name: String, of value: String) -> String? {
        var rest = value[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " }
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let isWanted = rest[..<equals].lowercased() == name
            rest = rest[rest.index(after: equals)...]
            var text = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let character = rest.first, character != "\"" {
                    rest = rest.dropFirst()
                    if character == "\\", let escaped = rest.first {
                        text.append(escaped)
                        rest = rest.dropFirst()
                    } else {
                        text.append(character)
                    }
                }
            } else {
                text = String(rest.prefix { $0 != ";" && $0 != " " })
            }
            if isWanted { return text }
        }
        return nil
    }

    /// The cookies of all `Cookie` fields, in order (RFC 6265, section 4.2).
    var cookies: [(name: String, value: String)] {
        headers[all: .cookie].flatMap { $0.split(separator: ";") }.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            return (name, parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
    }
}
