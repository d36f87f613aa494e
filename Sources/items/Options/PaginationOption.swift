import RESTClient

/// The value of `--pagination`: a rule, optionally followed by a colon and the server's names, as in
/// `token:after,cursor.after`, or the name of a preset.
struct PaginationOption: Equatable, Sendable {
    /// A rule, or a preset, which has no names.
    private struct Rule: Sendable {
        let name: String
        /// The names after the colon: the placeholder and the default of each.
        var names: KeyValuePairs<String, String> = [:]
        /// Returns the pagination of the library for the names.
        let pagination: @Sendable ([String]) -> StandardPagination
    }

    private static let rules: [Rule] =
        [
            Rule(name: "auto") { _ in .automatic },
            Rule(name: "none") { _ in .none },
            Rule(name: "link") { _ in .link },
            Rule(name: "next", names: ["PATH": "next"]) { .next(at: MemberPath($0[0])) },
            Rule(name: "token", names: ["PARAMETER": "pageToken", "PATH": "nextPageToken", "FLAG": ""]) {
                .token(at: MemberPath($0[1]), parameter: $0[0], more: flag($0[2]))
            },
            Rule(name: "last", names: ["PARAMETER": "after", "PATH": "id", "FLAG": ""]) {
                .lastItem(MemberPath($0[1]), parameter: $0[0], more: flag($0[2]))
            },
            Rule(name: "page", names: ["PARAMETER": "page", "PATH": "total_pages"]) {
                .number(parameter: $0[0], count: MemberPath($0[1]))
            },
            Rule(name: "offset", names: ["PARAMETER": "offset", "PATH": "total"]) {
                .offset(parameter: $0[0], total: MemberPath($0[1]))
            },
            Rule(name: "header", names: ["SENT-AS": "Range", "NAME": "Next-Range"]) {
                .header($0[1], sentAs: $0[0])
            },
            Rule(name: "graphql", names: ["VARIABLE": "after"]) { .graphQL(variable: $0[0]) },
        ] + StandardPagination.presets.map { preset in Rule(name: preset.name) { _ in preset.pagination } }

    /// The names of all rules and presets.
    static let words = rules.map(\.name)
    static let auto = Self(rules[0])
    static let none = Self(rules[1])

    /// The pagination of the library.
    let value: StandardPagination
    /// The name of the rule or preset.
    let rule: String
    private let names: [String]

    private init(_ rule: Rule, names given: [Substring] = []) {
        self.rule = rule.name
        names = given.map(String.init) + rule.names.dropFirst(given.count).map(\.value)
        value = rule.pagination(names)
    }

    /// - Throws: `CommandError` for an unknown rule or for names that the rule does not have.
    init(_ text: String) throws(CommandError) {
        let (name, list) = text.divided(at: ":")
        guard let rule = Self.rules.first(where: { $0.name == name.lowercased() }) else {
            throw .usage(
                "unknown pagination \(TerminalEscaping.quoted(text, limit: 80))",
                hint: "available rules and presets: \(Self.words.joined(separator: ", "))")
        }
        let names = list?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard names.count <= rule.names.count, !names.contains("") else {
            let form = rule.names.isEmpty ? "" : ":\(rule.names.map(\.key).joined(separator: ","))"
            throw .usage("invalid pagination; use --pagination \(rule.name)\(form)")
        }
        self.init(rule, names: names)
    }

    static func == (left: Self, right: Self) -> Bool { left.rule == right.rule && left.names == right.names }

    /// A Boolean value that indicates whether `--from` can set the page number or the offset.
    var hasNumbers: Bool { ["auto", "page", "offset"].contains(rule) }

    private static func flag(_ path: String) -> MemberPath? { path.isEmpty ? nil : MemberPath(path) }
}
