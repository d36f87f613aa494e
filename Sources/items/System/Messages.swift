import Foundation
import RESTClient

/// The amount of messages on the standard error.
enum Verbosity: Comparable, Sendable { case quiet, normal, verbose }

/// The printer of messages on the standard error, with the verbosity of the options.
struct Messages: Sendable {
    private let level: Verbosity
    private let hasColor: Bool
    private let write: @Sendable (String) -> Void

    /// Creates a printer of messages, which passes complete lines to `write`.
    init(
        level: Verbosity, hasColor: Bool = false,
        _ write: @escaping @Sendable (String) -> Void = Self.toStandardError
    ) {
        self.level = level
        self.hasColor = hasColor
        self.write = write
    }

    /// `true` if `--verbose` was given.
    var isVerbose: Bool { level == .verbose }

    /// Prints an error at every verbosity.
    func report(_ error: CommandError) { write(error.text(hasColor: hasColor)) }

    /// Prints information, unless `--quiet` was given.
    func info(_ text: String) {
        if level > .quiet { write("items: \(text)\n") }
    }

    /// Prints details, if `--verbose` was given.
    func debug(_ text: @autoclosure () -> String) {
        if isVerbose { write("items: \(text())\n") }
    }

    static let toStandardError: @Sendable (String) -> Void = { text in
        var output = Output(descriptor: STDERR_FILENO, capacity: text.utf8.count)
        // An error here cannot be reported anywhere.
        try? output.append(text)
        try? output.flush()
    }
}
