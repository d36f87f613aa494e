/// One option, declared once: parsing, help and suggestions all come from this.
struct Option: Sendable {
    /// A heading of the help.
    enum Group: String, CaseIterable, Sendable {
        case what = "What to list"
        case how = "How to print it"
        case request = "Request"
        case time = "Time"
        case talk = "Talk"
    }

    /// Whether a value follows, and what does something with it.
    enum Value: Sendable {
        case none(@Sendable (inout Options) -> Void)
        /// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`.
        case required(String, @Sendable (inout Options, String) throws(UsageError) -> Void)
        /// `--name` or `--name=VALUE`; the next argument is never taken for it.
        case optional(String, @Sendable (inout Options, String?) throws(UsageError) -> Void)
    }

    /// Without its dashes.
    let name: String
    let short: Character?
    let group: Group
    /// One line of the help, begun in small letters; a line break goes on below.
    let help: String
    let value: Value

    /// How it is written: `--at PATH`, `--demo[=SCENARIO]`.
    var usage: String {
        switch value {
        case .none: "--\(name)"
        case .required(let placeholder, _): "--\(name) \(placeholder)"
        case .optional(let placeholder, _): "--\(name)[=\(placeholder)]"
        }
    }
}
