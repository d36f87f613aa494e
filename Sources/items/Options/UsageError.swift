/// A command line that cannot be followed: what is wrong with it, and what to write instead.
struct UsageError: Error, Equatable {
    var message: String
    var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
