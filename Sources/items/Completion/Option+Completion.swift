extension Option {
    /// What a shell offers in the place of the value.
    enum Candidates: Equatable {
        /// Nothing: a number, a name.
        case none
        case files
        case words([String])
    }

    /// Read from the placeholder: `FILE` and `@FILE` are files, alternatives in small letters are words.
    var candidates: Candidates {
        guard let placeholder else { return .none }
        if placeholder == "SCENARIO" {
            return .words((name == "demo" ? ["list"] : []) + Scenario.all.map(\.name))
        }
        let parts = placeholder.split(separator: "|")
        if parts.contains(where: { $0 == "FILE" || $0 == "@FILE" }) { return .files }
        let words = parts.filter { $0.allSatisfy { $0.isLowercase && $0.isASCII } }
        return words.isEmpty ? .none : .words(words.map(String.init))
    }

    /// What stands for the value; `nil` where there is none.
    var placeholder: String? {
        switch value {
        case .none: nil
        case .required(let placeholder, _), .optional(let placeholder, _): placeholder
        }
    }

    /// Whether the value may be left out.
    var isOptional: Bool { if case .optional = value { true } else { false } }

    /// The help on one line, as far as it is said in one breath.
    var summary: String {
        let line = help.split(separator: "\n").joined(separator: " ")
        return String(line.prefix { $0 != ";" })
    }
}
