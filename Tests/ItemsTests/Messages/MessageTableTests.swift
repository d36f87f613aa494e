import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import items

/// The table of messages, `Tests/ItemMessages.txt`: a command line, the exit code, and what is printed to the standard
/// error. `Tests/ErrorMessages.txt` has those that the library words as well.
/// `UPDATE_MESSAGES=1 swift test --filter MessageTableTests` writes the messages. A comment `# Linux only: REASON` excludes the
/// command line on Apple platforms. The suffix `2>&1 | grep -v TEXT` removes lines from the messages, and `<*>` stands for a time with a fraction.
@Suite(.hangLimit) struct MessageTableTests {
    private static let file = Repository.file("Tests/ItemMessages.txt")

    @Test func `each command line of the table prints its messages`() async throws {
        let entries = Entry.all(in: try String(contentsOf: Self.file, encoding: .utf8))
        let texts = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            var texts = entries.map(\.expected)
            var running = 0
            for (index, entry) in entries.enumerated() where entry.isApplicable && !entry.command.isEmpty {
                // Several at a time, because some command lines wait for a retry.
                if running == 16, let (index, text) = try await group.next() {
                    texts[index] = text
                    running -= 1
                }
                group.addTask { (index, try await entry.text()) }
                running += 1
            }
            for try await (index, text) in group { texts[index] = text }
            return texts
        }
        guard ProcessInfo.processInfo.environment["UPDATE_MESSAGES"] == nil else {
            let result = zip(entries, texts).map { $0.heading + $1 + "\n" }.joined()
            return try result.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        for (entry, text) in zip(entries, texts) { #expect(text == entry.expected, "\(entry.command)") }
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
        func text() async throws -> String {
            let outcome = try await run()
            return "[\(outcome.code.rawValue)]\n\(outcome.messages)"
        }

        private func run() async throws -> Outcome {
            let folder = try MessageServer.folder(for: command)
            var words = CommandLineWords(command).words.map { $0.replacing("$DIR", with: folder.path) }
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
    }
}
