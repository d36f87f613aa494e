import Foundation
import RESTClient

/// The value of `--data` or of one of its variants, which have the meaning of those of curl. Several are joined with `&`.
struct BodyPart: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// Text, or a file after `@` without its line breaks.
        case data
        /// Text.
        case raw
        /// Text, or a file after `@`.
        case binary
        /// Text to encode for a form: `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`.
        case urlEncoded
    }

    let kind: Kind
    let text: String

    /// Returns the text of the parts, read from their files.
    static func text(of parts: [BodyPart], _ environment: Environment) throws -> String {
        try parts.map { try $0.resolved(environment) }.joined(separator: "&")
    }

    /// Returns the media type that a body has by default: JSON if it begins like an object or a list, otherwise a form.
    static func type(of text: String) -> MediaType {
        text.first { !$0.isWhitespace }.map { "{[".contains($0) } == true ? .json : .form
    }

    private func resolved(_ environment: Environment) throws -> String {
        switch kind {
        case .raw: return text
        case .data where text.hasPrefix("@"):
            return try Self.contents(of: text.dropFirst(), environment).filter { !$0.isNewline }
        case .binary where text.hasPrefix("@"): return try Self.contents(of: text.dropFirst(), environment)
        case .data, .binary: return text
        case .urlEncoded:
            guard let mark = text.firstIndex(where: { $0 == "=" || $0 == "@" }) else {
                return Self.encoded(text)
            }
            let rest = text[text.index(after: mark)...]
            let content = text[mark] == "@" ? try Self.contents(of: rest, environment) : String(rest)
            let name = text[..<mark]
            return (name.isEmpty ? "" : "\(name)=") + Self.encoded(content)
        }
    }

    private static func contents(of path: Substring, _ environment: Environment) throws -> String {
        let file =
            path == "-" ? FileInput(standardInput: environment.input) : try FileInput(path: String(path))
        return try file.text(
            limit: 16 << 20, orThrow: .usage("\(file.name) is too large for a body (limit: 16 MB)"))
    }

    /// Percent-encodes all characters except the unreserved ones (RFC 3986, section 2.3), as curl does.
    private static func encoded(_ text: String) -> String {
        let allowed = CharacterSet(charactersIn: "-._~").union(
            CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}
