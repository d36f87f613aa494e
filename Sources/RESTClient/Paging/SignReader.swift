import Foundation
import RESTClientHTTP

/// Reads the members around a list.
struct SignReader {
    /// The normalized name of the list.
    let list: String
    var signs: [PaginationSign] = []
    /// The members of the objects that contain the list, except the document itself.
    var inner: [PaginationSign] = []

    init(list: String) { self.list = list }

    /// The maximum number of objects beside the list that contain a member.
    private static let maxDepth = 3
    /// The maximum length of a string. Tokens and URLs of servers are shorter.
    private static let maxText = 64 << 10

    /// Reads the members of the object at `place`. `path` has the names that lead from it to the list, or is
    /// `nil` for an object beside the list; `depth` is the number of objects there that contain it.
    mutating func read(
        _ object: RawSpan, _ place: [String], _ path: ArraySlice<String>?, depth: Int = 0
    ) {
        // `[{"page": 1, "pages": 3}, ["tea"]]`
        let name = place.last.flatMap { $0.isElementIndex ? nil : $0 }
        let container = name.map(MemberPath.normalized) ?? ""
        // An object with another list, unless it is one of links, describes that one.
        let mayHaveOwnList =
            path == nil && name != nil && !PaginationNames.isContainer(container)
            && !PaginationNames.isNext(container)
        // An empty list beside `page` in `"meta": {"projects": {"page": 1, "include": []}}` is another one than that of projects.
        let isOfList = !list.isEmpty && container == list
        let count = signs.count
        var hasOwnList = false
        defer { if hasOwnList { signs.removeSubrange(count...) } }
        ListScanner.forEachMember(of: object) { key, value in
            guard let key = ListScanner.string(object.extracting(key)) else { return }
            let member = object.extracting(value)
            if let path, key == path.first {
                guard path.count > 1 else { return }
                var reader = SignReader(list: list)
                reader.read(member, place + [key], path.dropFirst())
                return inner = reader.inner + reader.signs
            }
            // `{"headers": {"X-WP-Total": 9}}`
            let isField = key.hasPrefix("X-") || key.hasPrefix("x-")
            // `{"next": {"page": 1, "active": false}}`
            let isInactive = PaginationNames.isNext(MemberPath.normalized(key)) && Self.isInactive(member)
            // `"pages": [1, 2, 3]`
            let lastPage = key == "pages" ? Self.lastElement(of: member) : nil
            let sign = PaginationSign(
                place, key, isInactive ? .empty : lastPage ?? Self.value(of: member),
                from: path == nil ? .inObject : .besideList,
                in: container, name: isField ? PaginationNames.header(PaginationNames.words(of: key)) : nil,
                list: list)
            signs.append(sign)
            if isInactive { return }
            let mayBeOwnList =
                mayHaveOwnList && !PaginationNames.listsBesideItems.contains(MemberPath.normalized(key))
            guard depth < Self.maxDepth else {
                if mayBeOwnList, member.byte(at: 0) == Byte.openBracket { hasOwnList = true }
                return
            }
            switch member.byte(at: 0) {
            case Byte.openBrace: read(member, place + [key], nil, depth: depth + 1)
            case Byte.openBracket:
                let isContainer =
                    sign.leadsToNext || PaginationNames.isContainer(sign.name)
                    || !list.isEmpty && sign.name.hasPrefix(list)
                let isOfLinks = sign.name.hasSuffix("links") || sign.name == "link"
                let found = signs.count
                addLinks(member, place + [key], onlyToNext: !isContainer && !isOfLinks)
                if mayBeOwnList, signs.count == found, sign.isList || !isOfList { hasOwnList = true }
                let isOfMessages = PaginationNames.messageLists.contains(sign.name)
                if isOfMessages { addMessages(member, sign) }
                // A list such as [{"startIndex": 4}]
                if isContainer && !isOfLinks || isOfMessages, let only = Self.onlyElement(in: member),
                    member.byte(at: only.lowerBound) == Byte.openBrace
                {
                    let start = signs.count
                    read(member.extracting(only), place + [key], nil, depth: depth + 1)
                    // A message without a number is only a text.
                    if isOfMessages, !signs[start...].contains(where: { $0.integer != nil }) {
                        signs.removeSubrange(start...)
                    }
                }
            default: break
            }
        }
    }

    /// Returns `true` for an object with `"active": false`.
    private static func isInactive(_ object: RawSpan) -> Bool {
        guard object.byte(at: 0) == Byte.openBrace,
            let active = ListScanner.value(at: [.member(Array("active".utf8))], in: object)
        else { return false }
        return object.byte(at: active.lowerBound) == UInt8(ascii: "f")
    }

    private static func value(of value: RawSpan) -> PaginationSign.Value {
        switch value.byte(at: 0) {
        case UInt8(ascii: "n"): return .empty
        case UInt8(ascii: "t"): return .flag(true)
        case UInt8(ascii: "f"): return .flag(false)
        case Byte.openBrace, Byte.openBracket:
            guard value.endOfWhitespace(from: 1) < value.byteCount - 1 else { return .empty }
            // `["3"]`
            let range = value.byteCount < 512 ? onlyElement(in: value) : nil
            if let range, ![Byte.openBrace, Byte.openBracket].contains(value.byte(at: range.lowerBound)) {
                let only = Self.value(of: value.extracting(range))
                if case .flag = only { return only }
                if only.integer != nil || only.isEncodedObject { return only }
            }
            return value.byte(at: 0) == Byte.openBracket ? .list : .other
        case Byte.quote:
            guard value.byteCount <= maxText, let text = ListScanner.string(value) else { return .other }
            return text.isEmpty ? .empty : .text(text)
        default:
            guard let number = Envelope.number(value) else { return .other }
            return Envelope.integer(number).map { .integer($0) } ?? .digits(number)
        }
    }

