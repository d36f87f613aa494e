import Foundation
import RESTClientHTTP

/// One page of a `TemplateList`, with the values for the placeholders.
struct TemplatePage {
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
        case "any": return .value(!items.isEmpty)
        case "next date": return .value(Self.date(offset + size))
        case "next digits": return .value(Self.firstDigits + offset + size)
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

    /// The first of the numbers that a list by digits has instead of offsets.
    static let firstDigits = 1_682_270_400_000

    /// The time that a list by date has instead of an offset.
    static func date(_ offset: Int) -> String { "2026-01-\(10 + offset)T10:00:00.000Z" }

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
            return JSONLiteral(.object(members.compactMap { key, value in fill(value).map { (key, $0) } }))
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
    var plainText: String { if case .string(let text) = node { text } else { description } }

    func member(_ name: String) -> JSONLiteral? {
        guard case .object(let members) = node else { return nil }
        return members.first { $0.key == name }?.value
    }

    /// The value at `path`, whose names are compared with `isSame`.
    func member(at path: ArraySlice<String>, _ isSame: (String, String) -> Bool) -> JSONLiteral? {
        guard let name = path.first else { return self }
        guard case .object(let members) = node else { return nil }
        return members.first { isSame($0.key, name) }?.value.member(at: path.dropFirst(), isSame)
    }

    /// Returns `true` if the value, or a member of it, is `text`.
    func contains(_ text: String) -> Bool {
        switch node {
        case .array(let elements): elements.contains { $0.contains(text) }
        case .object(let members): members.contains { $0.value.contains(text) }
        default: plainText == text
        }
    }

    /// The same value with a text or a number replaced.
    func replacing(_ old: String, with new: String) -> JSONLiteral {
        switch node {
        case .array(let elements): JSONLiteral(.array(elements.map { $0.replacing(old, with: new) }))
        case .object(let members):
            JSONLiteral(.object(members.map { ($0.key, $0.value.replacing(old, with: new)) }))
        case .string(old): old == "<n>" ? .value(Int(new)) : .value(new)
        case .string(let text) where old.hasPrefix("<"): .value(text.replacing(old, with: new))
        case .integer: plainText == old ? Int(new).map { .value($0) } ?? self : self
        default: self
        }
    }

    func list(at path: ArraySlice<String>) -> [JSONLiteral] {
        guard let name = path.first else {
            if case .array(let items) = node { return items } else { return [] }
        }
        return member(name)?.list(at: path.dropFirst()) ?? []
    }

    /// The same document with other names of its members, except those of the items of the list at `path`.
    func renamingMembers(at path: ArraySlice<String>?, _ rename: (String) -> String) -> JSONLiteral {
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
    func ordered(_ order: TemplateList.Order, _ path: ArraySlice<String>) -> JSONLiteral {
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
