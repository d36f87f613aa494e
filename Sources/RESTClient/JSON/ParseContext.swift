import RESTClientHTTP

/// The keys and lists around the current position, for error messages.
struct ParseContext {
    private static let maxKeys = 64
    private static let maxLists = 16

    let path: MemberPath
    /// The keys of the innermost object on the path.
    private(set) var keys: [String] = []
    /// The paths of other lists, each with a Boolean value that indicates whether it begins with an object.
    private var found: [(path: MemberPath, hasObjects: Bool)] = []
    /// `true` until the first element of the last list is known.
    private var expectsFirstElement = false
    /// The last key of that object, as it is written. Empty if it is too long to be shown.
    private(set) var key: [UInt8] = []
    /// The last key of an object that is a member of that object.
    private var siblingKey: [UInt8] = []
    /// The number of keys of that object so far.
    private(set) var siblingKeyCount = 0

    init(path: MemberPath) { self.path = path }

    /// Enters an object on the path.
    mutating func enterObject() { keys.removeAll(keepingCapacity: true) }

    /// Enters an object next to the path.
    mutating func enterSibling() { siblingKeyCount = 0 }

    mutating func add(key: RawSpan?, isInSibling: Bool) {
        if isInSibling {
            siblingKeyCount += 1
            Self.replace(&siblingKey, by: key)
        } else {
            Self.replace(&self.key, by: key)
            if keys.count < Self.maxKeys { keys.append(Self.name(self.key)) }
        }
    }

    private static func replace(_ bytes: inout [UInt8], by key: RawSpan?) {
        bytes.removeAll(keepingCapacity: true)
        if let key { bytes.append(key) }
    }

    /// Adds the path of the current value, which is a list.
    mutating func addList(level: Int, isInSibling: Bool) {
        guard found.count < Self.maxLists, !key.isEmpty, !isInSibling || !siblingKey.isEmpty else { return }
        found.append((path(level: level, isInSibling: isInSibling), false))
        expectsFirstElement = true
    }

    /// Records the first element of the last list, or its end.
    mutating func examineFirstElement(isObject: Bool) {
        guard expectsFirstElement else { return }
        expectsFirstElement = false
        found[found.count - 1].hasObjects = isObject
    }

    /// Adds the path of the document, which is a list.
    mutating func addRootList() { found.append((.root, false)) }

    /// The paths of other lists, those of objects first: these are more likely to be the items than lists of strings, such
    /// as `schemas` of SCIM (RFC 7644). A list that describes the response, such as `link` of FHIR or the `columns` of a table, is
    /// last.
    var lists: [MemberPath] {
        let lists = (found.filter(\.hasObjects) + found.filter { !$0.hasObjects }).map(\.path)
        return lists.filter { !Self.describesResponse($0) } + lists.filter(Self.describesResponse)
    }

    /// Returns `true` for a list that describes the response, or what can be requested, instead of being the items, by its name
    /// or that of an object around it.
    static func describesResponse(_ path: MemberPath) -> Bool {
        let names = path.names.map(MemberPath.normalized)
        guard let name = names.last else { return false }
        return descriptions.contains(name) || name.hasPrefix("facet") || name.hasPrefix("sorted")
            || names.dropLast().contains { containers.contains($0) || $0.hasSuffix("metadata") }
    }

    private static let containers: Set = ["pagination", "paging", "pageinfo", "links", "manifest", "schema"]

    private static let descriptions: Set = [
        "link", "links", "columns", "field", "fields", "meta", "metadata", "schemas", "vars", "headers",
        "warnings", "message", "messages", "aggregations", "filters", "sort", "suggestions",
    ]

    /// The path of the current value.
    func path(level: Int, isInSibling: Bool) -> MemberPath {
        let member = MemberPath(names: Array(path.names.prefix(level - 1))).appending(Self.name(key))
        return isInSibling ? member.appending(Self.name(siblingKey)) : member
    }

    private static func name(_ key: [UInt8]) -> String {
        ListScanner.string(ArraySlice(key).span.bytes) ?? "…"
    }

    /// Returns `path` in JSONPath syntax (RFC 9535).
    static func jsonPath(_ path: MemberPath, index: Int? = nil) -> String {
        var text = "$"
        for name in path.names {
            text += isPlain(name) ? ".\(name)" : name.isElementIndex ? name : "[\(JSONLiteral.quoted(name))]"
        }
        if let index { text += "[\(index)]" }
        return text
    }

    /// Returns `true` if the name can follow a dot.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !Byte.isDigit(first) else { return false }
        return name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isASCIIAlphanumeric || $0 >= 0x80 }
    }
}
