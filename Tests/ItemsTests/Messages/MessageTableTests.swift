import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestSupport
import Testing

@testable import items

/// The table of all messages, `Tests/ItemMessages.txt`: a command line, the exit code, and what is printed to the standard
/// error. `UPDATE_MESSAGES=1 swift test --filter MessageTableTests` writes the messages. A comment `# Linux only: REASON`
/// excludes the command line on Apple platforms.
@Suite(.hangLimit) struct MessageTableTests {
    private static let file = Repository.file("Tests/ItemMessages.txt")

    @Test func `each command line of the table prints its messages`() async throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        var result = ""
        for entry in Entry.all(in: text) {
            guard entry.isApplicable else {
                result += entry.heading + entry.expected + "\n"
                continue
            }
            let outcome = try await entry.run()
            let line = "[\(outcome.code.rawValue)]\n\(outcome.messages)"
            result += entry.heading + (entry.command.isEmpty ? "" : line) + "\n"
            guard ProcessInfo.processInfo.environment["UPDATE_MESSAGES"] == nil, !entry.command.isEmpty else {
                continue
            }
            #expect(line == entry.expected, "\(entry.command)")
        }
        guard ProcessInfo.processInfo.environment["UPDATE_MESSAGES"] != nil else { return }
        try result.write(to: Self.file, atomically: true, encoding: .utf8)
    }

    @Test func `the table contains all messages of the program`() throws {
        let table = try String(contentsOf: Self.file, encoding: .utf8)
        var missing: [String] = []
        var count = 0
        for (file, literal) in try MessageSource.literals() {
            count += 1
            // The texts between the interpolated values, in order, on one line.
            let parts = literal.split(separator: "\0").map {
                NSRegularExpression.escapedPattern(for: String($0))
            }
            let pattern = try NSRegularExpression(pattern: parts.joined(separator: ".*"))
            let range = NSRange(table.startIndex..., in: table)
            if pattern.firstMatch(in: table, range: range) == nil {
                missing.append("\(file): \(literal.replacing("\0", with: "<*>"))")
            }
        }
        #expect(count > 150)
        let untested = missing.filter { line in !MessageSource.exceptions.contains { line.hasSuffix($0.text) }
        }
        #expect(
            untested.isEmpty, "add a command line for each of these:\n\(untested.joined(separator: "\n"))")
        for exception in MessageSource.exceptions {
            #expect(missing.contains { $0.hasSuffix(exception.text) }, "not needed: \(exception.text)")
            #expect(Repository.tests.contains(exception.test), "\(exception.test)")
        }
    }

    /// An entry of the table.
    private struct Entry: PlatformRow {
        /// The comments and the command line.
        var heading = ""
        var command = ""
        /// The exit code in brackets, and the messages.
        var expected = ""
        var linuxReason: String?

        private static let mark = "# Linux only: "

        static func all(in text: String) -> [Self] {
            text.components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { block in
                var entry = Self()
                for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
                    if entry.command.isEmpty {
                        entry.heading += "\(line)\n"
                        if line.hasPrefix(Self.mark) { entry.linuxReason = String(line) }
                        if line.hasPrefix("$ ") { entry.command = String(line.dropFirst(2)) }
                    } else {
                        entry.expected += "\(line)\n"
                    }
                }
                return entry
            }
        }

        func run() async throws -> Outcome {
            guard !command.isEmpty else { return Outcome(code: .success, output: "", messages: "") }
            let folder = try MessageServer.folder()
            var words = Self.words(command).map { $0.replacing("$DIR", with: folder.path) }
            var input = ""
            if let mark = words.firstIndex(of: "<<<") {
                input = words[mark + 1]
                words.removeSubrange(mark...mark + 1)
            }
            var variables: [String: String] = ["HOME": folder.path]
            while let first = words.first, first != "items" {
                let (name, value) = first.divided(at: "=")
                variables[name] = value ?? ""
                words.removeFirst()
            }
            var outcome = try await Outcome.of(
                Array(words.dropFirst()), server: MessageServer.make(), input: input, variables: variables)
            outcome.messages = outcome.messages.replacing(folder.path, with: "$DIR")
            return outcome
        }

        /// Splits a command line as a shell does: words in single or double quotes; `\xNN` in double quotes is a character.
        private static func words(_ line: String) -> [String] {
            var words: [String] = []
            var word: String?
            var quote: Character?
            var rest = Substring(line)
            while let character = rest.popFirst() {
                switch character {
                case quote: quote = nil
                case "'" where quote == nil, "\"" where quote == nil:
                    quote = character
                    word = word ?? ""
                case "\\" where quote == "\"" && rest.hasPrefix("x"):
                    let code = UInt32(rest.dropFirst().prefix(2), radix: 16).flatMap(Unicode.Scalar.init)
                    rest = rest.dropFirst(3)
                    if let code { word = (word ?? "") + String(Character(code)) }
                case " " where quote == nil:
                    if let word { words.append(word) }
                    word = nil
                default: word = (word ?? "") + String(character)
                }
            }
            return words + (word.map { [$0] } ?? [])
        }
    }
}

