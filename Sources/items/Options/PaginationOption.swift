import RESTClient

/// The value of `--pagination`: a rule, optionally followed by a colon and the server's names, as in
/// `token:after,cursor.after`, or the name of a preset.
struct PaginationOption: Equatable, Sendable {
    enum Rule: String, CaseIterable, Sendable {
        case auto, none, link, next, token, last, page, offset, header, graphql
        /// The pagination of a certain API.
        case preset
    }

    /// The names of all rules and presets.
    static let words = Rule.allCases.filter { $0 != .preset }.map(\.rawValue) + presets
    static let presets = StandardPagination.presets.map(\.name)

    let rule: Rule
    private var names: [String] = []

    init(_ rule: Rule) { self.rule = rule }

    /// - Throws: `UsageError` for an unknown rule or for names that the rule does not have.
    init(_ text: String) throws(UsageError) {
        let (name, list) = text.divided(at: ":")
        if Self.presets.contains(text.lowercased()) {
            self.rule = .preset
            names = [text.lowercased()]
            return
        }
        guard let rule = Rule(rawValue: name.lowercased()), rule != .preset else {
            throw UsageError(
                "unknown pagination \(TerminalEscaping.quoted(text, limit: 80))",
                hint: "available rules and presets: \(Self.words.joined(separator: ", "))")
        }
        self.rule = rule
        guard let list else { return }
        names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= rule.names.count, !names.contains("") else {
            let form = rule.names.isEmpty ? "" : ":\(rule.names.joined(separator: ","))"
            throw UsageError("invalid pagination; use --pagination \(rule.rawValue)\(form)")
        }
    }

    /// The pagination of the library.
    var value: StandardPagination {
        let more = names.count > 2 ? MemberPath(names[2]) : nil
        return switch rule {
        case .auto: .automatic
        case .none: .none
        case .link: .link
        case .next: .next(at: MemberPath(name(0, "next")))
        case .token:
            .token(at: MemberPath(name(1, "nextPageToken")), parameter: name(0, "pageToken"), more: more)
        case .last: .lastItem(MemberPath(name(1, "id")), parameter: name(0, "after"), more: more)
        case .page: .number(parameter: name(0, "page"), count: MemberPath(name(1, "total_pages")))
        case .offset: .offset(parameter: name(0, "offset"), total: MemberPath(name(1, "total")))
        case .header: .header(name(1, "Next-Range"), sentAs: name(0, "Range"))
        case .graphql: .graphQL(variable: name(0, "after"))
        case .preset: StandardPagination.presets.first { $0.name == names[0] }?.pagination ?? .automatic
        }
    }

    /// A Boolean value that indicates whether `--from` can set the page number or the offset.
    var hasNumbers: Bool { [.auto, .page, .offset].contains(rule) }

    private func name(_ index: Int, _ standard: String) -> String {
        index < names.count ? names[index] : standard
    }
}

extension PaginationOption.Rule {
    /// The placeholders of the names after the colon.
    fileprivate var names: [String] {
        switch self {
        case .auto, .none, .link, .preset: []
        case .next: ["PATH"]
        case .token, .last: ["PARAMETER", "PATH", "FLAG"]
        case .page, .offset: ["PARAMETER", "PATH"]
        case .header: ["SENT-AS", "NAME"]
        case .graphql: ["VARIABLE"]
        }
    }
}
