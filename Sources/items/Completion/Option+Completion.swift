extension Option {
    /// What stands for the value; `nil` where there is none.
    var placeholder: String? {
        switch value {
        case .none: nil
        case .required(let placeholder, _, _), .optional(let placeholder, _, _): placeholder
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
