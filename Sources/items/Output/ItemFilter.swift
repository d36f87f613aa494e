import RESTClient

/// The items that `--where` selects, and the end of the list by `--while`.
struct ItemFilter {
    /// A comparison, and what the items so far have shown about it.
    private struct Check {
        let condition: Condition
        /// `true` for `--while`.
        let isBound: Bool
        var hasMember = false
        var isMet = false

        var option: String { isBound ? "--while" : "--where" }

        mutating func outcome(for item: RawSpan) -> Condition.Outcome {
            let outcome = condition.outcome(for: item)
            if !hasMember {
                hasMember =
                    condition.allowsMissing ? condition.path.range(in: item) != nil : outcome != .missing
            }
            if outcome == .holds { isMet = true }
            return outcome
        }

        /// A warning about a member that no item had, or a literal that was compared with a string.
        func warning(_ first: [UInt8]) -> String? {
            let path = condition.path
            if condition.allowsMissing {
                guard !hasMember else { return nil }
                let hint = path.hint(for: first, in: option).map { "\n  hint: \($0)" } ?? ""
                return "warning: no item has \(path.name.quoted()), which \(option) compares\(hint)"
            }
            guard !isMet, let text = condition.comparingText(in: first) else { return nil }
            return """
                warning: \(path.name.quoted()) is a string, which is not equal to a number, true, false or null
                  hint: to compare it as text, write \(option) \(TerminalEscaping.shellQuoted(text))
                """
        }
    }

    /// Those of `--while` are first.
    private var checks: [Check]
    private(set) var count = 0
    /// The first item, which names the members in hints. Empty if it is too large.
    private var first: [UInt8]?

    /// Returns `nil` if all items are selected.
    init?(_ options: Options) {
        checks =
            options.bounds.map { Check(condition: $0, isBound: true) }
            + options.conditions.map { Check(condition: $0, isBound: false) }
        if checks.isEmpty { return nil }
    }

    /// Returns `true` if the item is selected. Throws `LimitReached` at the end of the list by `--while`, and
    /// an error for an item that does not show whether it is the end.
    mutating func accepts(_ item: RawSpan) throws -> Bool {
        if first == nil { first = item.sample }
        var isSelected = true
        for index in checks.indices {
            let outcome = checks[index].outcome(for: item)
            guard outcome != .holds else { continue }
            isSelected = false
            guard checks[index].isBound else { continue }
            let bound = checks[index].condition
            guard outcome == .missing, !bound.allowsMissing else { throw LimitReached() }
            throw CommandError(
                .missingColumn,
                "item \((count + 1).groupedText) has no value at \(bound.path.name.quoted()) for --while",
                hint: count == 0
                    ? bound.path.hint(for: first ?? [], in: "--while") : "use --where to skip such items")
        }
        count += 1
        return isSelected
    }

    /// An error if no item has a value that a condition compares.
    var failure: CommandError? {
        guard count > 0,
            let path = checks.first(where: { !$0.isBound && !$0.condition.allowsMissing && !$0.hasMember })?
                .condition.path
        else { return nil }
        return CommandError(
            .missingColumn, "no item has \(path.name.quoted())",
            hint: path.hint(for: first ?? [], in: "--where"))
    }

    var warnings: [String] { first.map { first in checks.compactMap { $0.warning(first) } } ?? [] }
}
