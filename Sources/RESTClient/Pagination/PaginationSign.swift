import Foundation
import RESTClientHTTP

/// A member near the list, or a header field, that can describe the pagination.
struct PaginationSign {
    enum Value {
        case text(String)
        case integer(Int)
        case flag(Bool)
        /// Null, or an empty string, list or object.
        case empty
        /// An object or list that is not empty, or a number that is not an integer.
        case other

        /// Returns `true` for a reference such as `0`, `-1` or `"null"`, with which servers end a list. An offset can be 0.
        func isNothing(isOffset: Bool) -> Bool {
            switch self {
            case .integer(let number): number <= 0 && !isOffset
            case .text(let text): ["0", "-1", "null", "nil", "none"].contains(text.lowercased())
            default: false
            }
        }
    }

    private static func isOffset(_ name: String) -> Bool { name == "offset" || name == "position" }

    /// The location of the value in the response.
    enum Source {
        /// A member of an object on the path to the list.
        case besideList
        /// A member of an object beside the list, such as `meta`.
        case inObject
        case header
        /// The target of a link whose relation is the last name of the path.
        case link(method: String, body: JSONLiteral?, isMerged: Bool)
    }

    /// The path of the member, or the name of the header field.
    let path: MemberPath
    /// The last name of the path, normalized.
    let name: String
    /// The name of the object that it is a member of, normalized; empty for the root and for header fields.
    let container: String
    let value: Value
    let source: Source
    /// A Boolean value that indicates whether a common word such as `count` is about the list at this place.
    let isNear: Bool
    /// A Boolean value that indicates whether the member leads to the next page. A name of several words, such as
    /// `nextPageToken`, means the same at every place.
    let leadsToNext: Bool

    init(
        _ path: MemberPath, _ value: Value, from source: Source, in container: String? = nil,
        key: String? = nil
    ) {
        self.path = path
        self.source = source
        let name = key ?? Self.normalized(path.names.last ?? "")
        self.name = name
        self.container = container ?? Self.normalized(path.names.dropLast().last ?? "")
        switch source {
        case .besideList, .header: isNear = true
        case .inObject, .link:
            isNear = self.container.isEmpty || PaginationNames.isContainer(self.container)
        }
        leadsToNext =
            PaginationNames.isNext(name) && (isNear || name != "next" && name != "older")
        let isReference = leadsToNext || PaginationNames.tokens.contains(name) && name != "end"
        self.value = isReference && value.isNothing(isOffset: Self.isOffset(name)) ? .empty : value
    }

    static func normalized(_ name: String) -> String { MemberPath.normalized(name) }
}

extension PaginationSign {
    var isHeader: Bool { if case .header = source { true } else { false } }
    var isBesideList: Bool { if case .besideList = source { true } else { false } }

    /// The last name of the path, as it is written.
    var key: String { path.names.last ?? "" }

    /// A Boolean value that indicates whether the name is that of a URL.
    var hasURLName: Bool { PaginationNames.urlEndings.contains(where: name.hasSuffix) }

    /// The text, if the value is a string that is not empty.
    var text: String? { if case .text(let text) = value { text } else { nil } }

    /// The integer value, also if it is written as a string.
    var integer: Int? {
        switch value {
        case .integer(let number): number
        case .text(let text) where text.utf8.count < 20: Int(text)
        default: nil
        }
    }

    /// The Boolean value, also if it is written as a number or a string.
    var flag: Bool? {
        switch value {
        case .flag(let flag): flag
        case .integer(1): true
        case .integer(0): false
        case .text(let text): Self.flags[text.lowercased()]
        default: nil
        }
    }

    var textOrNumber: String? { text ?? integer.map { "\($0)" } }

    /// The meaning of a flag such as `has_more` or `last`: `true` if there are more items.
    var saysMore: Bool? {
        guard isNear || PaginationNames.flagContainers.contains(container) else { return nil }
        if PaginationNames.moreFlags.contains(name), let flag { return flag }
        guard isNear else { return nil }
        // `last` and `end` may be numbers of items.
        guard PaginationNames.endFlags.contains(name) else { return nil }
        if case .integer = value { return nil }
        return flag.map { !$0 }
    }

