import Foundation
import RESTClient

/// The value of `--pagination`: a rule, optionally followed by a colon and the server's names, as in
/// `token:after,cursor.after` or `page:p,pages,first=0`, or the name of a preset.
struct PaginationOption: Equatable, Sendable {
    /// A name at the end of the option that is written with its key, as in `last=isLast`.
    fileprivate enum Extra: String, CaseIterable, Sendable { case first, more, last, size, body }

    /// The names in an option.
    private struct Names: Equatable, Sendable {
        var positional: [String] = []
        var extras: [Extra: String] = [:]

        /// The name at a position, or `nil` for `-`.
        func optional(_ position: Int) -> MemberPath? {
            positional[position] == "-" ? nil : MemberPath(positional[position])
        }

        func path(_ extra: Extra) -> MemberPath? { extras[extra].map { MemberPath($0) } }

        /// The flag that is true while more items follow, which can also be at a position.
        func more(_ position: Int) -> MemberPath? {
            positional[position].isEmpty ? path(.more) : MemberPath(positional[position])
        }

        var first: Int? { extras[.first].flatMap { Int($0) } }
        var body: JSONLiteral? {
            extras[.body].flatMap { try? JSONDecoder().decode(JSONLiteral.self, from: Data($0.utf8)) }
        }
    }

    /// A rule, or a preset, which has no names.
    private struct Rule: Sendable {
        let name: String
        /// The names after the colon: the placeholder and the default of each.
        var names: KeyValuePairs<String, String> = [:]
        /// The names that can follow these.
        var extras: [Extra] = []
        /// Returns the convention for the names, or `nil` for `auto` and `none`.
        let convention: @Sendable (Names) -> PaginationConvention?
        /// The path of the list in the responses of the API.
        var list: MemberPath?

        /// The rule as it is written, such as `next:PATH,size=NAME`.
        var form: String {
            let names = names.map(\.key) + extras.map { "\($0)=\($0.placeholder)" }
            return names.isEmpty ? name : "\(name):\(names.joined(separator: ","))"
        }
    }

    private static let rules: [Rule] =
        [
            Rule(name: "auto") { _ in nil },
            Rule(name: "none") { _ in nil },
            Rule(name: "link", extras: [.size]) { _ in .link },
            Rule(name: "next", names: ["PATH": "next"], extras: [.size]) {
                .next(at: MemberPath($0.positional[0]))
            },
            Rule(
                name: "token", names: ["PARAMETER": "pageToken", "PATH": "nextPageToken", "FLAG": ""],
                extras: [.more, .last, .size]
            ) {
                .token(
                    at: MemberPath($0.positional[1]), parameter: $0.positional[0], more: $0.more(2),
                    last: $0.path(.last))
            },
            Rule(
                name: "last", names: ["PARAMETER": "after", "PATH": "id", "FLAG": ""],
                extras: [.more, .last, .size]
            ) {
                .lastItem(
                    MemberPath($0.positional[1]), parameter: $0.positional[0], more: $0.more(2),
                    last: $0.path(.last))
            },
            Rule(
                name: "page", names: ["PARAMETER": "page", "PATH": "total_pages"],
                extras: [.first, .more, .last, .size]
            ) {
                .number(
                    parameter: $0.positional[0], count: $0.optional(1), first: $0.first,
                    more: $0.path(.more), last: $0.path(.last))
            },
            Rule(
                name: "offset", names: ["PARAMETER": "offset", "PATH": "total"],
                extras: [.first, .more, .last, .size]
            ) {
                .offset(
                    parameter: $0.positional[0], total: $0.optional(1), first: $0.first,
                    more: $0.path(.more), last: $0.path(.last))
            },
            Rule(name: "header", names: ["SENT-AS": "Range", "NAME": "Next-Range"], extras: [.size]) {
                .header($0.positional[1], sentAs: $0.positional[0])
            },
            Rule(name: "graphql", names: ["VARIABLE": "after"], extras: [.size]) {
                .graphQL(variable: $0.positional[0])
            },
            Rule(
                name: "scroll",
                names: ["PARAMETER": "scroll_id", "PATH": "_scroll_id", "URL": "/_search/scroll"],
                extras: [.more, .last, .size, .body]
            ) {
                .scroll(
                    at: MemberPath($0.positional[1]), parameter: $0.positional[0], url: $0.positional[2],
                    body: $0.body ?? ["scroll": "1m"], more: $0.path(.more), last: $0.path(.last))
            },
        ]
        + PaginationConvention.presets.map { preset in
            Rule(name: preset.name, convention: { _ in preset.convention }, list: preset.list)
        }

    /// The names of all rules and presets.
    static let words = rules.map(\.name)
    static let auto = Self(rules[0], Names())
    static let none = Self(rules[1], Names())

    /// The name of the rule or preset.
    let rule: String
    /// The convention, or `nil` for `auto` and `none`.
    let convention: PaginationConvention?
    /// The path of the list for a preset whose API has it at the same place in all responses.
    let list: MemberPath?

    private init(_ rule: Rule, _ names: Names) {
        self.rule = rule.name
        list = rule.list
        let convention = rule.convention(names)
        self.convention = names.extras[.size].flatMap { convention?.pageSizeParameter($0) } ?? convention
    }

