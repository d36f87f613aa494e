/// An option of the command. The parser, the help, the manual page, completions and suggestions use this declaration.
struct Option: Sendable {
    /// A section of the help.
    struct Group: Sendable {
        let title: String
        let options: [Option]
    }

    /// The value of an option: `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`.
    struct Value: Sendable {
        /// The name of the value in the help, such as `FILE`.
        let placeholder: String
        let candidates: Candidates
        /// `true` for `--name` or `--name=VALUE`. The next argument is never used as the value.
        var isOptional = false
        /// `true` if the next argument is the value if it is one of the words, as in `--help all`.
        var takesNextWord = false
    }

    /// The possible values, for shell completion.
    enum Candidates: Equatable, Sendable {
        case any
        /// The name of a file, which cannot be empty.
        case file
        /// Text, or the name of a file after `@`.
        case bodyFile
        /// One of the given words.
        case words([String])
    }

    /// The name without dashes.
    let name: String
    let short: Character?
    /// The description in the help, starting in lowercase. Line breaks are kept.
    let help: String
    /// The value; `nil` for an option without one.
    let value: Value?
    /// Sets the option to the given value.
    let apply: @Sendable (inout Options, String?) throws -> Void

    /// Creates an option without a value, which sets `property` to `constant`.
    init<Property: Sendable>(
        _ name: String, short: Character? = nil, _ help: String,
        _ property: any WritableKeyPath<Options, Property> & Sendable, _ constant: Property
    ) {
        (self.name, self.short, self.help) = (name, short, help)
        value = nil
        apply = { options, _ in options[keyPath: property] = constant }
    }

    /// Creates an option with a required value.
    init(
        _ name: String, short: Character? = nil, _ placeholder: String, candidates: Candidates = .any,
        _ help: String, _ apply: @escaping @Sendable (inout Options, String) throws -> Void
    ) {
        (self.name, self.short, self.help) = (name, short, help)
        value = Value(placeholder: placeholder, candidates: candidates)
        self.apply = { options, text in try apply(&options, text ?? "") }
    }

    /// Creates an option that sets `property` to its value, parsed by a function of `OptionValue`.
    init<Property>(
        _ name: String, short: Character? = nil, _ placeholder: String, _ help: String,
        _ property: any WritableKeyPath<Options, Property> & Sendable,
        _ parse: @escaping @Sendable (_ text: String, _ option: String) throws -> Property
    ) {
        self.init(name, short: short, placeholder, help) { options, text in
            options[keyPath: property] = try parse(text, "--\(name)")
        }
    }

    /// Creates an option with an optional value.
    init(
        _ name: String, short: Character? = nil, optional placeholder: String, candidates: Candidates,
        _ help: String, takesNextWord: Bool = false,
        _ apply: @escaping @Sendable (inout Options, String?) throws -> Void
    ) {
        (self.name, self.short, self.help) = (name, short, help)
        value = Value(
            placeholder: placeholder, candidates: candidates, isOptional: true, takesNextWord: takesNextWord)
        self.apply = apply
    }

    /// The option with its placeholder: `--at PATH`, `--demo[=SCENARIO]`.
    var usage: String { usage(name: \.self, placeholder: \.self) }

    /// The option with its placeholder, each in its style.
    func usage(name style: (String) -> String, placeholder: (String) -> String) -> String {
        let option = style("--\(name)")
        guard let value else { return option }
        let text = placeholder(value.placeholder)
        if value.takesNextWord { return "\(option) [\(text)]" }
        return value.isOptional ? "\(option)[=\(text)]" : "\(option) \(text)"
    }

    /// The name and the letter with their dashes.
    var names: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}