    /// Returns the range of the only element of a list, such as `["3"]`, or `nil` if it has another number of elements.
    private static func onlyElement(in list: RawSpan) -> Range<Int>? {
        guard list.byte(at: 0) == Byte.openBracket else { return nil }
        let start = list.endOfWhitespace(from: 1)
        var lengths: [Int] = []
        var scanner = ListScanner(at: .root)
        try? scanner.scan(list) { lengths.append($0.byteCount) }
        return lengths.count == 1 ? start..<start + lengths[0] : nil
    }

    /// Returns the last element of a list of several integers that follow one another.
    private static func lastElement(of list: RawSpan) -> PaginationSign.Value? {
        guard list.byte(at: 0) == Byte.openBracket else { return nil }
        var numbers: [Int] = []
        var scanner = ListScanner(at: .root)
        try? scanner.scan(list) {
            if let number = Envelope.number($0).flatMap(Envelope.integer) { numbers.append(number) }
        }
        let follow = zip(numbers, numbers.dropFirst()).allSatisfy { $1.subtractingClamped($0) == 1 }
        return numbers.count > 1 && follow ? numbers.last.map { .integer($0) } : nil
    }

    /// Adds URLs without a relation, which count if they lead to a later page of this list.
    private mutating func addURLs(of texts: some Collection<String>, _ place: [String]) {
        for text in texts where text.contains("?") {
            let (object, key) = (place.dropLast(), place.last ?? "")
            signs.append(PaginationSign(Array(object), key, .text(text), from: .inObject, name: ""))
        }
    }

    /// Adds the texts of a list such as `["The result was truncated."]` or `[{"code": "TRUNCATED", "text": "…"}]`.
    private mutating func addMessages(_ list: RawSpan, _ sign: PaginationSign) {
        guard let array = list.withUnsafeBytes({ try? JSONLiteral(parsing: Data($0)) }),
            case .array(let messages) = array.node
        else { return }
        for message in messages.prefix(20) {
            var texts = [message]
            if case .object(let members) = message.node { texts = members.map(\.value) }
            let text = texts.compactMap { if case .string(let text) = $0.node { text } else { nil } }
                .joined(separator: ". ")
            signs.append(
                PaginationSign(
                    sign.object.names, sign.key, .text(text), from: sign.source, in: sign.container))
        }
    }

    /// Adds the links of a list such as `[{"rel": "next", "href": "…"}]`.
    private mutating func addLinks(_ list: RawSpan, _ place: [String], onlyToNext: Bool = false) {
        let container = place.last.map(MemberPath.normalized) ?? ""
        func add(_ relation: String, _ target: String, from source: PaginationSign.Source) {
            signs.append(PaginationSign(place, relation, .text(target), from: source, in: container))
        }
        var scanner = ListScanner(at: .root)
        try? scanner.scan(list) { link in
            if link.byte(at: 0) == Byte.quote, let text = ListScanner.string(link) {
                // `["</v1/items?page=2>; rel=\"next\""]`
                let next =
                    text.contains("rel=") ? Link.links(in: text).first { $0.relations.contains("next") } : nil
                if let next {
                    add("next", next.target, from: .link(method: "GET", body: nil, isMerged: false))
                } else {
                    addURLs(of: [text], place)
                }
            }
            guard link.byte(at: 0) == Byte.openBrace else { return }
            var texts: [String: String] = [:]
            var body: JSONLiteral?
            var isMerged = false
            ListScanner.forEachMember(of: link) { key, value in
                guard let key = ListScanner.string(link.extracting(key)) else { return }
                let value = link.extracting(value)
                let name = MemberPath.normalized(key)
                // `["next"]`
                let text = Self.onlyElement(in: value) ?? 0..<value.byteCount
                texts[name] = ListScanner.string(value.extracting(text))
                if name == "body" { body = value.withUnsafeBytes { try? JSONLiteral(parsing: Data($0)) } }
                if name == "merge" { isMerged = value.byte(at: 0) == UInt8(ascii: "t") }
            }
            let relations = ["rel", "relation", "ref", "type", "name", "title", "label"].compactMap {
                texts[$0]
            }
            let next = relations.first { PaginationNames.isNext(MemberPath.normalized($0)) }
            guard let relation = next ?? relations.first,
                let target = ["href", "url", "uri", "target"].lazy.compactMap({ texts[$0] }).first,
                !onlyToNext || next != nil && ["GET", nil].contains(texts["method"])
            else {
                if !relations.contains(where: PaginationNames.leadsToOtherPage) {
                    addURLs(of: texts.values, place)
                }
                return
            }
            let method = texts["method"]?.uppercased() ?? "GET"
            let isGet = method == "GET"
            add(
                relation, target,
                from: .link(method: method, body: isGet ? nil : body, isMerged: isMerged && !isGet))
        }
    }
}
