import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import Testing

/// The pages of an API as a template, from which lists of any size are served.
///
/// `<total>`, `<next page>` and the like are replaced by the values of a page; `<items>` is the list. A text that is only
/// such a placeholder has the type of the value, `<total text>` is a string, and `<token%>` is percent-encoded.
/// `{"$if": "more", "then": …, "else": …}` depends on the page; without `else`, the member is missing.
struct PagedAPI: Decodable, Sendable, CustomTestStringConvertible {
    enum CodingKeys: String, CodingKey {
        case name = "api"
        case path = "list at"
        case parameter = "asked for by"
        case visible, request, headers, body
    }

    let name: String
    let path: String
    /// The style and the name of the query item that requests a page, such as `page:p`, with pages numbered from 1.
    let parameter: String
    let visible: String
    let request: String
    let headers: JSONLiteral
    let body: JSONLiteral

    var testDescription: String { name }

    /// The APIs of `RecordedAPI` whose pages follow a rule.
    static let recorded = load("paging-templates")
    /// The APIs that are not in the recordings, as they are documented.
    static let documented = load("paging-documented")

    private static func load(_ name: String) -> [PagedAPI] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/\(name).jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(PagedAPI.self, from: Data(line.utf8))
        }
    }

    /// The items that the recording has, or seven items with ids.
    func items() -> [JSONLiteral] {
        guard let recording = RecordedAPI.all.first(where: { $0.name == name }) else {
            return (1...7).map { ["id": .value("i00\($0)"), "name": .value("item \($0)")] }
        }
        var items: [JSONLiteral] = []
        for exchange in recording.exchanges {
            let page = exchange.body?.list(at: recording.listPath.names[...]) ?? []
            items += page.filter { !items.contains($0) }
        }
        return items
    }

    /// The ids of the items, in order.
    var ids: [String] {
        RecordedAPI.all.first { $0.name == name }?.ids ?? (1...7).map { "i00\($0)" }
    }
}

/// A list that is served in the convention of an API.
struct TemplateList: Sendable {
    enum Order: CaseIterable { case sorted, reversed, listFirst, listLast }

    let api: PagedAPI
    var size = 3
    private(set) var items: [JSONLiteral]
    /// A Boolean value that indicates whether the items are those of the API, with their ids.
    private(set) var hasOwnItems = true
    var ids: [String]
    /// Changes the names of all members.
    var rename: (@Sendable (String) -> String)?
    var order = Order.sorted

    init(_ api: PagedAPI, count: Int = 7, size: Int = 3) {
        self.api = api
        self.size = size
        items = Array(api.items().prefix(count))
        ids = Array(api.ids.prefix(count))
    }

    mutating func setItems(_ items: [JSONLiteral]) { (self.items, hasOwnItems) = (items, false) }

    var pageCount: Int { (items.count + size - 1) / size }

    /// The path of the list in the document.
    var path: MemberPath {
        let path = api.path == "." ? MemberPath.root : MemberPath(api.path)
        return rename.map { MemberPath(names: path.names.map($0)) } ?? path
    }

    /// The URL of the first page, with the page size of the list.
    var url: URL? {
        let target = api.request.drop { $0 != " " }.dropFirst()
        let parts = target.split(separator: "&", omittingEmptySubsequences: false).map { part in
            part.hasSuffix("=3") ? "\(part.dropLast())\(size)" : String(part)
        }
        return URL(string: "https://api.example\(parts.joined(separator: "&"))")
    }

    /// Returns the page that a request names.
    func reply(to request: ReceivedRequest) -> Reply {
        guard let offset = offset(in: QueryItems(of: request.url)) else { return .status(400) }
        let page = Page(self, from: offset)
        var body = page.fill(api.body) ?? [:]
        if let rename { body = body.renamingMembers(at: path.names[...], rename) }
        body = body.ordered(order, path.names[...])
        guard let data = try? body.encoded() else { return .status(500) }
        return page.headers.reduce(.data(data, as: .json)) { $0.header(HTTPHeaders.Name($1.key), $1.value) }
    }

    /// The offset that a request names, 0 without one.
    private func offset(in query: QueryItems) -> Int? {
        let parts = api.parameter.split(separator: ":", maxSplits: 1).map(String.init)
        let value = query.first { item in
            item.name == parts[1] || rename != nil && Self.isSame(item.name, parts[1])
        }?.value
        guard let value else { return 0 }
        let number = Int(value)
        switch parts[0] {
        case "page": return number.flatMap { $0 > 0 ? ($0 - 1) * size : nil }
        case "page0": return number.map { $0 * size }
        case "offset1": return number.map { $0 - 1 }
        case "after": return ids.firstIndex { value.hasSuffix($0) }.map { $0 + 1 } ?? (ids.isEmpty ? 0 : nil)
        case "cursor":
            if value == "*" { return 0 }
            return Data(base64Encoded: value).flatMap {
                Int(String(decoding: $0, as: UTF8.self).dropFirst("offset:".count))
            }
        default: return number
        }
    }

    private static func isSame(_ name: String, _ other: String) -> Bool {
        name.lowercased().filter(\.isLetter) == other.lowercased().filter(\.isLetter)
    }
}

/// One page of a `TemplateList`, with the values for the placeholders.
private struct Page {
    let list: TemplateList
    let offset: Int
    private var items: ArraySlice<JSONLiteral> {
        list.items[min(offset, list.items.count)..<min(offset + list.size, list.items.count)]
    }

    init(_ list: TemplateList, from offset: Int) {
        self.list = list
        self.offset = max(0, offset)
    }

