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
        guard let form = headers[.contentType].flatMap({ Multipart(body, type: $0) }) else { return [] }
        return form.sections.compactMap { section in
            guard section.isWhole, let name = section.name else { return nil }
            return Part(
                name: name, filename: section.filename, headers: section.headers, body: form.body(of: section)
            )
        }
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
