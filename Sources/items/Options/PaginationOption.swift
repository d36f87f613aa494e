import RESTClient
import RESTClientHTTP

/// How pages follow one another, as `--pagination` writes it: a rule, and where a server has its own names, these behind
/// a colon, as in `token:cursor.after,after`.
struct PaginationOption: Equatable, Sendable {
    enum Rule: String, CaseIterable, Sendable {
        case auto, none, link, next, token, page, offset
    }

    let rule: Rule
    private var names: [String] = []

    init(_ rule: Rule) { self.rule = rule }

    /// - Throws: `UsageError` for a rule that does not exist, or names that it does not have.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let rule = Rule(rawValue: parts[0].lowercased()) else {
            throw UsageError(
                "there is no --pagination \(TerminalEscaping.quoted(text, limit: 80))",
                hint: "the rules: \(Rule.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.rule = rule
        guard parts.count > 1 else { return }
        names = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= rule.names.count, !names.contains("") else {
            let form = rule.names.isEmpty ? "" : ":\(rule.names.joined(separator: ","))"
            throw UsageError("this rule is written --pagination \(rule.rawValue)\(form)")
        }
    }

    /// What the library calls it.
    var value: StandardPagination {
        switch rule {
        case .auto: .automatic
        case .none: .none
        case .link: .link
        case .next: .next(at: MemberPath(name(0, "next")))
        case .token: .token(at: MemberPath(name(0, "nextPageToken")), query: name(1, "pageToken"))
        case .page: .number(query: name(0, "page"), count: MemberPath(name(1, "total_pages")))
        case .offset: .offset(query: name(0, "offset"), total: MemberPath(name(1, "total")))
        }
    }

    private func name(_ index: Int, _ standard: String) -> String {
        index < names.count ? names[index] : standard
    }
}

extension PaginationOption.Rule {
    /// What may stand behind the colon.
    fileprivate var names: [String] {
        switch self {
        case .auto, .none, .link: []
        case .next: ["PATH"]
        case .token: ["PATH", "QUERY"]
        case .page, .offset: ["QUERY", "PATH"]
        }
    }
}
