import Foundation
package import RESTClientHTTP

/// The pages of an API as a template, from which lists of any size are served.
///
/// `<total>`, `<next page>` and the like are replaced by the values of a page; `<items>` is the list. A text that is only
/// such a placeholder has the type of the value, `<total text>` is a string, and `<token%>` is percent-encoded.
/// `{"$if": "more", "then": …, "else": …}` depends on the page; without `else`, the member is missing.
package struct APITemplate: Decodable, Sendable, CustomStringConvertible {
    enum CodingKeys: String, CodingKey {
        case name = "api"
        case path = "list at"
        case parameter = "asked for by"
        case place = "in"
        case visible, request, send, status, headers, body, item
    }

    /// The part of a request that names a page.
    enum Place: String, Decodable {
        case query, body, header, path
    }

    package let name: String
    let path: String
    /// The style and the name of the parameter that requests a page, such as `page:p`, with pages numbered from 1.
    package let parameter: String
    private let place: Place?
    package let visible: String
    let request: String
    /// The JSON body of the request, which is a POST then.
    package let send: JSONLiteral?
    let status: JSONLiteral?
    let headers: JSONLiteral
    let body: JSONLiteral
    /// An item, with `<id>` and `<n>` for its id and number.
    private let item: JSONLiteral?

    package var description: String { name }

    var parameterPlace: Place { place ?? .query }

    /// The APIs of `RecordedAPI`.
    package static let recorded: [APITemplate] = Fixture.lines("paging-recorded")
    /// Other APIs, written from the documentation at the `source` in each line.
    package static let documented: [APITemplate] = Fixture.lines("paging-documented")
    /// All templates.
    package static let all = recorded + documented + imitations + signs
    /// All recorded templates, and every fortieth of the others. `make lists` lists all of them, in release mode.
    package static let some =
        recorded
        + (documented + imitations + signs).enumerated().filter { $0.offset % 40 == 0 }.map(\.element)
    /// Signs of a next page that the rules of evidence cover: other names, containers, and values of a token.
    package static let signs: [APITemplate] = Fixture.lines("paging-signs")
    /// Imitations of other APIs, most of them written from memory and simplified.
    package static let imitations: [APITemplate] = Fixture.lines("paging-imitations")

    /// The items that the recording has, or seven items with ids.
    func items() -> [JSONLiteral] {
        guard let recording else {
            let item = item ?? ["id": "<id>", "name": "item <n>"]
            return ids.enumerated().map { index, id in
                item.replacing("<id>", with: id).replacing("<n>", with: "\(index + 1)")
            }
        }
        var recorded: [JSONLiteral] = []
        for exchange in recording.exchanges where exchange.status < 300 {
            let page = exchange.body?.list(at: recording.listPath.names[...]) ?? []
            recorded += page.filter { !recorded.contains($0) }
        }
        // Some recordings lack a page. Its items are like the first one.
        guard let first = recorded.first, let firstID = ids.first else {
            return ids.map { ["id": .value($0)] }
        }
        var rest = recorded[...]
        return ids.map { id in
            rest.first?.contains(id) == true ? rest.removeFirst() : first.replacing(firstID, with: id)
        }
    }

    /// The ids of the items, in order.
    var ids: [String] { recording?.ids ?? (1...7).map { "i00\($0)" } }

    package var recording: RecordedAPI? { RecordedAPI.byName[name] }
}

/// The files in `Tests/RESTClientTests/Fixtures`, with one JSON value in each line.
package enum Fixture {
    package static func lines<Line: Decodable>(_ name: String, as type: Line.Type = Line.self) -> [Line] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../RESTClientTests/Fixtures/\(name).jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(Line.self, from: Data(line.utf8))
        }
    }
}