    /// The pagination of the library.
    var value: StandardPagination {
        convention.map { StandardPagination($0) } ?? (self == .none ? .none : .automatic)
    }

    /// - Throws: `CommandError` for an unknown rule or for names that the rule does not have.
    init(_ text: String) throws(CommandError) {
        let (name, list) = text.divided(at: ":")
        guard let rule = Self.rules.first(where: { $0.name == name.lowercased() }) else {
            let hint =
                name.nearest(in: Self.words).map { "did you mean --pagination \($0)?" }
                ?? "available rules and presets: \(Self.words.joined(separator: ", "))"
            throw .usage("unknown pagination \(TerminalEscaping.quoted(text, limit: 80))", hint: hint)
        }
        guard let names = Self.names(list, of: rule) else {
            throw .usage("invalid pagination; use --pagination \(rule.form)")
        }
        self.init(rule, names)
    }

    /// Returns the names in `list`, with the defaults of the rule, or `nil` if the rule does not have such names.
    private static func names(_ list: String?, of rule: Rule) -> Names? {
        var names = Names()
        var rest = list
        while let list = rest {
            // The JSON of a body can contain commas.
            let isBody = list.hasPrefix("\(Extra.body)=")
            let (item, after) = isBody ? (list, nil) : list.divided(at: ",")
            rest = after
            let (key, value) = item.divided(at: "=")
            if let value, let extra = Extra(rawValue: key) {
                guard rule.extras.contains(extra), !value.isEmpty else { return nil }
                guard names.extras.updateValue(value, forKey: extra) == nil else { return nil }
            } else {
                guard !item.isEmpty, names.extras.isEmpty, names.positional.count < rule.names.count,
                    // A placeholder of a hint that was not replaced.
                    item != rule.names[names.positional.count].key
                else { return nil }
                names.positional.append(item)
            }
        }
        names.positional += rule.names.dropFirst(names.positional.count).map(\.value)
        guard names.extras[.first] == nil || names.first.map({ $0 >= 0 }) == true else { return nil }
        guard names.extras[.body] == nil || names.body != nil else { return nil }
        let hasTwoFlags = rule.names.last?.key == "FLAG" && names.positional.last?.isEmpty == false
        return hasTwoFlags && names.extras[.more] != nil ? nil : names
    }

    /// Returns the value of the option for a convention, quoted for a shell, or `nil` if there is none.
    static func text(_ convention: PaginationConvention) -> String? {
        let (rule, names) = written(convention)
        let extras = Extra.allCases.compactMap { extra in names.extras[extra].map { "\(extra)=\($0)" } }
        let all = names.positional + extras
        let text = all.isEmpty ? rule : "\(rule):\(all.joined(separator: ","))"
        // A name with a comma, for example, cannot be written.
        guard let option = try? Self(text), option.convention == convention, !text.contains("'"),
            TerminalEscaping.escaped(text) == text
        else { return nil }
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.:,=".contains($0)) }
        return isPlain ? text : "'\(text)'"
    }

    private static func written(_ convention: PaginationConvention) -> (rule: String, names: Names) {
        var names = Names()
        names.extras[.size] = convention.pageSizeParameter
        names.extras[.more] = convention.more.map { "\($0)" }
        names.extras[.last] = convention.last.map { "\($0)" }
        switch convention.kind {
        case .link: return ("link", names)
        case .url(let path):
            names.positional = ["\(path)"]
            return ("next", names)
        case .number(let parameter, let count, let first):
            names.positional = [parameter, count.map { "\($0)" } ?? "-"]
            names.extras[.first] = first.map { "\($0)" }
            return ("page", names)
        case .offset(let parameter, let total, let first):
            names.positional = [parameter, total.map { "\($0)" } ?? "-"]
            names.extras[.first] = first.map { "\($0)" }
            return ("offset", names)
        case .token(let token): return (written(token, &names), names)
        }
    }

    /// Adds the names of a token, and returns the name of its rule.
    private static func written(_ token: PaginationConvention.Token, _ names: inout Names) -> String {
        let parameter = token.destination.name
        switch token.source {
        case .member(let path):
            names.positional = [parameter, "\(path)"]
            guard case .post(_, let url, let body) = token.destination else { return "token" }
            names.positional.append(url)
            names.extras[.body] = "\(body)"
            return "scroll"
        case .lastItem(let path):
            names.positional = [parameter, "\(path)"]
            return "last"
        case .header(let name):
            names.positional = [parameter, name]
            return "header"
        case .besideList:
            names.positional = [String(parameter.dropFirst("variables.".count))]
            names.extras[.more] = nil
            return "graphql"
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.rule == right.rule && left.convention == right.convention
    }

    /// A Boolean value that indicates whether `--from` can set the page number or the offset.
    var hasNumbers: Bool {
        switch convention?.kind {
        case .number, .offset: true
        case .link, .url, .token: false
        case nil: self == .auto
        }
    }
}

extension PaginationOption.Extra {
    fileprivate var placeholder: String {
        switch self {
        case .first: "N"
        case .more, .last: "FLAG"
        case .size: "NAME"
        case .body: "JSON"
        }
    }
}
