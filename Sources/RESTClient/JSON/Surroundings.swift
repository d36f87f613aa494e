import RESTClientHTTP

/// What stands around the list, for errors: the keys passed, the lists seen, the place at hand.
struct Surroundings {
    private static let maxKeys = 64
    private static let maxLists = 16

    let path: MemberPath
    /// The keys of the innermost object on the way to the list.
    private(set) var keys: [String] = []
    /// Lists that are not the one looked for.
    private(set) var lists: [MemberPath] = []
    /// The last key of that object, as it is written; empty when it is too long to be shown.
    private(set) var key: [UInt8] = []
    /// The same for an object that is a member of it.
    private var keyAside: [UInt8] = []
    /// The keys of that object so far.
    private(set) var countAside = 0

    init(path: MemberPath) { self.path = path }

    /// Goes into an object on the way.
    mutating func enterObject() { keys.removeAll(keepingCapacity: true) }

    /// Goes into an object beside the way.
    mutating func enterAside() { countAside = 0 }

    mutating func note(key: RawSpan?, isAside: Bool) {
        if isAside {
            countAside += 1
            Self.replace(&keyAside, by: key)
        } else {
            Self.replace(&self.key, by: key)
            if keys.count < Self.maxKeys { keys.append(Self.name(self.key)) }
        }
    }

    private static func replace(_ bytes: inout [UInt8], by key: RawSpan?) {
        bytes.removeAll(keepingCapacity: true)
        if let key { bytes.append(key) }
    }

    /// Notes that the value of the key at hand is a list.
    mutating func noteList(level: Int, isAside: Bool) {
        guard lists.count < Self.maxLists, !key.isEmpty, !isAside || !keyAside.isEmpty else { return }
        lists.append(place(level: level, isAside: isAside))
    }

    /// Notes that the document is a list.
    mutating func noteRootList() { lists.append(.root) }

    /// The path of the value of the key at hand.
    func place(level: Int, isAside: Bool) -> MemberPath {
        let place = MemberPath(names: Array(path.names.prefix(level - 1))).appending(Self.name(key))
        return isAside ? place.appending(Self.name(keyAside)) : place
    }

    private static func name(_ key: [UInt8]) -> String { ListScanner.string(key.span.bytes) ?? "…" }

    /// `place` as JSONPath writes it (RFC 9535).
    static func jsonPath(_ place: MemberPath, index: Int? = nil) -> String {
        var text = "$"
        for name in place.names { text += isPlain(name) ? ".\(name)" : "[\(JSONLiteral.quoted(name))]" }
        if let index { text += "[\(index)]" }
        return text
    }

    /// Whether a name may stand behind a dot.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !Byte.isDigit(first) else { return false }
        return name.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || Byte.isDigit($0) || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0
                || $0 >= 0x80
        }
    }
}
