/// Why the program ends with something else than success: what happened, to what, and what to try.
struct CommandError: Error, Equatable {
    var code: ExitCode
    var message: String
    var hint: String?

    init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// As it is printed.
    var text: String { "items: \(message)\n" + (hint.map { "  hint: \($0)\n" } ?? "") }
}

extension CommandError {
    init(_ error: UsageError) { self.init(.usage, error.message, hint: error.hint) }

    /// Says another thing to try.
    mutating func addHint(_ text: String, onlyIfNone: Bool = false) {
        guard let hint else { return hint = text }
        if !onlyIfNone { self.hint = "\(hint); \(text)" }
    }

    /// Says that it comes from an environment variable, which nobody has before their eyes.
    func naming(_ variable: String) -> Self {
        var error = self
        error.addHint("look at \(variable) in the environment")
        return error
    }
}

/// A command line that cannot be followed: what is wrong with it, and what to write instead.
struct UsageError: Error, Equatable {
    var message: String
    var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
