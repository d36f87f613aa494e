import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import items

/// The table of messages, `Tests/ItemMessages.txt`: a command line, the exit code, and what is printed to the standard
/// error. `Tests/ErrorMessages.txt` has those that the library words as well. `UPDATE_MESSAGES=1 swift test --filter MessageTableTests` writes the messages. A comment `# Linux only: REASON`
/// excludes the command line on Apple platforms. The suffix `2>&1 | grep -v TEXT` removes lines from the messages, and
/// `<*>` stands for a time with a fraction.
@Suite(.hangLimit) struct MessageTableTests {
    private static let file = Repository.file("Tests/ItemMessages.txt")

    @Test func `each command line of the table prints its messages`() async throws {
        let entries = Entry.all(in: try String(contentsOf: Self.file, encoding: .utf8))
        let updates = ProcessInfo.processInfo.environment["UPDATE_MESSAGES"] != nil
        let lines = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            var lines = entries.map(\.expected)
            var rest = entries.enumerated().filter { $1.isApplicable && !$1.command.isEmpty }[...]
            // Some command lines wait for a retry.
            for _ in 0..<16 {
                if let row = rest.popFirst() { group.addTask { try await (row.offset, row.element.line()) } }
            }
            while let (row, line) = try await group.next() {
                lines[row] = line
                if let row = rest.popFirst() { group.addTask { try await (row.offset, row.element.line()) } }
            }
            return lines
        }
        for (entry, line) in zip(entries, lines) where !updates {
            #expect(line == entry.expected, "\(entry.command)")
        }
        guard updates else { return }
        let result = zip(entries, lines).map { $0.heading + $1 + "\n" }.joined()
        try result.write(to: Self.file, atomically: true, encoding: .utf8)
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

        /// Returns the exit code in brackets, and the messages.
        func line() async throws -> String {
            let outcome = try await run()
            return "[\(outcome.code.rawValue)]\n\(outcome.messages)"
        }

        private func run() async throws -> Outcome {
            let folder = try MessageServer.folder()
            var words = Self.words(command).map { $0.replacing("$DIR", with: folder.path) }
            var input = ""
            if let mark = words.firstIndex(of: "<<<") {
                input = words[mark + 1]
                words.removeSubrange(mark...mark + 1)
            }
            var removed: String?
            if let mark = words.firstIndex(of: "2>&1") {
                removed = words.last
                words.removeSubrange(mark...)
            }
            var variables: [String: String] = ["HOME": folder.path]
            while let first = words.first, first != "items" {
                let (name, value) = first.divided(at: "=")
                variables[name] = value ?? ""
                words.removeFirst()
            }
            var outcome = try await Outcome.of(
                Array(words.dropFirst()), server: MessageServer.make(), input: input, variables: variables)
            let lines = outcome.messages.split(separator: "\n", omittingEmptySubsequences: false)
            outcome.messages = lines.filter { line in removed.map { !line.contains($0) } ?? true }.joined(
                separator: "\n"
            ).replacing(folder.path, with: "$DIR").replacing(/[0-9]+\.[0-9]+ s\b/, with: "<*> s")
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
