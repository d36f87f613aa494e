import RESTClient

/// The value of `--pagination`: a rule, optionally followed by a colon and the server's names, as in
/// `token:after,cursor.after`, or the name of a preset.
struct PaginationOption: Equatable, Sendable {
    /// A rule, or a preset, which has no names.
    private struct Rule: Sendable {
        let name: String
        /// The names after the colon: the placeholder and the default of each.
        let names: KeyValuePairs<String, String>
        /// Returns the pagination of the library for the names.
        let pagination: @Sendable ([String]) -> StandardPagination

        init(_ name: String, _ pagination: StandardPagination) {
            (self.name, names) = (name, [:])
            self.pagination = { _ in pagination }
        }

        init(
            _ name: String, _ names: KeyValuePairs<String, String> = [:],
            convention: @escaping @Sendable ([String]) -> PaginationConvention
        ) {
            (self.name, self.names) = (name, names)
            pagination = { StandardPagination(convention($0)) }
        }
    }

    private static let rules: [Rule] =
        [
            Rule("auto", .automatic),
            Rule("none", .none),
            Rule("link") { _ in .link },
            Rule("next", ["PATH": "next"]) { .next(at: MemberPath($0[0])) },
            Rule("token", ["PARAMETER": "pageToken", "PATH": "nextPageToken", "FLAG": ""]) {
                .token(at: MemberPath($0[1]), parameter: $0[0], more: flag($0[2]))
            },
            Rule("last", ["PARAMETER": "after", "PATH": "id", "FLAG": ""]) {
                .lastItem(MemberPath($0[1]), parameter: $0[0], more: flag($0[2]))
            },
            Rule("page", ["PARAMETER": "page", "PATH": "total_pages"]) {
                .number(parameter: $0[0], count: MemberPath($0[1]))
            },
            Rule("offset", ["PARAMETER": "offset", "PATH": "total"]) {
                .offset(parameter: $0[0], total: MemberPath($0[1]))
            },
            Rule("header", ["SENT-AS": "Range", "NAME": "Next-Range"]) {
                .header($0[1], sentAs: $0[0])
            },
            Rule("graphql", ["VARIABLE": "after"]) { .graphQL(variable: $0[0]) },
        ] + PaginationConvention.presets.map { Rule($0.name, StandardPagination($0.convention)) }

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

    /// Returns the value of the option for a convention, quoted for a shell, or `nil` if there is none.
    static func text(_ convention: PaginationConvention) -> String? {
        let rule: (name: String, names: [String?])
        switch convention.kind {
        case .link: rule = ("link", [])
        case .url(let path): rule = ("next", ["\(path)"])
        case .number(let parameter, let count): rule = ("page", [parameter, count.map { "\($0)" }])
        case .offset(let parameter, let total): rule = ("offset", [parameter, total.map { "\($0)" }])
        case .token(let token):
            let parameter = token.destination.name
            let more = token.more.map { "\($0.path)" }
            switch token.source {
            case .member(let path): rule = ("token", [parameter, "\(path)", more])
            case .lastItem(let path): rule = ("last", [parameter, "\(path)", more])
            case .header(let name): rule = ("header", [parameter, name])
            case .besideList: rule = ("graphql", [String(parameter.dropFirst("variables.".count))])
            }
        }
        let names = rule.names.compactMap { $0 }
        guard
            !names.contains(where: { $0.contains(",") || $0.contains("'") || $0.contains(where: \.isNewline) }
            )
        else { return nil }
        let text = names.isEmpty ? rule.name : "\(rule.name):\(names.joined(separator: ","))"
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.:,".contains($0)) }
        return isPlain ? text : "'\(TerminalEscaping.escaped(text))'"
    }

    static func == (left: Self, right: Self) -> Bool { left.rule == right.rule && left.names == right.names }

    /// A Boolean value that indicates whether `--from` can set the page number or the offset.
    var hasNumbers: Bool { ["auto", "page", "offset"].contains(rule) }

    private static func flag(_ path: String) -> MemberPath? { path.isEmpty ? nil : MemberPath(path) }
}
