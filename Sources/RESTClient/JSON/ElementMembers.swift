import Foundation

/// The members of an element of a list, with their keys numbered in the order in which they appear.
///
/// Most objects of a list have the same members in the same order. A key is compared with the one that followed the last
/// key in earlier objects, and looked up only if it is another one.
///
/// ```swift
/// var scanner = ListScanner(at: "items")
/// try scanner.scanMembers(chunk) { element, traits, members in
///     for member in members.members(of: element) { print(member.key, member.value) }
/// }
/// ```
public struct ElementMembers: Sendable {
    /// A member of an object.
    public struct Member: Sendable {
        /// The number of the key, the same for the same text in all objects; `nil` if there are too many different keys.
        public let number: Int?
        /// The range of the key in the element, with its quotes.
        public let key: Range<Int>
        /// The range of the value in the element.
        public let value: Range<Int>
    }

    /// The members of the last element.
    private var members: [Member] = []
    /// The address and size of the element whose members the scanner has found. Compared only.
    private var element: (address: UInt, count: Int) = (0, -1)

    /// The keys with their quotes and colons, one after another.
    private var text: [UInt8] = []
    private var keys: [(end: Int, traits: ElementTraits)] = []
    private var numbers: [[UInt8]: Int] = [:]

    /// Creates an empty set of keys.
    public init() {}

    /// Returns the members of an element in their order, or none if it is not an object.
    ///
    /// - Parameter element: The element, which must be valid JSON. If the scanner passes it at the moment, its members have
    ///   already been found.
    public mutating func members(of element: RawSpan) -> [Member] {
        guard Self.identity(of: element) != self.element else { return members }
        forget()
        members.removeAll(keepingCapacity: true)
        var index = 0
        var expected = 0
        var separator = Byte.openBrace
        while let start = element.indexAfter(separator, from: index) {
            let length = length(of: expected)
            var number: Int? = expected
            var keyEnd = start &+ length &- 1
            if !isKey(expected, of: length, at: start, in: element) {
                guard let end = element.endOfValue(from: start) else { break }
                keyEnd = end
                number = self.number(of: element.extracting(start..<end))
            }
            guard let value = element.indexAfter(Byte.colon, from: keyEnd),
                let end = element.endOfValue(from: value)
            else { break }
            members.append(Member(number: number, key: start..<keyEnd, value: value..<end))
            if let number { expected = number &+ 1 }
            index = end
            separator = Byte.comma
        }
        return members
    }

    /// Forgets which element the members belong to. Must be called before its bytes are freed.
    mutating func forget() { element = (0, -1) }

    /// Reads an object and keeps its members. Returns `nil` if it is not valid, continues after the last byte, or has more
    /// than `maxDepth` nested containers.
    ///
    /// - Parameters:
    ///   - chunk: The text that contains the object.
    ///   - start: The index of its opening brace.
    ///   - maxDepth: The limit, which includes the object.
    mutating func readObject(in chunk: RawSpan, at start: Int, maxDepth: Int) -> CompleteValue? {
        forget()
        members.removeAll(keepingCapacity: true)
        guard maxDepth > 0 else { return nil }
        var object = CompleteValue(end: start &+ 1, traits: .plain)
        guard var next = chunk.nextToken(&object) else { return nil }
        var expected = 0
        if next != Byte.closeBrace { next = Byte.comma }
        while next == Byte.comma {
            let key = object.end
            let length = length(of: expected)
            var number: Int? = expected
            var keyEnd = key &+ length &- 1
            if isKey(expected, of: length, at: key, in: chunk) {
                object.end = key &+ length
                object.traits.formIntersection(keys[expected].traits)
            } else {
                guard let end = chunk.skipKey(&object) else { return nil }
                keyEnd = end
                number = self.number(of: chunk.extracting(key..<end))
            }
            guard chunk.nextToken(&object) != nil else { return nil }
            let value = object.end
            guard chunk.skipValue(&object, maxDepth: maxDepth &- 1) else { return nil }
            members.append(
                Member(
                    number: number, key: key &- start..<keyEnd &- start,
                    value: value &- start..<object.end &- start))
            if let number { expected = number &+ 1 }
            guard let token = chunk.nextToken(&object) else { return nil }
            next = token
            guard token == Byte.comma else { break }
            object.end &+= 1
            guard chunk.nextToken(&object) != nil else { return nil }
        }
        guard next == Byte.closeBrace else { return nil }
        object.end &+= 1
        element = Self.identity(of: chunk.extracting(start..<object.end))
        return object
    }

    private static func identity(of element: RawSpan) -> (UInt, Int) {
        element.withUnsafeBytes { (UInt(bitPattern: $0.baseAddress), $0.count) }
    }

    /// Returns the number of bytes of a key with its quotes and colon, or 0 if no key has this number.
    private func length(of number: Int) -> Int {
        guard number < keys.count else { return 0 }
        return keys[number].end &- (number == 0 ? 0 : keys[number &- 1].end)
    }

    private func isKey(_ number: Int, of length: Int, at start: Int, in object: RawSpan) -> Bool {
        guard length > 0, start <= object.byteCount &- length else { return false }
        return text.withUnsafeBytes { text in
            object.withUnsafeBytes { object in
                guard let key = text.baseAddress, let object = object.baseAddress else { return false }
                return Self.equal(key + (keys[number].end &- length), object + start, length)
            }
        }
    }

    /// Returns `true` if the bytes are equal. Faster than `memcmp` for the few bytes of a key.
    @inline(__always) private static func equal(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ length: Int
    ) -> Bool {
        func differ<Word: FixedWidthInteger>(_ offset: Int, _ type: Word.Type) -> Word {
            first.loadUnaligned(fromByteOffset: offset, as: type)
                ^ second.loadUnaligned(fromByteOffset: offset, as: type)
        }
        guard length >= 4, length <= 16 else { return memcmp(first, second, length) == 0 }
        if length < 8 { return differ(0, UInt32.self) | differ(length &- 4, UInt32.self) == 0 }
        return differ(0, UInt64.self) | differ(length &- 8, UInt64.self) == 0
    }

    private mutating func number(of key: RawSpan) -> Int? {
        let bytes = key.withUnsafeBytes { Array($0) }
        if let number = numbers[bytes] { return number }
        guard keys.count < Self.maxCount, text.count + bytes.count < Self.maxBytes else { return nil }
        numbers[bytes] = keys.count
        text += bytes
        text.append(Byte.colon)
        keys.append((text.count, key.completeValue(at: 0, maxDepth: 0)?.traits ?? []))
        return keys.count - 1
    }

    /// The limits of the memory for keys of objects that have other keys each.
    private static let maxCount = 4_096
    private static let maxBytes = 1 << 20
}
