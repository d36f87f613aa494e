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

    /// Says another thing to try.
    mutating func addHint(_ text: String, unlessThereIsOne: Bool = false) {
        guard let hint else { return hint = text }
        if !unlessThereIsOne { self.hint = "\(hint); \(text)" }
    }

    /// Says that it comes from an environment variable, which nobody has before their eyes.
    func blaming(_ variable: String) -> Self {
        var complaint = self
        complaint.addHint("look at \(variable) in the environment")
        return complaint
    }
}
