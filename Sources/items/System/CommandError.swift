/// An error as the command reports it: exit code, message and hint.
struct CommandError: Error, Equatable {
    var code: ExitCode
    var message: String
    var hint: String?

    init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    /// Returns the error of an invalid command line, with a hint if a correction is known.
    static func usage(_ message: String, hint: String? = nil) -> Self { Self(.usage, message, hint: hint) }

    /// Returns the lines printed to the standard error.
    func text(hasColor: Bool = false) -> String {
        func colored(_ text: String, _ color: String) -> String { hasColor ? color + text + Color.end : text }
        return "\(colored("items:", Color.error)) \(message)\n"
            + (hint.map { "  \(colored("hint:", Color.hint)) \($0)\n" } ?? "")
    }

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
