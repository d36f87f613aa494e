import RESTClient

/// The items that `--where` selects, and the end of the list by `--while`.
struct ItemFilter {
    private let conditions: [Condition]
    private let bounds: [Condition]
    private(set) var count = 0
    /// For each of `conditions`, `true` if an item had a value.
    private var hasValues: [Bool]
    /// The comparisons that an item without the member meets, or that compare a literal, of which no item showed that it makes sense.
    private var doubtful: [Condition]
    /// The first item, which names the members in hints. Empty if it is too large.
    private var first: [UInt8]?

    /// Returns `nil` if all items are selected.
    init?(_ options: Options) {
        guard !options.conditions.isEmpty || !options.bounds.isEmpty else { return nil }
        conditions = options.conditions
        bounds = options.bounds
        hasValues = conditions.map(\.allowsMissing)
        doubtful = conditions + bounds
    }

    /// Returns `true` if the item is selected. Throws `LimitReached` at the end of the list by `--while`, and
    /// an error for an item that does not show whether it is the end.
    mutating func accepts(_ item: RawSpan) throws -> Bool {
        if first == nil { first = item.sample }
        if !doubtful.isEmpty { doubtful.removeAll { !$0.isDoubtful(after: item) } }
        for bound in bounds {
            switch bound.outcome(for: item) {
            case .holds: break
            case .fails: throw LimitReached()
            case .missing where bound.allowsMissing: throw LimitReached()
            case .missing:
                throw CommandError(
                    .missingColumn,
                    "item \((count + 1).groupedText) has no value at \(bound.path.name.quoted()) for --while",
                    hint: count == 0
                        ? bound.path.hint(for: item.withUnsafeBytes { Array($0) }, in: "--while")
                        : "use --where to skip such items")
            }
        }
        count += 1
        var isSelected = true
        for (index, condition) in conditions.enumerated() {
            let outcome = condition.outcome(for: item)
            if outcome != .missing { hasValues[index] = true }
            if outcome != .holds { isSelected = false }
        }
        return isSelected
    }

    /// An error if no item has a value that a condition compares.
    var failure: CommandError? {
        guard count > 0, let index = hasValues.firstIndex(of: false) else { return nil }
        let path = conditions[index].path
        return CommandError(
            .missingColumn, "no item has \(path.name.quoted())",
            hint: path.hint(for: first ?? [], in: "--where"))
    }

    /// Warnings about comparisons whose member no item had, or that compared a literal with a string.
    var warnings: [String] {
        guard failure == nil, let first else { return [] }
        return doubtful.compactMap { condition in
            let option = conditions.contains(condition) ? "--where" : "--while"
            let path = condition.path
            if condition.allowsMissing {
                let hint = path.hint(for: first, in: option).map { "\n  hint: \($0)" } ?? ""
                return "warning: no item has \(path.name.quoted()), which \(option) compares\(hint)"
            }
            return condition.comparingText(in: first).map { text in
                "warning: \(path.name.quoted()) is a string, which is not equal to a number, true, false or null\n  hint: to compare it as text, write \(option) \(TerminalEscaping.shellQuoted(text))"
            }
        }
    }
}