    var isEmpty: Bool { if case .empty = value { true } else { false } }

    /// A Boolean value that indicates whether the value can only be a token: letters and digits without a meaning.
    var isCertainToken: Bool {
        guard let text, looksLikeToken, text.count >= 8 else { return false }
        return text.contains(where: \.isNumber) && text.contains(where: \.isLetter)
            && !text.contains(":") && name != "token"
    }

    /// A Boolean value that indicates whether the value is a URL, absolute or relative, and not a token.
    var isURL: Bool {
        guard let text, let first = text.first else { return false }
        if "/?#".contains(first) || text.contains("://") { return true }
        guard !text.contains(" ") else { return false }
        if text.hasPrefix("./") || text.hasPrefix("../") { return true }
        guard let mark = text.firstIndex(of: "?") else { return false }
        return text[mark...].contains("=")
    }

    /// A Boolean value that indicates whether the value may be an opaque token: not a word, a sentence, a date or a time zone.
    var looksLikeToken: Bool {
        guard let text, !text.isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        if text.hasPrefix("+") || text.hasPrefix("-"), text.contains(":") { return false }
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3, parts[0].count == 4, parts[1].count == 2, Int(parts[0]) != nil,
            Int(parts[1]) != nil
        {
            return false
        }
        return text.count >= 12 || !text.allSatisfy { $0.isLetter && $0.isLowercase }
    }

    private static let flags = [
        "true": true, "1": true, "yes": true, "false": false, "0": false, "no": false,
    ]
}

extension PaginationSign: CustomStringConvertible {
    /// The member or header field, for messages.
    var description: String { isHeader ? "the \(path) header field" : TerminalEscaping.quoted("\(path)") }
}

extension Envelope {
    /// Returns the members that can describe the pagination: those next to the list at `path`, and those in objects
    /// next to it.
    func paginationSigns(around path: MemberPath) -> [PaginationSign] {
        Self.members(of: text.span.bytes, [], path.names[...])
    }

    private static let maxDepth = 3
    /// The maximum length of a string. Tokens and URLs of servers are shorter.
    private static let maxText = 64 << 10

    /// Returns the members of the object at the path `place`. The members of the innermost object around the list are
    /// first.
    ///
    /// - Parameters:
    ///   - list: The names that lead from `object` to the list, or `nil` for an object beside it.
    ///   - depth: The number of objects beside the list that contain `object`.
    private static func members(
        of object: RawSpan, _ place: [String], _ list: ArraySlice<String>?, depth: Int = 0
    ) -> [PaginationSign] {
        var inner: [PaginationSign] = []
        var signs: [PaginationSign] = []
        let container = place.last.map(PaginationSign.normalized) ?? ""
        ListScanner.forEachMember(of: object) { key, value in
            guard let name = ListScanner.string(object.extracting(key)) else { return }
            let member = object.extracting(value)
            let path = place + [name]
            if let list, name == list.first {
                if list.count > 1 { inner = members(of: member, path, list.dropFirst()) }
                return
            }
            signs.append(
                PaginationSign(
                    MemberPath(names: path), sign(of: member), from: list == nil ? .inObject : .besideList,
                    in: container))
            guard depth < maxDepth else { return }
            if member.byte(at: 0) == Byte.openBrace {
                signs += members(of: member, path, nil, depth: depth + 1)
            }
            guard member.byte(at: 0) == Byte.openBracket else { return }
            let normalized = signs[signs.count - 1].name
            if normalized.hasSuffix("links") || normalized == "link" {
                addLinks(member, path, &signs)
            } else if PaginationNames.isNext(normalized) || PaginationNames.isContainer(normalized) {
                signs += signsOfOnlyObject(in: member) { members(of: $0, path, nil, depth: depth + 1) }
            }
        }
        return inner + signs
    }

