import Foundation
package import MockTransport
import RESTClient

/// The exchanges of APIs, as their documentation describes them, in `Fixtures/paging-conventions.jsonl`.
package struct RecordedAPI: Decodable, Sendable, CustomStringConvertible {
    package struct Exchange: Decodable, Sendable {
        package let request: String
        package let status: Int
        package let headers: [String: String]
        package let body: JSONLiteral?
    }

    enum CodingKeys: String, CodingKey {
        case name = "api"
        case path = "list at"
        case ids, visible, exchanges
        case parameter = "asked for by"
    }

    package let name: String
    package let path: String
    package let ids: [String]
    package let visible: String
    package let parameter: String?
    package let exchanges: [Exchange]

    package var description: String { name }
    package var listPath: MemberPath { path == "." ? .root : MemberPath(path) }
    package var target: String { String(exchanges[0].request.drop { $0 != " " }.dropFirst()) }

    package static let all: [RecordedAPI] = Fixture.lines("paging-conventions")
    static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The reply to a request: the recorded page that the paging parameter names, an empty page after the last one.
    package func reply(to request: ReceivedRequest) -> Reply {
        let first = exchanges[0]
        guard let parameter, let colon = parameter.firstIndex(of: ":") else {
            guard let exchange = exchanges.first(where: { Self.path(of: $0) == request.url.path() }) else {
                return .status(404)
            }
            return Self.reply(exchange)
        }
        let name = String(parameter[parameter.index(after: colon)...])
        guard let value = request.query[name] else { return Self.reply(first) }
        if let exchange = exchanges.first(where: { Self.query(of: $0)[name] == value }) {
            return Self.reply(exchange)
        }
        let numbers = exchanges.compactMap { Self.query(of: $0)[name].flatMap { Int($0) } }
        if let number = Int(value), let last = numbers.max(), number <= last { return .status(404) }
        return Self.reply(exchanges[exchanges.count - 1], emptied: listPath.names)
    }

    private static func reply(_ exchange: Exchange, emptied path: [String]? = nil) -> Reply {
        var body = exchange.body ?? [:]
        if let path { body = body.emptyingList(at: path[...]) }
        guard let data = try? body.encoded() else { return .status(500) }
        let reply = Reply.data(data, as: .json, status: HTTPStatus(rawValue: exchange.status))
        return exchange.headers.reduce(reply) { reply, field in
            field.key == "Content-Type" ? reply : reply.header(HTTPHeaders.Name(field.key), field.value)
        }
    }

    private static func url(of exchange: Exchange) -> URL? {
        let target = exchange.request.drop { $0 != " " }.dropFirst()
        return URL(string: "https://api.example\(target)")
    }
    private static func path(of exchange: Exchange) -> String { url(of: exchange)?.path() ?? "" }
    private static func query(of exchange: Exchange) -> QueryItems {
        url(of: exchange).map { QueryItems(of: $0) } ?? [:]
    }
}

extension JSONLiteral {
    /// The same document with the list at `path` emptied.
    fileprivate func emptyingList(at path: ArraySlice<String>) -> JSONLiteral {
        guard let name = path.first else { return [] }
        guard case .object(let members) = node else { return self }
        return JSONLiteral(
            .object(members.map { $0.0 == name ? ($0.0, $0.1.emptyingList(at: path.dropFirst())) : $0 }))
    }
}

extension RecordedAPI {
    /// Returns the differences between the recorded pages and those that the template serves.
    package func differences(from template: APITemplate) async throws -> [String] {
        let list = TemplateList(template, count: ids.count)
        let server = list.server()
        let manager = SessionManager(configuration: server.configuration)
        var differences: [String] = []
        for (number, exchange) in exchanges.enumerated() {
            guard let url = Self.url(of: exchange) else { continue }
            let request = manager.request(
                url, method: list.body == nil ? .get : .post, body: list.body.map { .json($0) })
            let response = try await request.response()
            let body = try JSONLiteral(parsing: response.body)
            if response.status.rawValue != exchange.status { differences.append("\(number + 1): status") }
            if body.sortingQueries != exchange.body?.sortingQueries {
                differences.append("\(number + 1): \(body) instead of \(exchange.body ?? nil)")
            }
            for (name, value) in exchange.headers where name != "Content-Type" {
                let served = response.headers[HTTPHeaders.Name(name)]
                if served.map(Self.parts) != Self.parts(value) {
                    differences.append("\(number + 1): \(name) \(served ?? "") instead of \(value)")
                }
            }
        }
        return differences
    }

    /// The parts of a header field, in any order.
    private static func parts(_ value: String) -> [String] {
        value.split(separator: ", ").map { sortingQuery(of: String($0)) }.sorted()
    }

    /// Returns a text with the items of a query in alphabetical order.
    fileprivate static func sortingQuery(of text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        let end = text[mark...].firstIndex(of: ">") ?? text.endIndex
        let items = text[mark..<end].dropFirst().split(separator: "&").sorted().joined(separator: "&")
        return text[...mark] + items + text[end...]
    }
}

extension JSONLiteral {
    /// The same document with the items of all queries in alphabetical order.
    fileprivate var sortingQueries: JSONLiteral {
        switch node {
        case .string(let text): .value(RecordedAPI.sortingQuery(of: text))
        case .array(let elements): JSONLiteral(.array(elements.map(\.sortingQueries)))
        case .object(let members):
            JSONLiteral(.object(members.map { ($0.key, $0.value.sortingQueries) }))
        default: self
        }
    }
}
