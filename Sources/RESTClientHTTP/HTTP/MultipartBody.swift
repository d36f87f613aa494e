package import Foundation

/// A parsed multipart body and the positions of its parts (RFC 2046, section 5.1; RFC 7578).
package struct MultipartBody {
    /// A part of the body.
    package struct Section {
        /// The header fields of the part.
        package let headers: HTTPHeaders
        /// The position of the header fields.
        package let head: Range<Data.Index>
        /// The position of the part's content.
        package let body: Range<Data.Index>
        /// `true` if a delimiter ends the part. The last part of a truncated body has none.
        package let isComplete: Bool

        /// The name of the form field.
        package var name: String? { disposition("name") }
        /// The name of the file, or `nil` if the part is not a file.
        package var filename: String? { disposition("filename") }

        private func disposition(_ name: String) -> String? {
            headers["Content-Disposition"].flatMap { HTTPHeaders.parameters(of: $0)[name] }
        }
    }

    private static let lineEnd = Data("\r\n".utf8)

    private let data: Data
    package let sections: [Section]

    /// Parses `data`, or returns `nil` if `type` is not a multipart type with a boundary. With `boundaryInBody`, the boundary is
    /// the first line of the body, if the type names none or another one.
    package init?(_ data: Data, type: String, boundaryInBody: Bool = false) {
        guard type.lowercased().hasPrefix("multipart/") else { return nil }
        let delimiter: Data
        if boundaryInBody {
            delimiter = data.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
            // A boundary has up to 70 characters (RFC 2046, section 5.1.1).
            guard delimiter.starts(with: "--".utf8), 3...72 ~= delimiter.count else { return nil }
        } else {
            guard let boundary = HTTPHeaders.parameters(of: type)["boundary"] else { return nil }
            delimiter = Data("--\(boundary)".utf8)
        }
        var sections: [Section] = []
        var rest = data[...]
        while let start = Self.range(of: delimiter, in: data, from: rest.startIndex) {
            rest = rest[start.upperBound...]
            let end = Self.range(of: delimiter, in: data, from: rest.startIndex)?.lowerBound
            if let section = Self.section(rest[..<(end ?? rest.endIndex)], isComplete: end != nil) {
                sections.append(section)
            }
            guard let end else { break }
            rest = rest[end...]
        }
        self.data = data
        self.sections = sections
    }

    /// Returns the first delimiter at the start of a line. Elsewhere, its text is content.
    private static func range(of delimiter: Data, in data: Data, from start: Data.Index) -> Range<Data.Index>?
    {
        var start = start
        while let found = data[start...].range(of: delimiter) {
            let before = data[..<found.lowerBound]
            if before.isEmpty || before.suffix(2).elementsEqual(lineEnd) { return found }
            start = found.upperBound
        }
        return nil
    }

    package func body(of section: Section) -> Data { Data(data[section.body]) }

    /// Returns the body with transformed header fields and contents of its parts.
    package func mapped(
        _ transform: (Section, _ head: Data, _ body: Data) -> (head: Data, body: Data)
    ) -> Data {
        var result = Data()
        var copied = data.startIndex
        for section in sections {
            let (head, body) = transform(section, Data(data[section.head]), body(of: section))
            result += data[copied..<section.head.lowerBound] + head
            result += data[section.head.upperBound..<section.body.lowerBound] + body
            copied = section.body.upperBound
        }
        return result + data[copied...]
    }

    private static func section(_ data: Data, isComplete: Bool) -> Section? {
        guard data.starts(with: lineEnd), let gap = data.range(of: lineEnd + lineEnd) else { return nil }
        var headers = HTTPHeaders()
        for line in String(decoding: data[..<gap.lowerBound], as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.add(HTTPHeaders.Name(String(line[..<colon])), String(value))
        }
        let hasEnd = data[gap.upperBound...].suffix(2).elementsEqual(lineEnd)
        return Section(
            headers: headers, head: data.startIndex..<gap.lowerBound,
            body: gap.upperBound..<(data.endIndex - (hasEnd ? 2 : 0)),
            isComplete: isComplete)
    }
}
