/// An option of the command: a row of the table from which the parser, the help, the manual page, completions and suggestions
/// are made.
struct Option: Sendable {
    struct Group: Sendable {
        let title: String
        let options: [Option]

        init(_ title: String, _ rows: KeyValuePairs<String, Setting>) {
            (self.title, options) = (title, rows.map(Option.init))
        }
    }

    /// The value of an option: `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`.
    struct Value: Sendable {
        /// The name of the value in the help, such as `FILE`.
        let placeholder: String
        let candidates: Candidates
        /// `true` for `--name` or `--name=VALUE`. The next argument is never used as the value.
        let isOptional: Bool
        /// `true` if the next argument is the value if it is one of the words, as in `--help all`.
        let takesNextWord: Bool
    }

    /// The possible values, for shell completion.
    enum Candidates: Equatable, Sendable {
        case any
        /// Text that cannot be empty.
        case name
        /// The name of a file, which cannot be empty.
        case file
        /// Text, or the name of a file after `@`.
        case bodyFile
        case words([String])
    }

    /// The name without dashes.
    let name: String
    let short: Character?
    /// The description in the help, starting in lowercase. Line breaks are kept.
    let help: String
    /// The value; `nil` for an option without one.
    let value: Value?
    /// The placeholder with the text before and after it.
    let valueUsage: String
    private let setting: Setting

    /// Creates the option of a row such as `-o, --output FILE: write to FILE`. The value is optional in `--demo[=SCENARIO]` and
    /// `--help [all]`.
    init(_ row: String, _ setting: Setting) {
        let end = row.utf8.indices.first { row.utf8[$0...].starts(with: ": ".utf8) } ?? row.endIndex
        let usage = row[..<end]
        short = usage.hasPrefix("--") ? nil : usage.dropFirst().first
        let option = usage.dropFirst(short == nil ? 2 : 6)
        name = String(option.prefix { $0 != " " && $0 != "[" })
        help = String(row[end...].dropFirst(2))
        self.setting = setting
        valueUsage = String(option.dropFirst(name.count))
        let takesNextWord = valueUsage.hasPrefix(" [")
        let isOptional = takesNextWord || valueUsage.hasPrefix("[=")
        let placeholder = isOptional ? valueUsage.dropFirst(2).dropLast() : valueUsage.dropFirst()
        value =
            valueUsage.isEmpty
            ? nil
            : Value(
                placeholder: String(placeholder), candidates: setting.candidates, isOptional: isOptional,
                takesNextWord: takesNextWord)
    }

    func apply(_ options: inout Options, _ text: String?) throws {
        try setting.apply(&options, text, "--\(name)")
        if options.requestOption == nil, Self.namesOfRequest.contains(name) {
            options.requestOption = "--\(name)"
        }
    }

    /// The option with its placeholder: `--at PATH`, `--demo[=SCENARIO]`.
    var usage: String { "--\(name)\(valueUsage)" }

    /// The name and the letter with their dashes.
    var names: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}

extension Option {
    /// The effect of an option: the place of its value.
    struct Setting: Sendable {
        typealias Property<Value> = any WritableKeyPath<Options, Value> & Sendable

        let candidates: Candidates
        fileprivate let apply: @Sendable (inout Options, _ text: String?, _ option: String) throws -> Void

        init(
            _ candidates: Candidates = .any,
            _ apply: @escaping @Sendable (inout Options, _ text: String?, _ option: String) throws -> Void
        ) { (self.candidates, self.apply) = (candidates, apply) }

        static func set<Value: Sendable>(_ property: Property<Value>, _ constant: Value) -> Self {
            Self { options, _, _ in options[keyPath: property] = constant }
        }

        /// Selects one of several values, which are named like their options. Two of them are an error.
        static func choice<Value: Equatable & Sendable>(
            _ property: Property<Value>, _ constant: Value
        ) -> Self {
            Self { options, _, option in
                let other = options[keyPath: property]
                guard [constant, Options()[keyPath: property]].contains(other) else {
                    throw CommandError.usage("\(option) cannot be combined with --\(other)")
                }
                options[keyPath: property] = constant
            }
        }

        /// Sets `property` to the value, which `parse` reads; it gets the name of the option for errors.
        static func value<Value>(
            _ property: Property<Value>, of candidates: Candidates = .any,
            _ parse: @escaping @Sendable (_ text: String, _ option: String) throws -> Value
        ) -> Self {
            Self(candidates) { options, text, option in
                options[keyPath: property] = try parse(text ?? "", option)
            }
        }

        static func text(_ property: Property<String?>, of candidates: Candidates = .any) -> Self {
            value(property, of: candidates) { text, _ in text }
        }

        /// Adds the elements that `parse` reads to `property`.
        static func add<Element>(
            _ property: Property<[Element]>, of candidates: Candidates = .any,
            _ parse: @escaping @Sendable (_ text: String, _ option: String) throws -> [Element]
        ) -> Self {
            Self(candidates) { options, text, option in
                options[keyPath: property] += try parse(text ?? "", option)
            }
        }
    }
}
