import Foundation
import MockTransport
import RESTClientTestingSupport
import Testing

@testable import items

/// A shell command with its expected exit code, output and messages.
///
/// In the command, `items` is the program, `$URL` the URL of the server and `$DIR` the home directory. The working
/// directory is empty. The expected texts can contain `$URL` and `$DIR` as well, and `<*>` for any text on one line.
///
/// A command line that needs no shell, no connection and no file runs in the process, which takes less time.
struct ShellTest: Sendable, PlatformRow, CustomTestStringConvertible {
    let command: String
    let status: Int32
    let output: String
    let messages: String
    var linuxReason: String?

    /// - Parameters:
    ///   - messages: The lines on the standard error, before the error.
    ///   - error: The message of the error at the end, with its hint.
    init(
        _ command: String, exit status: ExitCode = .success, output: String = "",
        messages: String = "", error: String? = nil, hint: String? = nil
    ) {
        self.command = command
        self.status = status.rawValue
        self.output = output
        self.messages =
            messages + (error.map { "items: \($0)\n" } ?? "") + (hint.map { "  hint: \($0)\n" } ?? "")
    }

    var testDescription: String { command }

    /// Runs the command against the fixture server.
    ///
    /// The idle timeout is long, so that a slow machine does not end a request. An option of the command overrides it.
    func check(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        guard isApplicable else { return }
        if let (arguments, input) = plainCommand {
            let url = "http://127.0.0.1:8080"
            let outcome = try await Outcome.of(
                arguments.map { $0.replacing("$URL", with: url) }, server: FixtureServer.make(), input: input)
            let run = Program.Run(
                status: outcome.code.rawValue, isSignal: false, output: outcome.output,
                messages: outcome.messages)
            return check(run, sourceLocation) { $0.replacing("$URL", with: url) }
        }
        var limits = LoopbackServer.Limits()
        limits.hosts = ["tea.example"]
        let loopback = try await FixtureServer.make().listen(limits: limits)
        let folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/here", withIntermediateDirectories: false)
        let url = loopback.url.absoluteString
        let run = try await Program.shell(
            """
            cd "$DIR/here"
            items() { "$items" --idle-timeout 600 "$@"; }
            \(command)
            """,
            environment: ["URL": url, "DIR": folder.path, "HOME": folder.path])
        await loopback.close()
        check(run, sourceLocation) { $0.replacing("$URL", with: url).replacing("$DIR", with: folder.path) }
    }

    /// The options whose effect is in a file, on a connection, or in the working directory.
    private static let unusual: Set = [
        "-o", "-c", "-b", "-n", "-v", "-E", "-4", "-6", "-x", "--save-pages", "--resume-file",
        "--proxy",
        "--resolve", "--token-file", "--data-binary", "--data-urlencode", "--cacert", "--cert", "--serve",
        "--cookie", "--pinnedpubkey", "--ipv4", "--verbose", "--record",
    ]

    /// The arguments and the standard input of a command that needs no shell: `items …`, or `echo '…' | items …`.
    private var plainCommand: (arguments: [String], input: String)? {
        var rest = command[...]
        var input = ""
        if rest.hasPrefix("echo '"), let end = rest.firstRange(of: "' | ") {
            input = rest[..<end.lowerBound].dropFirst(6) + "\n"
            guard !input.contains("'") else { return nil }
            rest = rest[end.upperBound...]
        }
        let line = CommandLineWords(rest)
        guard !line.needsShell, line.words.first == "items", Self.unusual.isDisjoint(with: line.words),
            !rest.contains("$DIR"), !rest.contains("://"), !line.words.contains(where: { $0.hasPrefix("@") }),
            !input.isEmpty || line.words.count > 1,
            line.words.last != "-" || !input.isEmpty
        else { return nil }
        return (Array(line.words.dropFirst()), input)
    }

    private func check(
        _ run: Program.Run, _ sourceLocation: SourceLocation, fill: (String) -> String
    ) {
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

/// An empty directory, removed with its contents at the end of the test.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        // Short, so that paths fit the expected messages.
        let url = FileManager.default.temporaryDirectory.appending(
            path: "items-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
