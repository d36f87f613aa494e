import Foundation

/// The text of a convention: a rule, and the names of the server after a colon, as in `token:after,cursor.after` or
/// `page:p,pages,first=0`.
extension PaginationConvention: LosslessStringConvertible {
    /// Creates the convention with a text: that of ``description``, in which names at the end can be left out, or the name of one
    /// of the ``presets``. Returns `nil` for an unknown rule, and for names that the rule does not have.
    ///
    /// ```swift
    /// let pages = PaginationConvention("token:after,next.cursor,more=has_more")
    /// ```
    public init?(_ text: String) {
        if let preset = Self.presets.first(where: { $0.name == text.lowercased() }) {
            self = preset.convention
        } else {
            self.init(rule: text)
        }
    }

    package init?(rule text: String) {
        let (name, list) = text.halves(at: ":")
        guard let rule = Rule.all.first(where: { $0.name == name.lowercased() }),
            let names = Names(list, of: rule)
        else { return nil }
        let convention = rule.convention(names)
        self = names.named["size"].map { convention.pageSizeParameter($0) } ?? convention
    }

    /// The rules with all of their names, such as `next:PATH,size=NAME`.
    public static let rules: [(name: String, form: String)] = Rule.all.map { ($0.name, $0.form) }

    /// The convention as text, such as `token:cursor,next_cursor,more=has_more`.
    ///
    /// `PaginationConvention(_:)` reads it, unless a name contains a comma.
    public var description: String {
        let (rule, positional, first, body) = parts
        let flags = rule == "graphql" ? [] : [("more", more), ("last", last)]
        // The JSON of a body can contain commas.
        let named =
            [("first", first.map { "\($0)" })] + flags.map { ($0, $1.map { "\($0)" }) }
            + [("size", pageSizeParameter), ("body", body.map { "\($0)" })]
        let others = named.compactMap { name, value in value.map { "\(name)=\($0)" } }
        let names = positional + others
        return names.isEmpty ? rule : "\(rule):\(names.joined(separator: ","))"
    }

    /// The rule, the names in order, and the values of `first` and `body`.
    private var parts: (rule: String, names: [String], first: Int?, body: JSONLiteral?) {
        switch kind {
        case .link: return ("link", [], nil, nil)
        case .url(let path): return ("next", ["\(path)"], nil, nil)
        case .number(let parameter, let count, let first):
            return ("page", [parameter, count.map { "\($0)" } ?? "-"], first, nil)
        case .offset(let parameter, let total, let first):
            return ("offset", [parameter, total.map { "\($0)" } ?? "-"], first, nil)
        case .token(let token):
            let parameter = token.destination.name
            switch (token.source, token.destination) {
            case (.member(let path), .post(_, let url, let body)):
                return ("scroll", [parameter, "\(path)", url], nil, body)
            case (.header(let field), .header): return ("header", [parameter, field], nil, nil)
            case (.header(let field), _): return ("token", [parameter, Rule.field + field], nil, nil)
            case (.member(let path), _): return ("token", [parameter, "\(path)"], nil, nil)
            case (.lastItem(let path), _): return ("last", [parameter, "\(path)"], nil, nil)
            case (.besideList, _):
                return ("graphql", [String(parameter.dropFirst("variables.".count))], nil, nil)
            }
        }
    }
}

/// The names in the text of a convention.
private struct Names {
    var positional: [String] = []
    var named: [String: String] = [:]

    /// Creates the names in `list`, with the defaults of the rule, or returns `nil` if the rule does not have such names.
    init?(_ list: String?, of rule: Rule) {
        var rest = list
        while let list = rest {
            // The JSON of a body can contain commas.
            let (item, after) = list.hasPrefix("body=") ? (list, nil) : list.halves(at: ",")
            rest = after
            let (key, value) = item.halves(at: "=")
            if let value, Rule.placeholders[key] != nil {
                guard rule.named.contains(key), !value.isEmpty,
                    named.updateValue(value, forKey: key) == nil
                else { return nil }
            } else {
                guard !item.isEmpty, named.isEmpty, positional.count < rule.names.count,
                    // A placeholder of a hint that was not replaced.
                    item != rule.names[positional.count].key, item != "PARAMETER"
                else { return nil }
                positional.append(item)
            }
        }
        positional += rule.names.dropFirst(positional.count).map(\.value)
        guard named["first"] == nil || first.map({ $0 >= 0 }) == true, named["body"] == nil || body != nil
        else { return nil }
        // The flag at a position is that of `more`.
        guard let flag = rule.names.firstIndex(where: { $0.key == "FLAG" }), !positional[flag].isEmpty
        else { return }
        guard named.updateValue(positional[flag], forKey: "more") == nil else { return nil }
    }

