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
        /// `true` if `!=` has excluded an item.
        var hasExcluded = false
        /// The comparison that was probably meant.
        var suggestion: Condition?
        /// The work that remains for finding it: the bytes of the items in which it is looked for, and 2 KB for each of them, because
        /// each item is compared several times.
        var budget = 256 << 10

        var option: String { isBound ? "--while" : "--where" }

        mutating func outcome(for item: RawSpan) -> Condition.Outcome {
            let outcome = condition.outcome(for: item)
            hasMember = hasMember || condition.path.range(in: item) != nil
            if outcome == .holds { isMet = true }
            if outcome == .fails { hasExcluded = true }
            let isOther = outcome == .fails || outcome == .unordered
            let mayBeSlip = condition.isOther ? !hasExcluded && hasMember : isOther && !isMet
            if mayBeSlip, suggestion == nil, item.byteCount < budget {
                budget -= item.byteCount + (2 << 10)
                suggestion = condition.suggestion(in: item)
            }
            return outcome
        }

        /// A warning about a member that no item had, or a value to exclude that was probably meant otherwise.
        func warning(_ first: [UInt8]) -> String? {
            if condition.isOther, !isBound, !hasExcluded, suggestion != nil, let hint = hint(first) {
                return "warning: --where \(condition.argument.quoted()) excludes no item\n  hint: \(hint)"
            }
            guard condition.allowsMissing, !hasMember else { return nil }
            let path = condition.path
            let hint = path.hint(for: first, in: option).map { "\n  hint: \($0)" } ?? ""
            return "warning: no item has \(path.name.quoted()), which \(option) compares\(hint)"
        }

        /// The most likely reason why no item meets the comparison, or the value of the first item.
        func hint(_ first: [UInt8]) -> String? {
            if let argument = suggestion?.argument {
                return "did you mean \(option) \(argument.shellQuoted)?"
            }
            let item = first[...]
            guard !first.isEmpty, let range = condition.path.range(in: item.span.bytes) else { return nil }
            let value = String(decoding: first[range], as: UTF8.self)
            return "\(condition.path.name.quoted()) of the first item is \(value.escaped(60))"
        }
    }

    /// Those of `--while` are first.
    private var checks: [Check]
    private(set) var count = 0
    private var hasSelected = false
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
            let isUnordered = outcome == .unordered
            guard isUnordered || outcome == .missing && !bound.allowsMissing else { throw LimitReached() }
            let kind = isUnordered ? bound.isNumeric ? "number" : "text" : "value"
            let hint =
                isUnordered
                ? checks[index].hint(first ?? []) : bound.path.hint(for: first ?? [], in: "--while")
            throw CommandError(
                .missingColumn,
                "item \((count + 1).groupedText) has no \(kind) at \(bound.path.name.quoted()) for --while",
                hint: count == 0 ? hint : "use --where to skip such items")
        }
        count += 1
        if isSelected { hasSelected = true }
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

    var warnings: [String] {
        guard let first else { return [] }
        let warnings = checks.compactMap { $0.warning(first) }
        let unmet = checks.first { !$0.isMet }
        // The end of the list by --while, on the first item, can be meant.
        guard !hasSelected, count > 0 || unmet?.suggestion != nil, failure == nil, warnings.isEmpty else {
            return warnings
        }
        let subject = unmet.map { "\($0.option) \($0.condition.argument.quoted())" } ?? "all comparisons"
        let hint = unmet?.hint(first).map { "\n  hint: \($0)" } ?? ""
        return ["no item meets \(subject) (\(max(count, 1).text(of: "item")) read)\(hint)"]
    }
}
