package import Foundation
import RESTClientHTTP

/// The user names and passwords of a netrc file, read with curl's rules.
package struct Netrc: Sendable {
    /// The hosts in lower case, `nil` for a `default` entry, and their credentials.
    private var credentials: [(host: String?, credential: Credential)] = []

    init(contentsOf file: URL) throws {
        try self.init(String(decoding: Data(contentsOf: file), as: UTF8.self), file: file)
    }

    /// - Throws: `NetrcError` if a quote is not closed.
    init(_ text: String, file: URL? = nil) throws {
        var reader = WordReader(rest: text[...], file: file)
        var entry: Entry?
        while let word = try reader.word() {
            switch word.lowercased() {
            case "machine":
                add(entry)
                entry = try reader.word().map { Entry(host: $0) }
            case "default":
                add(entry)
                entry = Entry(host: nil)
            case "login": entry?.user = try reader.word()
            case "password": entry?.password = try reader.word()
            case "account": _ = try reader.word()
            case "macdef": reader.skipMacro()
            // curl ignores unknown words, too.
            default: break
            }
        }
        add(entry)
    }

    /// Returns the file named by the environment variable `NETRC`, otherwise `~/.netrc`.
    package static func defaultFile(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> URL {
        if let path = environment["NETRC"], !path.isEmpty { return URL(filePath: path) }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) } ?? .homeDirectory
        return home.appending(path: ".netrc")
    }

    /// Returns the credential of the first entry for `host`, otherwise that of `default`.
    func credential(for host: String) -> Credential? {
        let match = credentials.first { $0.host == host.lowercased() } ?? credentials.first { $0.host == nil }
        return match?.credential
    }

    private struct Entry {
        /// The host, or `nil` for the `default` entry.
        var host: String?
        var user: String?
        var password: String?
    }

    private mutating func add(_ entry: Entry?) {
        guard let entry, entry.user != nil || entry.password != nil else { return }
        let credential = Credential.basic(user: entry.user ?? "", password: entry.password ?? "")
        credentials.append((entry.host?.lowercased(), credential))
    }

    /// Reads words separated by white space. A quoted word may contain white space; a line that begins with `#` is a
    /// comment.
    private struct WordReader {
        var rest: Substring
        let file: URL?
        var line = 1
        var isLineStart = true

        mutating func word() throws -> String? {
            while let first = rest.first {
                switch first {
                case _ where first.isWhitespace:
                    isLineStart = first.isNewline || isLineStart
                    advance()
                case "#" where isLineStart: while let next = rest.first, !next.isNewline { advance() }
                case "\"":
                    isLineStart = false
                    return try quoted()
                default:
                    isLineStart = false
                    let word = rest.prefix { !$0.isWhitespace }
                    rest = rest[word.endIndex...]
                    return String(word)
                }
            }
            return nil
        }

        /// Skips a macro definition, which ends with an empty line.
        mutating func skipMacro() {
            while rest.first != nil {
                let line = rest.prefix { !$0.isNewline }
                rest = rest[line.endIndex...]
                advance()
                if let next = rest.first, next.isNewline { return }
            }
        }

        private mutating func quoted() throws -> String {
            let start = line
            var word = ""
            advance()
            while let character = rest.first {
                advance()
                switch character {
                case "\"": return word
                case "\\":
                    guard let escaped = rest.first else { continue }
                    advance()
                    word.append(["n": "\n", "r": "\r", "t": "\t"][escaped] ?? escaped)
                default: word.append(character)
                }
            }
            throw NetrcError(line: start, file: file)
        }

        private mutating func advance() { if rest.popFirst()?.isNewline == true { line += 1 } }
    }
}

/// The error of an unclosed quote in a netrc file. The description contains the number of the line, but not its text.
struct NetrcError: Error, CustomStringConvertible, LocalizedError {
    let line: Int
    let file: URL?

    var description: String {
        (file.map { "\($0.path(percentEncoded: false)), " } ?? "") + "line \(line): a quote is not closed"
    }

    var errorDescription: String? { description }
}
