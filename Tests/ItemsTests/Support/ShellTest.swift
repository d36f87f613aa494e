import Foundation
import MockTransport
import Testing

@testable import items

/// A line of shell in a table of tests, and all that comes of it.
///
/// In the line, `items` is the program, `$URL` where the server is, `$DIR` the home directory, and the working directory
/// is empty. What is expected may name them the same way, and `<*>` is any text on one line.
struct ShellTest: Sendable, CustomTestStringConvertible {
    let command: String
    let status: Int32
    let output: String
    let messages: String

    init(
        _ command: String, ends status: ExitCode = .success, prints output: String = "",
        says messages: String = ""
    ) {
        self.command = command
        self.status = status.rawValue
        self.output = output
        self.messages = messages
    }

    var testDescription: String { command }

    /// Runs it against `server`.
    func check(on server: MockServer, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let loopback = try await server.listen()
        let folder = try TemporaryDirectory()
        let url = loopback.url.absoluteString
        let run = try await Program.shell(
            "mkdir \"$DIR/here\" && cd \"$DIR/here\"; items() { \"$items\" \"$@\"; }; \(command)",
            environment: ["URL": url, "DIR": folder.path, "HOME": folder.path])
        await loopback.close()
        let fill = { (text: String) in
            text.replacing("$URL", with: url).replacing("$DIR", with: folder.path)
        }
        #expect(run.status == status, "\(run.messages)", sourceLocation: sourceLocation)
        #expect(Self.matches(run.output, fill(output)), "\(run.output)", sourceLocation: sourceLocation)
        #expect(Self.matches(run.messages, fill(messages)), "\(run.messages)", sourceLocation: sourceLocation)
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "<*>", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return text == pattern }
        var rest = text[...]
        guard rest.hasPrefix(parts[0]), rest.hasSuffix(parts[parts.count - 1]) else { return false }
        for (index, part) in parts.enumerated() {
            guard let range = part.isEmpty ? rest.startIndex..<rest.startIndex : rest.range(of: part) else {
                return false
            }
            if index > 0, rest[..<range.lowerBound].contains("\n") { return false }
            rest = rest[range.upperBound...]
        }
        return rest.isEmpty || parts.last == "" && !rest.dropLast().contains("\n")
    }
}

/// An empty folder, removed in the end with all that is in it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        // Short, so that a path in it fits a line of the tests' expectations.
        let url = FileManager.default.temporaryDirectory.appending(
            path: "items-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
