/// An error as the command reports it: exit code, message and hint.
struct CommandError: Error, Equatable {
    var code: ExitCode
    var message: String
    var hint: String?

    init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The lines printed to the standard error.
    var text: String { "items: \(message)\n" + (hint.map { "  hint: \($0)\n" } ?? "") }
}

extension CommandError {
    init(_ error: UsageError) { self.init(.usage, error.message, hint: error.hint) }

    /// Adds a hint.
    mutating func addHint(_ text: String, onlyIfNone: Bool = false) {
        guard let hint else { return hint = text }
        if !onlyIfNone { self.hint = "\(hint); \(text)" }
    }

    /// Returns the error with a hint to check the environment variable that contained the value.
    func naming(_ variable: String) -> Self {
        var error = self
        error.addHint("check the environment variable \(variable)")
        return error
    }
}

/// The error of an invalid command line, with a hint if a correction is known.
struct UsageError: Error, Equatable {
    var message: String
    var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
