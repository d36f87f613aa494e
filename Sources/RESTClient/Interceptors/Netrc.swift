package import Foundation
import RESTClientHTTP

/// The user names and passwords of a netrc file, read with curl's rules.
package struct Netrc: Sendable {
    /// The hosts in lower case and their credentials. The last one can be that of `default`, whose host is `nil`: curl does not
    /// read the entries after it.
    private var credentials: [(host: String?, credential: Credential, hasPassword: Bool)] = []

    init(contentsOf file: URL) throws { try self.init(Data(contentsOf: file), file: file) }

    init(_ text: String) throws { try self.init(Data(text.utf8)) }

    /// - Throws: `NetrcError` if a quote is not closed, or for a NUL, at which curl ends the line.
    init(_ data: Data, file: URL? = nil) throws {
        var reader = WordReader(rest: Array(data)[...], file: file)
        var entry: Entry?
        while let word = try reader.word() {
            switch String(decoding: word, as: UTF8.self).lowercased() {
            case "machine":
                add(entry)
                entry = try reader.word().map {
                    Entry(host: String(decoding: $0, as: UTF8.self).lowercased())
                }
            case "default":
                add(entry)
                entry = Entry(host: nil)
            case "login":
                let user = try reader.word()
                if entry?.isComplete == false { entry?.user = user }
            case "password":
                let password = try reader.word()
                if entry?.isComplete == false { entry?.password = password }
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

    /// Returns the credential of the first entry for `host` with a password, otherwise that of `default`. Only without either, the
    /// password is empty.
    func credential(for host: String) -> Credential? {
        let found = credentials.filter { $0.host == nil || $0.host == host.lowercased() }
        return (found.first(where: \.hasPassword) ?? found.first)?.credential
    }

    private struct Entry {
        /// The host, or `nil` for the `default` entry.
        var host: String?
        var user: [UInt8]?
        var password: [UInt8]?

        /// `true` if the words that follow do not change the entry.
        var isComplete: Bool { user != nil && password != nil }
    }

    private mutating func add(_ entry: Entry?) {
        guard let entry, entry.user != nil || entry.password != nil,
            !credentials.contains(where: { $0.host == nil })
        else { return }
        let pair = (entry.user ?? []) + [UInt8(ascii: ":")] + (entry.password ?? [])
        credentials.append((entry.host, .basic(pair: Data(pair)), entry.password != nil))
    }

    /// Reads words separated by ASCII white space, as bytes. A quoted word may contain white space; a word that begins with
    /// `#` begins a comment.
    private struct WordReader {
        var rest: ArraySlice<UInt8>
        let file: URL?
        var line = 1

        mutating func word() throws -> [UInt8]? {
            while let first = rest.first {
                switch first {
                case 0: throw NetrcError(problem: "a NUL character", line: line, file: file)
                case _ where first.isSpace: advance()
                case UInt8(ascii: "#"): while let next = rest.first, next != 0x0A { advance() }
                case UInt8(ascii: "\""): return try quoted()
                default:
                    let word = rest.prefix { !$0.isSpace && $0 != 0 }
                    rest = rest[word.endIndex...]
                    return Array(word)
                }
            }
            return nil
        }

        /// Skips a macro definition, which ends with an empty line.
        mutating func skipMacro() {
            var isEmpty = false
            while let next = rest.first {
                advance()
                if next == 0x0A {
                    if isEmpty { return }
                    isEmpty = true
                } else if next != 0x0D {
                    isEmpty = false
                }
            }
        }

        private mutating func quoted() throws -> [UInt8] {
            let start = line
            var word: [UInt8] = []
            advance()
            while let byte = rest.first {
                advance()
                switch byte {
                case 0: throw NetrcError(problem: "a NUL character", line: line, file: file)
                case UInt8(ascii: "\""): return word
                case UInt8(ascii: "\\"):
                    guard let escaped = rest.first else { continue }
                    advance()
                    word.append([0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09][escaped] ?? escaped)
                default: word.append(byte)
                }
            }
            throw NetrcError(problem: "a quote is not closed", line: start, file: file)
        }

        private mutating func advance() { if rest.popFirst() == 0x0A { line += 1 } }
    }
}

extension UInt8 {
    /// `true` for the white space of ASCII.
    fileprivate var isSpace: Bool { self == 0x20 || 0x09...0x0D ~= self }
}

/// The error of an invalid netrc file. The description contains the number of the line, but not its text.
struct NetrcError: Error, CustomStringConvertible, LocalizedError {
    let problem: String
    let line: Int
    let file: URL?

    var description: String {
        (file.map { "\($0.path(percentEncoded: false)), " } ?? "") + "line \(line): \(problem)"
    }

    var errorDescription: String? { description }
}
