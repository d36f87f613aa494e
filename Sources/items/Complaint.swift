/// Why the program ends with something else than success: what happened, to what, and what to try.
struct Complaint: Error, Equatable {
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

extension Complaint {
    init(_ error: UsageError) { self.init(.usage, error.message, hint: error.hint) }
}
