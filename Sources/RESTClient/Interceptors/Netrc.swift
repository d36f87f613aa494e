package import Foundation
import RESTClientHTTP

/// The users and passwords of a netrc file, as curl reads it.
package struct Netrc: Sendable {
    private var machines: [(host: String, credential: Credential)] = []
    private var standard: Credential?

    init(contentsOf file: URL) throws {
        do {
            try self.init(String(decoding: Data(contentsOf: file), as: UTF8.self))
        } catch let failure as NetrcFailure {
            throw NetrcFailure(description: "\(file.path(percentEncoded: false)), \(failure.description)")
        }
    }

    /// - Throws: `NetrcFailure` when a quote is not closed.
    init(_ text: String) throws {
        var reader = Reader(text)
        var entry: Entry?
        while let word = try reader.word() {
            switch word {
            case "machine":
                take(entry)
                entry = try reader.word().map { Entry(host: $0) }
            case "default":
                take(entry)
                entry = Entry(host: nil)
            case "login": entry?.user = try reader.word()
            case "password": entry?.password = try reader.word()
            case "account": _ = try reader.word()
            case "macdef": reader.skipMacro()
            // As curl does, whatever it means.
            default: break
            }
        }
        take(entry)
    }

    /// The file of the user: what `NETRC` names, else `~/.netrc`.
    package static func defaultFile(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> URL {
        if let path = environment["NETRC"], !path.isEmpty { return URL(filePath: path) }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) } ?? .homeDirectory
        return home.appending(path: ".netrc")
    }

    /// The credential of the first entry for `host`, else that of `default`.
    func credential(for host: String) -> Credential? {
        machines.first { $0.host == host.lowercased() }?.credential ?? standard
    }

    private struct Entry {
        /// `nil` is the default.
        var host: String?
        var user: String?
        var password: String?
    }

    private mutating func take(_ entry: Entry?) {
        guard let entry, entry.user != nil || entry.password != nil else { return }
        let credential = Credential.basic(user: entry.user ?? "", password: entry.password ?? "")
        if let host = entry.host {
            machines.append((host.lowercased(), credential))
        } else if standard == nil {
            standard = credential
        }
    }

    /// Words between white space; a quoted one may hold some. A line that begins with `#` is a comment.
    private struct Reader {
        private var rest: Substring
        private var line = 1
        private var isLineStart = true

        init(_ text: String) { rest = text[...] }

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

        /// Skips a macro, which ends with an empty line.
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
            throw NetrcFailure(description: "line \(start): a quote is not closed")
        }

        private mutating func advance() {
            if rest.popFirst()?.isNewline == true { line += 1 }
        }
    }
}

/// What is wrong with a netrc file; names the line, never what stands there.
struct NetrcFailure: Error, CustomStringConvertible, LocalizedError {
    let description: String
    var errorDescription: String? { description }
}
