import Foundation
import RESTClient

enum Verbosity: Comparable, Sendable { case quiet, normal, verbose }

/// The printer of messages on the standard error, with the verbosity of the options.
struct Messages: Sendable {
    let level: Verbosity
    var hasColor = false
    /// Prints complete lines.
    let write: @Sendable (String) -> Void

    var isVerbose: Bool { level == .verbose }

    /// Prints an error at every verbosity.
    func report(_ error: CommandError) { write(error.text(hasColor: hasColor)) }

    /// Prints information, unless `--quiet` was given.
    func info(_ text: String, hint: String? = nil) {
        if level > .quiet { write("items: \(text)\n" + (hint.map { "  hint: \($0)\n" } ?? "")) }
    }

    /// Prints details, if `--verbose` was given.
    func debug(_ text: @autoclosure () -> String) { if isVerbose { write("items: \(text())\n") } }

    // An error here cannot be reported anywhere.
    static let toStandardError: @Sendable (String) -> Void = { try? Output.write($0, to: STDERR_FILENO) }
}

extension StringProtocol {
    /// The text for a message: without unsafe characters, and cut after `limit` characters.
    func escaped(_ limit: Int = 200) -> String { TerminalEscaping.escaped(self, limit: limit) }

    /// The text for a message as a word of a shell command.
    var shellQuoted: String { TerminalEscaping.shellQuoted(String(self)) }

    func quoted(_ limit: Int = 80) -> String { TerminalEscaping.quoted(self, limit: limit) }
}