/// The texts in the source code of the program.
private enum MessageSource {
    /// Files whose texts are no messages.
    private static let others = [
        "Help", "Manual", "Option+All", "Completion", "ExitCode", "Roff", "Scenario", "Demo", "GeneratedList",
        "SentHeaders", "ListRequest", "Version",
    ]

    /// Messages that need a terminal, a socket or a signal, with the tests that check them.
    static let exceptions: [(text: String, test: String)] = [
        ("serving on <*> until interrupted", "--serve prints its URLs and logs requests"),
        ("port <*> is already in use", "a usage error has a message and a hint"),
        ("omit --port to use any free port", "a usage error has a message and a hint"),
        ("internal error: ", "a crash of the platform names the request and leaves no file"),
        (
            "the platform's HTTP library crashed on the response to ",
            "a crash of the platform names the request and leaves no file"
        ),
        (
            "run curl -v with the same URL to inspect the response\n",
            "a crash of the platform names the request and leaves no file"
        ),
        ("please report it with the URL or file that was listed\n", "a crash is reported with exit code 70"),
        (
            "no terminal to ask for the password of <*>",
            "a password prompt without a terminal is a usage error"
        ),
        ("pass the password with -u USER:PASSWORD", "a password prompt without a terminal is a usage error"),
        ("Password for user <*>: ", "a password is read without echo"),
        ("no password entered", "an empty password input is a usage error"),
        (
            "the response does not show whether the list has more than these <*> items",
            "a full bare array may be a first page, which the command notes on a terminal"
        ),
        (
            "if it has, name the parameter for the next page, for example --pagination page:page",
            "a full bare array may be a first page, which the command notes on a terminal"
        ),
        ("the reader closed the output", "a closed reader ends the program without a message"),
        ("standard output", "a closed output ends with 74 and nothing is written elsewhere"),
        ("a temporary file in <*>", "--atomic prints only complete lists"),
        ("set TMPDIR to another directory", "--atomic prints only complete lists"),
        (
            "check the temporary directory, or set TMPDIR to another one",
            "the kind of an error determines its exit code and hint"
        ),
        ("the URL is longer than <*>", "a URL of a megabyte is rejected"),
        ("timed out reading <*>", "--max-time ends a stalled standard input"),
        // Errors that a test cannot cause: the first port is free for root, and the terminal has no settings.
        ("permission denied for port <*>", "a usage error has a message and a hint"),
        ("use a port from 1024", "a usage error has a message and a hint"),
        ("cannot listen on port <*>: <*>", "a usage error has a message and a hint"),
        ("no terminal to ask for the password", "a password prompt without a terminal is a usage error"),
        (
            "specify the first page, for example --pagination page:PARAMETER,PATH,first=0",
            "the kind of an error determines its exit code and hint"
        ),
        // The heading of a file.
        (
            "# items: position of an incomplete list; run the same command to resume",
            "--resume-file resumes a failed run"
        ),
    ]

    /// Returns the texts of at least two words, with a null character for each interpolated value.
    static func literals() throws -> [(file: String, text: String)] {
        let folder = Repository.file("Sources/items")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var literals: [(file: String, text: String)] = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent
            guard !others.contains(name) else { continue }
            var scanner = LiteralScanner(Array(try String(contentsOf: file, encoding: .utf8)))
            scanner.scan()
            literals += scanner.literals.map { (name, $0) }
        }
        return literals.filter { literal in
            literal.text.split(separator: "\0").contains { part in
                let text = part.trimmingCharacters(in: .whitespaces)
                return text.contains(" ") && text.contains(/[a-z]{2}/)
            }
        }
    }
}

/// Finds string literals in Swift source code.
private struct LiteralScanner {
    private let source: [Character]
    private var index = 0
    private(set) var literals: [String] = []

    init(_ source: [Character]) { self.source = source }

    private func starts(with text: String) -> Bool { source[index...].starts(with: text) }

    mutating func scan() {
        while index < source.count {
            if starts(with: "//") {
                index = source[index...].firstIndex(of: "\n") ?? source.count
            } else if source[index] == "\"" {
                scanLiteral()
            } else {
                index += 1
            }
        }
    }

    private mutating func scanLiteral() {
        let hashes = String(source[..<index].reversed().prefix { $0 == "#" })
        let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        let (end, escape) = (quotes + hashes, "\\" + hashes)
        index += quotes.count
        var text = ""
        while index < source.count, !starts(with: end) {
            if starts(with: escape + "(") {
                index += escape.count + 1
                skipInterpolation()
                text += "\0"
            } else if starts(with: escape), index + escape.count < source.count {
                let letter = source[index + escape.count]
                index += escape.count + 1
                if letter == "\n" {
                    while index < source.count, source[index] == " " { index += 1 }
                } else {
                    text += letter == "n" ? "\n" : String(letter)
                }
            } else {
                text.append(source[index])
                index += 1
            }
        }
        index += end.count
        literals.append(text)
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while depth > 0, index < source.count {
            switch source[index] {
            case "\"":
                scanLiteral()
                continue
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            index += 1
        }
    }
}
