extension PaginationConvention: CustomStringConvertible {
    /// The convention as Swift code, such as `.token(at: "next_cursor", parameter: "cursor")`.
    public var description: String {
        let arguments = arguments.compactMap(\.self).joined(separator: ", ")
        let rule = arguments.isEmpty ? ".\(name)" : ".\(name)(\(arguments))"
        let size = pageSizeParameter.map { ".pageSizeParameter(\(JSONLiteral.quoted($0)))" }
        return rule + (size ?? "")
    }

    /// The name of the function or property that creates the convention.
    private var name: String {
        switch kind {
        case .link: return "link"
        case .url: return "next"
        case .number: return "number"
        case .offset: return "offset"
        case .token(let token):
            if case .post = token.destination { return "scroll" }
            return switch token.source {
            case .member: "token"
            case .besideList: "graphQL"
            case .lastItem: "lastItem"
            case .header: "header"
            }
        }
    }

    private var arguments: [String?] {
        let flags = [more.map { "more: \(Self.quoted($0))" }, last.map { "last: \(Self.quoted($0))" }]
        switch kind {
        case .link: return []
        case .url(let path): return ["at: \(Self.quoted(path))"]
        case .number(let name, let count, let first):
            return Self.numbers(name, "count", count, first) + flags
        case .offset(let name, let total, let first):
            return Self.numbers(name, "total", total, first) + flags
        case .token(let token):
            let name = token.destination.name
            let parameter = "parameter: \(JSONLiteral.quoted(name))"
            switch token.source {
            case .member(let path):
                guard case .post(_, let url, let body) = token.destination else {
                    return ["at: \(Self.quoted(path))", parameter] + flags
                }
                let other = ["url: \(JSONLiteral.quoted(url))", "body: \(body.swiftCode)"]
                return ["at: \(Self.quoted(path))", parameter] + other + flags
            case .lastItem(let path): return [Self.quoted(path), parameter] + flags
            case .header(let field):
                return [JSONLiteral.quoted(field), "sentAs: \(JSONLiteral.quoted(name))"]
            case .besideList:
                return ["variable: \(JSONLiteral.quoted(String(name.dropFirst("variables.".count))))"]
            }
        }
    }

    private static func numbers(
        _ parameter: String, _ label: String, _ count: MemberPath?, _ first: Int?
    ) -> [String?] {
        [
            "parameter: \(JSONLiteral.quoted(parameter))", "\(label): \(count.map(quoted) ?? "nil")",
            first.map { "first: \($0)" },
        ]
    }

    /// Returns a string literal for the path, or an array literal if no string has this path.
    private static func quoted(_ path: MemberPath) -> String {
        let text = "\(path)"
        guard MemberPath(text) != path else { return JSONLiteral.quoted(text) }
        return "[\(path.names.map(JSONLiteral.quoted).joined(separator: ", "))]"
    }
}

extension JSONLiteral {
    /// The value as a Swift literal: its JSON, with brackets for braces.
    fileprivate var swiftCode: String {
        switch node {
        case .object(let members):
            let code = members.map { "\(Self.quoted($0.key)): \($0.value.swiftCode)" }
            return "[\(code.isEmpty ? ":" : code.joined(separator: ", "))]"
        case .array(let elements): return "[\(elements.map(\.swiftCode).joined(separator: ", "))]"
        case .null: return "nil"
        default: return description
        }
    }
}
