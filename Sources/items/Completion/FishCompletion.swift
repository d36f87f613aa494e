/// Completes in fish.
enum FishCompletion {
    static var script: String {
        "# fish completion of items. For this shell alone: items --completion fish | source\n"
            + Option.all.map { "complete -c items \(flags(of: $0)) -d '\(escaped($0.summary))'\n" }.joined()
    }

    private static func flags(of option: Option) -> String {
        let names = (option.short.map { "-s \($0) " } ?? "") + "-l \(option.name)"
        guard option.placeholder != nil else { return names }
        // Exclusive: a value that is no file. What may be left out is joined, and asks for nothing.
        let kind = option.isOptional ? "-f" : option.candidates == .files ? "-r -F" : "-x"
        guard case .words(let words) = option.candidates else { return "\(names) \(kind)" }
        return "\(names) \(kind) -a '\(words.joined(separator: " "))'"
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    }
}
