/// Completes in fish.
enum FishCompletion {
    static var script: String {
        "# fish completion of items. For this shell alone: items --completion fish | source\n"
            + Option.all.map { "complete -c items \(flags(of: $0)) -d '\(escaped($0.summary))'\n" }.joined()
    }

    private static func flags(of option: Option) -> String {
        let names = (option.short.map { "-s \($0) " } ?? "") + "-l \(option.name)"
        guard let candidates = option.candidates else { return names }
        // What may be left out is joined, and asks for nothing; -x is a value that is no file.
        let value = option.isOptional ? "-f" : "-x"
        return switch candidates {
        case .any: "\(names) \(value)"
        case .file: "\(names) -r -F"
        case .words(let words): "\(names) \(value) -a '\(words.joined(separator: " "))'"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    }
}