    private func value(_ name: String) -> JSONLiteral? {
        let (total, size, end) = (list.items.count, list.size, min(list.items.count, offset + items.count))
        let (page, pages) = (offset / size, list.pageCount)
        switch name {
        case "total": return .value(total)
        case "size": return .value(size)
        case "count": return .value(items.count)
        case "offset": return .value(offset)
        case "offset1": return .value(offset + 1)
        case "last offset": return .value(max(0, pages - 1) * size)
        case "page": return .value(page + 1)
        case "page0": return .value(page)
        case "pages": return .value(pages)
        case "pages0": return .value(max(0, pages - 1))
        case "end": return .value(offset + items.count)
        case "end0": return .value(offset + items.count - 1)
        case "next offset": return .value(offset + size)
        case "next offset1": return .value(offset + size + 1)
        case "previous offset": return .value(max(0, offset - size))
        case "next page": return .value(page + 2)
        case "next page0": return .value(page + 1)
        case "previous page0": return .value(page - 1)
        case "remaining": return .value(total - end)
        case "more": return .value(end < total)
        case "last": return .value(end >= total)
        case "earlier": return .value(offset > 0)
        case "first": return .value(offset == 0)
        case "id": return .value(items.isEmpty ? "" : list.ids[end - 1])
        case "first id": return .value(items.isEmpty ? "" : list.ids[offset])
        case "token": return Self.token(offset)
        case "next token": return Self.token(offset + size)
        case "end token": return Self.token(offset + items.count)
        case "previous token": return Self.token(max(0, offset - size))
        case "first token": return Self.token(0)
        case "last token": return Self.token(max(0, pages - 1) * size)
        case "items": return JSONLiteral(.array(Array(items)))
        default: return nil
        }
    }

    private static func token(_ offset: Int) -> JSONLiteral {
        .value(Data("offset:\(offset)".utf8).base64EncodedString())
    }

    /// Returns the template with its placeholders replaced, or `nil` if the member is missing on this page.
    func fill(_ template: JSONLiteral) -> JSONLiteral? {
        switch template.node {
        case .string(let text): return fill(text)
        case .array(let elements): return JSONLiteral(.array(elements.compactMap { fill($0) }))
        case .object(let members):
            if case .string(let condition)? = template.member("$if")?.node {
                let holds = value(condition) == true
                return template.member(holds ? "then" : "else").flatMap { fill($0) }
            }
            return JSONLiteral(
                .object(members.compactMap { key, value in fill(value).map { (key, $0) } }))
        default: return template
        }
    }

    private func fill(_ text: String) -> JSONLiteral {
        if text.hasPrefix("<"), text.hasSuffix(">"), let value = value(String(text.dropFirst().dropLast())) {
            return value
        }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            result += rest[..<start]
            rest = rest[start...]
            var name = String(rest[rest.index(after: start)..<end])
            let isEncoded = name.hasSuffix("%")
            if isEncoded { name.removeLast() }
            if name.hasSuffix(" text") { name.removeLast(5) }
            if let value = value(name) {
                result += isEncoded ? Self.percentEncoded(value.plainText) : value.plainText
                rest = rest[rest.index(after: end)...]
            } else {
                result += "<"
                rest = rest.dropFirst()
            }
        }
        return .value(result + rest)
    }

    private static func percentEncoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    /// The header fields. The links of a `Link` field are joined.
    var headers: [(key: String, value: String)] {
        guard case .object(let fields)? = fill(list.api.headers)?.node else { return [] }
        return fields.compactMap { name, value in
            guard case .object(let links) = value.node else { return (name, value.plainText) }
            return links.isEmpty ? nil : (name, links.map { $0.value.plainText }.joined(separator: ", "))
        }
    }
}

extension JSONLiteral {
    fileprivate var plainText: String { if case .string(let text) = node { text } else { description } }

    fileprivate func member(_ name: String) -> JSONLiteral? {
        guard case .object(let members) = node else { return nil }
        return members.first { $0.key == name }?.value
    }

    fileprivate func list(at path: ArraySlice<String>) -> [JSONLiteral] {
        guard let name = path.first else {
            if case .array(let items) = node { return items } else { return [] }
        }
        return member(name)?.list(at: path.dropFirst()) ?? []
    }

    /// The same document with other names of its members, except those of the items of the list at `path`.
    fileprivate func renamingMembers(
        at path: ArraySlice<String>?, _ rename: (String) -> String
    ) -> JSONLiteral {
        if let path, path.isEmpty { return self }
        switch node {
        case .array(let elements):
            return JSONLiteral(.array(elements.map { $0.renamingMembers(at: nil, rename) }))
        case .object(let members):
            return JSONLiteral(
                .object(
                    members.map { key, value in
                        let name = rename(key)
                        let rest = name == path?.first ? path?.dropFirst() : nil
                        return (name, value.renamingMembers(at: rest, rename))
                    }))
        default: return self
        }
    }

    /// The same document with the members of all objects around the list at `path` in another order.
    fileprivate func ordered(_ order: TemplateList.Order, _ path: ArraySlice<String>) -> JSONLiteral {
        guard let name = path.first, case .object(var members) = node else { return self }
        members = members.map { $0.key == name ? ($0.key, $0.value.ordered(order, path.dropFirst())) : $0 }
        let list = members.filter { $0.key == name }
        let others = members.filter { $0.key != name }
        switch order {
        case .sorted: break
        case .reversed: members.reverse()
        case .listFirst: members = list + others
        case .listLast: members = others + list
        }
        return JSONLiteral(.object(members))
    }
}
