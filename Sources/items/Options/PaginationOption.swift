import RESTClient

/// The value of `--pagination`: a rule, optionally followed by a colon and the server's names, as in
/// `token:cursor.after,after`.
struct PaginationOption: Equatable, Sendable {
    enum Rule: String, CaseIterable, Sendable {
        case auto, none, link, next, token, page, offset
    }

    let rule: Rule
    private var names: [String] = []

    init(_ rule: Rule) { self.rule = rule }

    /// - Throws: `UsageError` for an unknown rule or for names that the rule does not have.
    init(_ text: String) throws(UsageError) {
        let (name, list) = text.divided(at: ":")
        guard let rule = Rule(rawValue: name.lowercased()) else {
            throw UsageError(
                "unknown pagination \(TerminalEscaping.quoted(text, limit: 80))",
                hint: "available rules: \(Rule.allCases.map(\.rawValue).joined(separator: ", "))")
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
        switch rule {
        case .auto: .automatic
        case .none: .none
        case .link: .link
        case .next: .next(at: MemberPath(name(0, "next")))
        case .token: .token(at: MemberPath(name(0, "nextPageToken")), parameter: name(1, "pageToken"))
        case .page: .number(parameter: name(0, "page"), count: MemberPath(name(1, "total_pages")))
        case .offset: .offset(parameter: name(0, "offset"), total: MemberPath(name(1, "total")))
        }
    }

    private func name(_ index: Int, _ standard: String) -> String {
        index < names.count ? names[index] : standard
    }
}

extension PaginationOption.Rule {
    /// The placeholders of the names after the colon.
    fileprivate var names: [String] {
        switch self {
        case .auto, .none, .link: []
        case .next: ["PATH"]
        case .token: ["PATH", "QUERY"]
        case .page, .offset: ["QUERY", "PATH"]
        }
    }
}
