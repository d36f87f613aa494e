import Foundation
import RESTClientHTTP

/// An index of the values in valid JSON text, with one node for each value and one for each key.
///
/// It is created in one pass and immutable afterwards, so that a `Decoder` can be stored.
final class JSONTape: Sendable {
    /// A value or a key.
    struct Node {
        fileprivate var startOfText: UInt32
        fileprivate var endOfText: UInt32
        /// For a key, its fingerprint or the range of its converted text. For a value, the index of the node after it,
        /// its kind, and the number of its children.
        fileprivate var content: UInt64

        /// The range of the value; for strings and keys, without the quotes.
        var text: Range<Int> { Int(startOfText)..<Int(endOfText) }
        var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: content) & 0x0F) ?? .null }
        /// `true` for an object with a key that contains an escape or a non-ASCII character. Such keys are compared as
        /// strings.
        var hasEscapedKeys: Bool { content & 0x10 != 0 }
        var count: Int { Int(content >> 5 & 0x7FF_FFFF) }
        /// The index of the node after this value and its children.
        var next: Int { Int(content >> 32) }
        fileprivate var fingerprint: UInt64 { content }
        /// The range of the key converted from snake case.
        fileprivate var convertedText: Range<Int> {
            let start = Int(content >> 32)
            return start..<start + Int(content & 0xFFFF_FFFF)
        }

        fileprivate init(_ text: Range<Int>, content: UInt64) {
            startOfText = UInt32(truncatingIfNeeded: text.lowerBound)
            endOfText = UInt32(truncatingIfNeeded: text.upperBound)
            self.content = content
        }

        fileprivate init(
            _ kind: Kind, _ text: Range<Int>, next: Int, count: Int = 0, hasEscapedKeys: Bool = false
        ) {
            self.init(
                text,
                content: UInt64(next) << 32 | UInt64(count) << 5 | (hasEscapedKeys ? 0x10 : 0)
                    | UInt64(kind.rawValue))
        }
    }

    enum Kind: UInt8 {
        case null, `true`, `false`, number, text, escapedText, list, object

        /// The name in error messages of `JSONDecoder`.
        var name: String {
            switch self {
            case .null: "null"
            case .true, .false: "bool"
            case .number: "number"
            case .text, .escapedText: "string"
            case .list: "array"
            case .object: "dictionary"
            }
        }
    }

    /// The limits of size and depth, for the bits of a node and the stack of recursive types. `JSONDecoder` decodes
    /// larger values.
    private static let maxBytes = 1 << 27
    private static let maxDepth = 256

    /// The values, followed by converted keys.
    let text: [UInt8]
    let nodes: [Node]
    let strategies: DecodingStrategies
    /// A Boolean value that indicates whether keys can differ from those of the text.
    let convertsKeys: Bool
    /// The places of the nodes, created when the first path is needed.
    private let places = LockedState<[Place]?>(nil)

    /// Creates a tape of the values at `ranges` of `text`. Returns `nil` if they exceed the limits.
    init?(
        of text: [UInt8], _ ranges: some Collection<Range<Int>>, _ strategies: DecodingStrategies = .standard
    ) {
        guard text.count <= Self.maxBytes else { return nil }
        var writer = Writer()
        if case .fromSnakeCase = strategies.keys {
            writer.convertedKeys = ConvertedKeys(strategies, after: text.count)
        }
        // About the number for objects with short members.
        writer.nodes.reserveCapacity(max(ranges.count, min(text.count / 8, 1 << 16)))
        for range in ranges where !writer.add(ArraySlice(text).span.bytes, range) { return nil }
        self.text = writer.convertedKeys.map { text + $0.text } ?? text
        self.strategies = strategies
        convertsKeys = strategies.convertsKeys
        nodes = writer.nodes
    }

    /// Returns the index of the value of the first member with this key, in the JSON text or converted from snake case,
    /// in the object at `index`.
    func member(_ key: String, of index: Int) -> Int? {
        let object = nodes[index]
        var name = key
        let place: Int?? = name.withUTF8 { key in
            let key = UnsafeRawBufferPointer(key).bytes
            guard key.isASCII else { return nil }
            return text.withUnsafeBytes {
                convertsKeys
                    ? valueIndex(ofConverted: key, in: object, from: index + 1, $0.bytes)
                    : valueIndex(of: key, in: object, from: index + 1, $0.bytes)
            }
        }
        // A non-ASCII key can be equal to a key with different bytes.
        return place ?? members(of: index).first { strategies.key($0.key, at: { [] }) == key }?.value
    }

    private func valueIndex(
        ofConverted key: RawSpan, in object: Node, from first: Int, _ bytes: RawSpan
    ) -> Int? {
        var index = first
        while index < object.next {
            let text = nodes[index].convertedText
            if text.count == key.byteCount, bytes.extracting(text).equals(key) { return index + 1 }
            index = nodes[index + 1].next
        }
        return nil
    }

    private func valueIndex(of key: RawSpan, in object: Node, from first: Int, _ bytes: RawSpan) -> Int? {
        let fingerprint = Self.fingerprint(key, 0..<key.byteCount)
        var index = first
        while index < object.next {
            let node = nodes[index]
            if node.fingerprint == fingerprint, node.text.count == key.byteCount,
                key.byteCount <= 8 || bytes.extracting(node.text).equals(key)
            {
                return index + 1
            }
            index = nodes[index + 1].next
        }
        return nil
    }

    /// Returns the keys of the object at `index`, in order, with the indices of their values.
    func members(of index: Int) -> [(key: String, value: Int)] {
        let object = nodes[index]
        var members: [(String, Int)] = []
        members.reserveCapacity(object.count)
        var index = index + 1
        while index < object.next {
            let range = nodes[index].text
            members.append((string(range, isEscaped: object.hasEscapedKeys), index + 1))
            index = nodes[index + 1].next
        }
        return members
    }

    /// The container of a value, and its position among the elements or members.
    private struct Place {
        var container: Int32 = -1
        var position: Int32 = 0
        /// The number of children so far.
        var children: Int32 = 0
    }

    /// Returns the containers around the value at `index`, the outermost first, each with the position and the index of its
    /// value on the path. The cost depends on the depth only.
    func path(to index: Int) -> [(container: Int, position: Int, value: Int)] {
        let places = places.withLock { known in
            let places = known ?? Self.places(of: nodes)
            known = places
            return places
        }
        var path: [(container: Int, position: Int, value: Int)] = []
        var value = index
        while places[value].container >= 0 {
            let container = Int(places[value].container)
            path.append((container, Int(places[value].position), value))
            value = container
        }
        return path.reversed()
    }

    private static func places(of nodes: [Node]) -> [Place] {
        var places = [Place](repeating: Place(), count: nodes.count)
        var open: [Int] = []
        var index = 0
        while index < nodes.count {
            while let container = open.last, nodes[container].next <= index { open.removeLast() }
            if let container = open.last {
                if nodes[container].kind == .object { index += 1 }  // the key
                places[index] = Place(container: Int32(container), position: places[container].children)
                places[container].children += 1
            }
            if nodes[index].count > 0 { open.append(index) }
            index += 1
        }
        return places
    }

    /// Returns the string whose text is at `range`.
    func string(_ range: Range<Int>, isEscaped: Bool) -> String {
        text.withUnsafeBytes { text in
            UnsafeRawBufferPointer(rebasing: text[range.lowerBound - 1..<range.upperBound + 1]).bytes
                .text(ofString: isEscaped ? .escaped : .unicode)
        }
    }

    /// Returns the number at `range` if it is a plain one.
    @inline(__always) func plainNumber(_ range: Range<Int>) -> PlainNumber? {
        text.withUnsafeBytes { PlainNumber(UnsafeRawBufferPointer(rebasing: $0[range]).bytes) }
    }

    /// Returns the date in the string at `index` if it has the most common form.
    @inline(__always) func commonDate(at index: Int?) -> Date? {
        guard let index, nodes[index].kind == .text else { return nil }
        let range = nodes[index].text
        return text.withUnsafeBytes { ISO8601Text(UnsafeRawBufferPointer(rebasing: $0[range]).bytes)?.date }
    }

    /// Returns a number that distinguishes most keys, and all ASCII keys of up to eight bytes without control
    /// characters.
    @inline(__always) private static func fingerprint(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64 {
        guard range.count > 8 else { return bytes.shortWord(range) }
        let low = bytes.word(at: range.lowerBound)
        let high = bytes.word(at: range.upperBound &- 8)
        return (low ^ (high &<< 23 | high &>> 41)) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(range.count)
    }

    // MARK: Creation

    private struct Writer: TokenVisitor {
        private struct Open {
            let node: Int
            let isObject: Bool
            var count = 0
            var hasEscapedKeys = false
        }

        var nodes: [Node] = []
        /// The converted keys, if the tape converts keys from snake case.
        var convertedKeys: ConvertedKeys?
        /// The innermost open container, and those around it.
        private var last = Open(node: 0, isObject: false)
        private var open: [Open] = []

        /// Adds the nodes of one value. Returns `false` if its nesting is too deep.
        mutating func add(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
            var reader = ValueReader(ofWholeValueWithDepth: JSONTape.maxDepth)
            return
                (try? reader.read(
                    bytes.extracting(0..<range.upperBound), from: range.lowerBound, &self)) != nil
        }

        @inline(__always)
        mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
            if kind != .ascii { last.hasEscapedKeys = true }
            let text = key.lowerBound &+ 1..<key.upperBound &- 1
            let fingerprint = JSONTape.fingerprint(bytes, text)
            nodes.append(
                Node(text, content: convertedKeys?.content(of: text, fingerprint, bytes) ?? fingerprint))
        }

        @inline(__always)
        mutating func readScalar(
            _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
        ) {
            switch first {
            case Byte.quote:
                add(
                    kind == .escaped ? .escapedText : .text,
                    scalar.lowerBound &+ 1..<scalar.upperBound &- 1)
            case UInt8(ascii: "t"): add(.true, scalar)
            case UInt8(ascii: "n"): add(.null, scalar)
            case UInt8(ascii: "f"): add(.false, scalar)
            default: add(.number, scalar)
            }
        }

        mutating func open(_ bracket: UInt8, at index: Int, depth: Int) {
            let isObject = bracket == Byte.openBrace
            last.count += 1
            open.append(last)
            last = Open(node: nodes.count, isObject: isObject)
            nodes.append(Node(isObject ? .object : .list, index..<index, next: 0))
        }

        mutating func close(at end: Int, of bytes: RawSpan, depth: Int) {
            guard let outer = open.popLast() else { return }
            nodes[last.node] = Node(
                last.isObject ? .object : .list, nodes[last.node].text.lowerBound..<end, next: nodes.count,
                count: last.count, hasEscapedKeys: last.hasEscapedKeys)
            last = outer
        }

        @inline(__always) private mutating func add(_ kind: Kind, _ text: Range<Int>) {
            last.count += 1
            nodes.append(Node(kind, text, next: nodes.count + 1))
        }

    }
}

/// Keys converted from snake case, in most cases each different key once.
private struct ConvertedKeys {
    private(set) var text: [UInt8] = []
    private let strategies: DecodingStrategies
    private let start: Int
    /// The last key of each fingerprint, with its range and that of the converted text. Only one, because a server can
    /// send many keys with the same fingerprint.
    private var known: [UInt64: (key: Range<Int>, content: UInt64)] = [:]

    /// Creates an empty list of texts, which are appended to a text of `start` bytes.
    init(_ strategies: DecodingStrategies, after start: Int) {
        self.strategies = strategies
        self.start = start
    }

    /// Returns the range of the converted key, as the content of its node. A key with escapes or non-ASCII characters is
    /// not found by it.
    mutating func content(of key: Range<Int>, _ fingerprint: UInt64, _ bytes: RawSpan) -> UInt64 {
        let name = bytes.extracting(key)
        if let same = known[fingerprint], bytes.extracting(same.key).equals(name) { return same.content }
        let converted = strategies.camelCase(name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        let content = UInt64(start + text.count) << 32 | UInt64(converted.utf8.count)
        text += converted.utf8
        known[fingerprint] = (key, content)
        return content
    }
}
