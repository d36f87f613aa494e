import MockTransport
import RESTClient
import Testing

/// A convention of the catalogue: a preset, or a rule with its usual names.
struct NamedConvention: Sendable, CustomTestStringConvertible {
    let name: String
    let convention: PaginationConvention

    var testDescription: String { name }

    static let presets = PaginationConvention.presets.map { Self(name: $0.name, convention: $0.convention) }
    static let rules = [
        Self("link", .link), Self("next", .next()), Self("token", .token()),
        Self("token with a flag", .token(at: "page.cursor", parameter: "cursor", more: "page.has_more")),
        Self("token on every page", .token(at: "cursor", parameter: "cursor", last: "is_last")),
        Self("last item", .lastItem()), Self("header", .header("X-Next-Cursor", sentAs: "X-Cursor")),
        Self("GraphQL", .graphQL(variable: "cursor")), Self("scroll", .scroll()), Self("number", .number()),
        Self("number without a count", .number(count: nil)), Self("offset", .offset()),
        Self("offset without a total", .offset(total: nil)), Self("number from 0", .number(first: 0)),
        Self("number from 5", .number(count: nil, first: 5)),
        Self("number with a flag", .number(count: nil, more: "has_more")),
        Self("number with an end flag", .number(first: 0, last: "is_last")),
        Self("offset from 1", .offset(first: 1)),
        Self("offset with a flag", .offset(total: nil, first: 1, last: "is_last")),
        Self("last item with an end flag", .lastItem(last: "page.is_last")),
        Self("scroll with a flag", .scroll(more: "more")),
    ]

    private init(_ name: String, _ convention: PaginationConvention) {
        self.init(name: name, convention: convention)
    }

    private init(name: String, convention: PaginationConvention) {
        (self.name, self.convention) = (name, convention)
    }

    /// The path at which the API, or another of its kind, has the list.
    var path: MemberPath {
        switch name {
        case "GraphQL", "linear", "github-graphql", "shopify-graphql": "data.issues.nodes"
        case "link", "header", "github", "gitlab", "okta", "wordpress", "heroku", "discord", "last item":
            .root
        default: "items"
        }
    }

    /// The JSON body of the request, or `nil` for a GET request.
    var body: JSONLiteral? {
        switch name {
        case "GraphQL", "linear", "github-graphql", "shopify-graphql":
            ["query": "{ issues }", "variables": [:]]
        case "elasticsearch", "elasticsearch-scroll", "scroll", "scroll with a flag", "dropbox", "dynamodb",
            "intercom-search":
            ["q": "tea"]
        default: nil
        }
    }

    func list(_ count: Int, size: Int) -> PagedList {
        PagedList(count: count, size: size, by: convention, at: path)
    }

    private var hasFlag: Bool { convention.more != nil || convention.last != nil }

    /// The ends that the lists of the convention can have.
    var ends: [PagedList.End] {
        switch convention.kind {
        case .link: [.missing, .kept]
        case .url: [.missing, .null, .emptyString, .kept]
        case .number, .offset: [.null]
        case .token(let token):
            switch token.source {
            case .lastItem: [.null]
            case .header: [.missing, .emptyString, .kept]
            case .member, .besideList: [.missing, .null, .emptyString, .kept]
            }
        }
    }

    /// A Boolean value that indicates whether only an empty page ends a list that is not empty.
    func endsWithEmptyPage(_ end: PagedList.End) -> Bool {
        if hasFlag || convention.kind == .link { return false }
        switch convention.kind {
        case .number(_, let count, _), .offset(_, let count, _): return count == nil
        case .token(let token):
            if case .post = token.destination { return true }
            if case .lastItem = token.source { return true }
            return end == .kept
        case .link, .url: return end == .kept
        }
    }
}
