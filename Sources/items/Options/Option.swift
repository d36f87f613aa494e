/// One option, declared once: parsing, help, manual, completion and suggestions all come from this.
struct Option: Sendable {
    /// A heading of the help.
    enum Group: String, CaseIterable, Sendable {
        case selection = "Selection"
        case format = "Output format"
        case pagination = "Pagination"
        case request = "Request"
        case time = "Timeouts and retries, in seconds such as 2 or 0.5 (0: no limit)"
        case limits = "Limits, in bytes or with K, M, G"
        case general = "Diagnostics and help"
    }

    /// Whether a value follows, and what does something with it.
    enum Value: Sendable {
        case none(@Sendable (inout Options) -> Void)
        /// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`.
        case required(
            String, Candidates = .any, @Sendable (inout Options, String) throws(UsageError) -> Void)
        /// `--name` or `--name=VALUE`; the next argument is never taken for it.
        case optional(
            String, Candidates = .any, @Sendable (inout Options, String?) throws(UsageError) -> Void)
    }

    /// What a value may be, as far as a shell can help to type it.
    enum Candidates: Sendable {
        case any
        /// The name of a file.
        case file
        /// One of these words.
        case words([String])
    }

    /// Without its dashes.
    let name: String
    let short: Character?
    let group: Group
    /// One line of the help, begun in small letters; a line break goes on below.
    let help: String
    let value: Value

    init(_ name: String, short: Character? = nil, _ group: Group, _ help: String, _ value: Value) {
        self.name = name
        self.short = short
        self.group = group
        self.help = help
        self.value = value
    }

    /// How it is written: `--at PATH`, `--demo[=SCENARIO]`.
    var usage: String {
        switch value {
        case .none: "--\(name)"
        case .required(let placeholder, _, _): "--\(name) \(placeholder)"
        case .optional(let placeholder, _, _): "--\(name)[=\(placeholder)]"
        }
    }

    /// What its value may be; `nil` where it takes none.
    var candidates: Candidates? {
        switch value {
        case .none: nil
        case .required(_, let candidates, _), .optional(_, let candidates, _): candidates
        }
    }

    /// Whether its value is the name of a file, which is never empty.
    var takesFile: Bool { if case .file = candidates { true } else { false } }
}
