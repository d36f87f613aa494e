import RESTClient

/// The value of `--pagination`: `auto`, `none`, the text of a convention such as `token:after,cursor.after`, or the name of a
/// preset.
struct PaginationOption: Equatable, Sendable {
    static let auto = Self(rule: "auto")
    static let none = Self(rule: "none")

    /// The names of all rules and presets.
    static let words =
        [auto.rule, none.rule] + PaginationConvention.rules.map(\.name)
        + PaginationConvention.presets.map(\.name)

    /// The name of the rule or preset.
    let rule: String
    /// The convention, or `nil` for `auto` and `none`.
    var convention: PaginationConvention?

    /// The path of the list for a preset whose API has it at the same place in all responses.
    var list: MemberPath? { PaginationConvention.presets.first { $0.name == rule }?.list }

    /// The pagination of the library.
    var value: StandardPagination {
        convention.map { StandardPagination($0) } ?? (self == .none ? .none : .automatic)
    }

    private init(rule: String) { self.rule = rule }

    init(_ text: String) throws(CommandError) {
        rule = text.divided(at: ":").head.lowercased()
        if [Self.auto.rule, Self.none.rule].contains(text.lowercased()) { return }
        convention = PaginationConvention(text)
        guard convention == nil else { return }
        guard Self.words.contains(rule) else {
            let hint =
                (rule == "cursor" ? "token" : rule.nearest(in: Self.words)).map {
                    "did you mean --pagination \($0)?"
                }
                ?? "available rules and presets: \(Self.words.joined(separator: ", "))"
            throw .usage("unknown pagination \(text.quoted())", hint: hint)
        }
        let form = PaginationConvention.rules.first { $0.name == rule }?.form ?? rule
        let quoted = text.quoted()
        // A hint that was pasted as it is.
        let words = text.dropFirst(rule.count + 1).split(separator: ",").map(String.init)
        if let placeholder = words.first(where: ["PARAMETER", "PATH", "SENT-AS", "VARIABLE"].contains) {
            throw .usage(
                "\(placeholder) in --pagination \(quoted) stands for a name of the API",
                hint: "look it up in the documentation of the API")
        }
        throw .usage("invalid pagination \(quoted); use --pagination \(form)")
    }

    /// Returns the value of the option for a convention, quoted for a shell, or `nil` if there is none.
    static func text(_ convention: PaginationConvention) -> String? {
        let text = "\(convention)"
        // A name with a comma, for example, cannot be written.
        guard PaginationConvention(text) == convention, !text.contains("'"),
            TerminalEscaping.escaped(text) == text
        else { return nil }
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.:,=".contains($0)) }
        return isPlain ? text : "'\(text)'"
    }
}
