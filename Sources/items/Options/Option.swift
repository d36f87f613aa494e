/// An option of the command. Parser, help, manual page, completion and suggestions use the same declaration.
struct Option: Sendable {
    /// A section of the help.
    enum Group: String, CaseIterable, Sendable {
        case selection = "Selection"
        case format = "Output format"
        case pagination = "Pagination"
        case request = "Request"
        case time = "Timeouts and retries, in seconds such as 2 or 0.5 (0: no limit)"
        case limits = "Limits, in bytes or with K, M, G"
        case general = "Diagnostics and help"
    }

    /// The kind of value, and the closure that applies it to the options.
    enum Value: Sendable {
        case none(@Sendable (inout Options) -> Void)
        /// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`.
        case required(
            String, Candidates = .any, @Sendable (inout Options, String) throws(UsageError) -> Void)
        /// `--name` or `--name=VALUE`. The next argument is never used as the value.
        case optional(
            String, Candidates = .any, @Sendable (inout Options, String?) throws(UsageError) -> Void)
    }

    /// The possible values, for shell completion.
    enum Candidates: Sendable {
        case any
        /// The name of a file.
        case file
        /// One of the given words.
        case words([String])
    }

    /// The name without dashes.
    let name: String
    let short: Character?
    let group: Group
    /// The description in the help, starting in lowercase. Line breaks are kept.
    let help: String
    let value: Value

    init(_ name: String, short: Character? = nil, _ group: Group, _ help: String, _ value: Value) {
        self.name = name
        self.short = short
        self.group = group
        self.help = help
        self.value = value
    }

    /// The option with its placeholder: `--at PATH`, `--demo[=SCENARIO]`.
    var usage: String {
        switch value {
        case .none: "--\(name)"
        case .required(let placeholder, _, _): "--\(name) \(placeholder)"
        case .optional(let placeholder, _, _): "--\(name)[=\(placeholder)]"
        }
    }

    /// The possible values; `nil` for an option without one.
    var candidates: Candidates? {
        switch value {
        case .none: nil
        case .required(_, let candidates, _), .optional(_, let candidates, _): candidates
        }
    }

    /// `true` if the value is the name of a file, which cannot be empty.
    var takesFile: Bool { if case .file = candidates { true } else { false } }
}
