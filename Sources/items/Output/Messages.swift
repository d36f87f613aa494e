#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

import RESTClientHTTP

/// Where everything goes that is not an item: the standard error.
struct Messages: Sendable {
    private let level: Options.Verbosity
    private let write: @Sendable (String) -> Void

    /// Messages that `write` gets, whole lines each.
    init(level: Options.Verbosity, _ write: @escaping @Sendable (String) -> Void = Self.toStandardError) {
        self.level = level
        self.write = write
    }

    /// Whether details are wanted.
    var isVerbose: Bool { level == .verbose }

    /// Something gone wrong; said whatever the level.
    func report(_ error: CommandError) { write(error.text) }

    /// Something good to know.
    func info(_ text: String) {
        if level > .quiet { write("items: \(text)\n") }
    }

    /// Something about the items that somebody should know.
    func warn(_ warning: Warning) { note("\(warning.message)\n  hint: \(warning.hint)") }

    /// Something for those who want every detail.
    func debug(_ text: @autoclosure () -> String) {
        if isVerbose { write("items: \(text())\n") }
    }

    static let toStandardError: @Sendable (String) -> Void = { text in
        var output = Output(descriptor: STDERR_FILENO, capacity: text.utf8.count)
        // There is nowhere left to say that saying it failed.
        try? output.append(text)
        try? output.flush()
    }
}