    private static func sign(of value: RawSpan) -> PaginationSign.Value {
        switch value.byte(at: 0) {
        case UInt8(ascii: "n"): return .empty
        case UInt8(ascii: "t"): return .flag(true)
        case UInt8(ascii: "f"): return .flag(false)
        case Byte.openBrace, Byte.openBracket:
            return value.endOfWhitespace(from: 1) < value.byteCount - 1 ? .other : .empty
        case Byte.quote:
            guard value.byteCount <= maxText, let text = ListScanner.string(value) else { return .other }
            return text.isEmpty ? .empty : .text(text)
        default: return number(value).flatMap(integer).map { .integer($0) } ?? .other
        }
    }

    /// Calls `body` with the object in a list such as `[{"startIndex": 4}]`.
    private static func signsOfOnlyObject(
        in list: RawSpan, _ body: (RawSpan) -> [PaginationSign]
    ) -> [PaginationSign] {
        var scanner = ListScanner(at: .root)
        var count = 0
        var signs: [PaginationSign] = []
        try? scanner.scan(list) { element in
            count += 1
            if count == 1, element.byte(at: 0) == Byte.openBrace { signs = body(element) }
        }
        return count == 1 ? signs : []
    }

    private static func value(at name: String, in object: RawSpan) -> JSONLiteral? {
        ListScanner.value(at: [Array(name.utf8)], in: object).flatMap { range in
            object.extracting(range).withUnsafeBytes { try? JSONLiteral(parsing: Data($0)) }
        }
    }

    /// Adds the links of a list such as `[{"rel": "next", "href": "…"}]`.
    private static func addLinks(_ list: RawSpan, _ place: [String], _ signs: inout [PaginationSign]) {
        var scanner = ListScanner(at: .root)
        try? scanner.scan(list) { link in
            guard link.byte(at: 0) == Byte.openBrace else { return }
            var members: [String: String] = [:]
            ListScanner.forEachMember(of: link) { key, value in
                guard let name = ListScanner.string(link.extracting(key)),
                    let text = ListScanner.string(link.extracting(value))
                else { return }
                members[PaginationSign.normalized(name)] = text
            }
            guard let relation = members["rel"] ?? members["relation"] ?? members["ref"],
                let target = members["href"] ?? members["url"] ?? members["uri"]
            else { return }
            let method = members["method"]?.uppercased() ?? "GET"
            let body = method == "GET" ? nil : Self.value(at: "body", in: link)
            let isMerged = method != "GET" && Self.value(at: "merge", in: link) == true
            let source = PaginationSign.Source.link(method: method, body: body, isMerged: isMerged)
            signs.append(PaginationSign(MemberPath(names: place + [relation]), .text(target), from: source))
        }
    }
}

extension HTTPHeaders {
    /// Returns the header fields that can describe the pagination, except `Link`.
    func paginationSigns() -> [PaginationSign] {
        var signs: [PaginationSign] = []
        for (field, value) in self {
            let name = field.rawValue
            let words = PaginationNames.words(of: name)
            let key = words.joined()
            if key == "contentrange" {
                // items 0-24/230: the part after the slash counts the whole list (RFC 9110, section 14.4).
                if let slash = value.lastIndex(of: "/"), let total = Int(value[value.index(after: slash)...])
                {
                    signs.append(PaginationSign(["Content-Range", "total"], .integer(total), from: .header))
                }
            } else if key.hasSuffix("pagination"), value.first == "{" {
                let members = Envelope(text: Array(value.utf8)).paginationSigns(around: .root)
                signs += members.map {
                    PaginationSign(
                        MemberPath(names: [field.rawValue] + $0.path.names), $0.value, from: .header)
                }
            } else if let key = Self.paginationName(words) {
                let number = Int(value).map(PaginationSign.Value.integer)
                let value = value.isEmpty ? .empty : number ?? .text(value)
                signs.append(PaginationSign([name], value, from: .header, key: key))
            }
        }
        return signs
    }

    /// Returns the normalized name without a prefix such as `X-Pagination-`, or `nil` if the field is not about the list.
    private static func paginationName(_ words: [String]) -> String? {
        for start in words.indices {
            let key = words[start...].joined()
            guard
                PaginationNames.headers.contains(key) || PaginationNames.isNext(key)
                    || start > 0 && key == "after" || key == "continuation" && start > 0
            else { continue }
            return words[..<start].contains(where: PaginationNames.otherHeaders.contains) ? nil : key
        }
        return nil
    }
}
