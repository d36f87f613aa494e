extension PaginationConvention: CustomStringConvertible {
    /// The convention as Swift code, such as `.token(at: "next_cursor", parameter: "cursor")`.
    public var description: String {
        switch kind {
        case .link: ".link"
        case .url(let path): ".next(at: \(Self.quoted(path)))"
        case .number(let name, let count):
            ".number(parameter: \(JSONLiteral.quoted(name)), count: \(count.map(Self.quoted) ?? "nil"))"
        case .offset(let name, let total):
            ".offset(parameter: \(JSONLiteral.quoted(name)), total: \(total.map(Self.quoted) ?? "nil"))"
        case .token(let token):
            switch (token.source, token.destination) {
            case (.member(let path), .post(let member, let url, let body)):
                ".scroll(at: \(Self.quoted(path)), parameter: \(JSONLiteral.quoted(member)), "
                    + "url: \(JSONLiteral.quoted(url)), body: \(body)\(Self.more(token)))"
            case (.member(let path), let destination):
                ".token(at: \(Self.quoted(path)), parameter: \(JSONLiteral.quoted(destination.name))\(Self.more(token)))"
            case (.lastItem(let path), let destination):
                ".lastItem(\(Self.quoted(path)), parameter: \(JSONLiteral.quoted(destination.name))\(Self.more(token)))"
            case (.header(let name), let destination):
                ".header(\(JSONLiteral.quoted(name)), sentAs: \(JSONLiteral.quoted(destination.name)))"
            case (.besideList, let destination):
                ".graphQL(variable: \(JSONLiteral.quoted(String(destination.name.dropFirst("variables.".count)))))"
            }
        }
    }

    private static func quoted(_ path: MemberPath) -> String { JSONLiteral.quoted("\(path)") }

    private static func more(_ token: Token) -> String {
        token.more.map { ", more: \(quoted($0.path))" } ?? ""
    }
}