    /// The path at a position, or `nil` for `-`.
    func path(_ position: Int) -> MemberPath? {
        positional[position] == "-" ? nil : MemberPath(positional[position])
    }

    func flag(_ name: String) -> PaginationConvention.Flag? {
        named[name].map { PaginationConvention.Flag($0) }
    }

    var first: Int? { named["first"].flatMap { Int($0) } }
    var body: JSONLiteral? { named["body"].flatMap { try? JSONLiteral(parsing: Data($0.utf8)) } }
}

/// A rule, and the names that its text has.
private struct Rule: Sendable {
    let name: String
    /// The names after the colon: the placeholder and the default of each.
    var names: KeyValuePairs<String, String> = [:]
    /// The names that can follow these, each with its key.
    var named: [String] = []
    let convention: @Sendable (Names) -> PaginationConvention

    /// The rule as it is written, such as `next:PATH,size=NAME`.
    var form: String {
        let all = names.map(\.key) + named.map { "\($0)=\(Self.placeholders[$0] ?? "")" }
        return "\(name):\(all.joined(separator: ","))"
    }

    static let placeholders = [
        "first": "N", "more": "FLAG", "last": "FLAG", "size": "NAME", "body": "JSON",
    ]
    /// The prefix of the name of a header field in the place of a path.
    static let field = "header:"
    private static let flags = ["more", "last", "size"]

    static let all: [Rule] = [
        Rule(name: "link", named: ["size"]) { _ in .link },
        Rule(name: "next", names: ["PATH": "next"], named: ["size"]) {
            .next(at: MemberPath($0.positional[0]))
        },
        Rule(
            name: "token", names: ["PARAMETER": "pageToken", "PATH": "nextPageToken", "FLAG": ""],
            named: flags
        ) { names in
            let (parameter, path) = (names.positional[0], names.positional[1])
            let (more, last) = (names.flag("more"), names.flag("last"))
            guard path.hasPrefix(field)
            else { return .token(at: MemberPath(path), parameter: parameter, more: more, last: last) }
            let header = String(path.dropFirst(field.count))
            return .token(header: header, parameter: parameter, more: more, last: last)
        },
        Rule(name: "last", names: ["PARAMETER": "after", "PATH": "id", "FLAG": ""], named: flags) {
            .lastItem(
                MemberPath($0.positional[1]), parameter: $0.positional[0], more: $0.flag("more"),
                last: $0.flag("last"))
        },
        Rule(
            name: "page", names: ["PARAMETER": "page", "PATH": "total_pages"], named: ["first"] + flags
        ) {
            .number(
                parameter: $0.positional[0], count: $0.path(1), first: $0.first, more: $0.flag("more"),
                last: $0.flag("last"))
        },
        Rule(name: "offset", names: ["PARAMETER": "offset", "PATH": "total"], named: ["first"] + flags) {
            .offset(
                parameter: $0.positional[0], total: $0.path(1), first: $0.first, more: $0.flag("more"),
                last: $0.flag("last"))
        },
        Rule(name: "header", names: ["SENT-AS": "Range", "NAME": "Next-Range"], named: ["size"]) {
            .header($0.positional[1], sentAs: $0.positional[0])
        },
        Rule(name: "graphql", names: ["VARIABLE": "after"], named: ["size"]) {
            .graphQL(variable: $0.positional[0])
        },
        Rule(
            name: "scroll",
            names: ["PARAMETER": "scroll_id", "PATH": "_scroll_id", "URL": "/_search/scroll"],
            named: flags + ["body"]
        ) {
            .scroll(
                at: MemberPath($0.positional[1]), parameter: $0.positional[0], url: $0.positional[2],
                body: $0.body ?? ["scroll": "1m"], more: $0.flag("more"), last: $0.flag("last"))
        },
    ]
}

extension String {
    /// Returns the parts before and after the first `separator`.
    fileprivate func halves(at separator: Character) -> (String, String?) {
        guard let index = firstIndex(of: separator) else { return (self, nil) }
        return (String(self[..<index]), String(self[self.index(after: index)...]))
    }
}
