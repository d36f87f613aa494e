import Foundation

/// A web link in a `Link` header field (RFC 8288).
package struct Link: Hashable, Sendable {
    /// The target URL as written, absolute or relative to the URL of the response.
    package let target: String
    /// The relation types in lower case, such as `next` or `last`, in order.
    package let relations: [String]
    /// The other parameters, with names in lower case. The first of several parameters with the same name is kept, and
    /// names that end with `*` are omitted.
    package let parameters: [String: String]

    /// `true` if the context of the link is the response itself, not another document named by `anchor`.
    package var isAboutThisDocument: Bool { parameters["anchor"] == nil }

    /// Returns the links of all `Link` fields, in order.
    ///
    /// A malformed link is skipped up to the next comma outside of quotes.
    package static func links(in headers: HTTPHeaders) -> [Link] { headers[all: .link].flatMap(links(in:)) }

    /// Returns the links of one field value.
    package static func links(in value: String) -> [Link] {
        var parser = LinkParser(value)
        return parser.links()
    }

    /// Returns the first link with the relation type `relation`.
    package static func first(_ relation: String, in headers: HTTPHeaders) -> Link? {
        links(in: headers).first { $0.isAboutThisDocument && $0.relations.contains(relation) }
    }

    /// Returns the field value that names a next page in a malformed link, as in `</p2; rel=next`, or `nil`.
    package static func malformedNext(in headers: HTTPHeaders) -> String? {
        headers[all: .link].first { value in
            // A target can be without its brackets.
            guard value.contains("<") || !["/", "?", "h"].contains(value.prefix(1)) else { return false }
            let namesNext = value.lowercased().split { ";,".contains($0) }.contains { part in
                let (name, relations) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
                return name.trimmingCharacters(in: .whitespaces) == "rel"
                    && relations.split { " \t\"'".contains($0) }.contains("next")
            }
            return namesNext && !links(in: value).contains { $0.relations.contains("next") }
        }
    }
}

extension HTTPHeaders {
    /// Returns the parameters of a field value, with names in lower case: `filename` of `attachment; filename="a.txt"`.
    package static func parameters(of value: String) -> [String: String] {
        var parser = LinkParser(String(value.drop { $0 != ";" }))
        return parser.parameters()
    }
}

/// A parser for a list of link values (RFC 8288, appendix B.2) that skips empty elements (RFC 9110, section 5.6.1.2), and
/// for the parameters of other header fields.
private struct LinkParser {
    private let text: [UInt8]
    private var index = 0

    init(_ text: String) { self.text = Array(text.utf8) }

    mutating func links() -> [Link] {
        var links: [Link] = []
        while true {
            skip(" \t,")
            guard index < text.count else { return links }
            if let link = link() { links.append(link) } else { skipToComma() }
        }
    }

    /// Reads a link. Returns `nil` if it is malformed.
    private mutating func link() -> Link? {
        guard text[index] == UInt8(ascii: "<"), let end = text[index...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let target = string(index + 1..<end)
        index = end + 1
        var parameters = parameters()
        // Some servers quote the relation with apostrophes.
        let relations = (parameters.removeValue(forKey: "rel") ?? "").lowercased()
            .split(whereSeparator: { " \t'".contains($0) }).map(String.init)
        return Link(target: target, relations: relations, parameters: parameters)
    }

    /// Returns the parameters at the position, up to a comma. The first of several parameters with the same name is kept.
    /// Some servers omit the semicolon before a parameter.
    mutating func parameters() -> [String: String] {
        var parameters: [String: String] = [:]
        skip(" \t")
        while index < text.count, text[index] != UInt8(ascii: ",") {
            if text[index] == UInt8(ascii: ";") { index += 1 }
            let (name, value) = parameter()
            if !name.isEmpty, !name.hasSuffix("*"), parameters[name] == nil {
                parameters[name] = value
            }
            skip(" \t")
        }
        return parameters
    }

    private mutating func parameter() -> (name: String, value: String) {
        skip(" \t")
        let start = index
        while index < text.count, !"=;, \t".utf8.contains(text[index]) { index += 1 }
        let name = string(start..<index).lowercased()
        skip(" \t")
        guard index < text.count, text[index] == UInt8(ascii: "=") else { return (name, "") }
        index += 1
        skip(" \t")
        guard index < text.count, text[index] == UInt8(ascii: "\"") else {
            let start = index
            while index < text.count, !";,".utf8.contains(text[index]) { index += 1 }
            return (name, string(start..<index))
        }
        return (name, quoted())
    }

    /// Reads a quoted string (RFC 9110, section 5.6.4), which the end of the text closes, too (RFC 8288, appendix B.4).
    private mutating func quoted() -> String {
        index += 1
        var value: [UInt8] = []
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), index < text.count {
                value.append(text[index])
                index += 1
            } else {
                value.append(byte)
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func skip(_ characters: StaticString) {
        while index < text.count, characters.withUTF8Buffer({ $0.contains(text[index]) }) { index += 1 }
    }

    private mutating func skipToComma() {
        var isQuoted = false
        var isTarget = false
        while index < text.count, isQuoted || isTarget || text[index] != UInt8(ascii: ",") {
            switch text[index] {
            case UInt8(ascii: "\\") where isQuoted: index += 1
            case UInt8(ascii: "\"") where !isTarget: isQuoted.toggle()
            case UInt8(ascii: "<") where !isQuoted: isTarget = true
            case UInt8(ascii: ">"): isTarget = false
            default: break
            }
            index += 1
        }
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: text[range], as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}
