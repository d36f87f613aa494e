import Foundation
import RESTClientHTTP

/// The members of an element of a list, with their keys numbered in the order in which they appear, or the text of a string.
///
/// Most objects of a list have the same members in the same order. A key is compared with the one that followed the last
/// key in earlier objects, and looked up only if it is another one.
///
/// ```swift
/// var scanner = ListScanner(at: "items")
/// try scanner.scanParts(of: chunk) { element, traits, members in
///     for member in members.members(of: element) { print(member.key, member.value) }
/// }
/// ```
public struct ElementMembers: Sendable {
    /// A member of an object.
    public struct Member: Sendable {
        /// The number of the key, the same for the same text in all objects; `nil` if there are too many different keys.
        public var number: Int? { keyNumber < 0 ? nil : Int(keyNumber) }
        /// The range of the key in the element, with its quotes.
        public var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
        /// The range of the value in the element.
        public var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

        // Half the size of ranges: batches copy them.
        fileprivate let keyStart, keyEnd, valueStart, valueEnd: UInt32
        /// The number, or -1.
        fileprivate var keyNumber: Int32
    }

    /// The parts of an element that a scanner finds while it checks the element.
    public enum Parts: Sendable {
        /// The members of an object, the text of a string, or nothing.
        case members, text, none
    }

    /// The members of the last element.
    private var members: [Member] = []
    /// The text of the last element if that is a string, at the start of a buffer.
    private var string: [UInt8] = []
    private var stringCount = 0
    /// The address and size of the element whose members are known, and of the string. Compared only.
    private var element: (address: UInt, count: Int) = (0, -1)
    private var stringElement: (address: UInt, count: Int) = (0, -1)

    /// The index of the element that is read.
    private var start = 0
    /// 1 if that is an object.
    private var depthOfMembers = 0
    /// The number that the next key probably has.
    private var expected = 0
    /// The last key of the object, and its number.
    private var key = 0..<0
    private var keyNumber = -1
    /// The start of the last value of the object, if that is an object or a list.
    private var container = 0

    /// The keys with their quotes and colons, one after another.
    private var text: [UInt8] = []
    private var keys: [(end: Int, traits: ElementTraits)] = []
    private var numbers: [[UInt8]: Int] = [:]

    /// Creates an empty set of keys.
    public init() {}

    /// Returns the members of an element in their order, or none if it is not an object, or larger than 4 GB.
    ///
    /// - Parameter element: The element, which must be valid JSON. If the scanner passes it at the moment, its members have
    ///   already been found.
    public mutating func members(of element: RawSpan) -> [Member] {
        guard Self.identity(of: element) != self.element else { return members }
        var reader = ValueReader(ofWholeValueWithDepth: .max)
        _ = try? read(element, from: 0, with: &reader)
        forget()
        return members
    }

    /// Calls `body` with the text of an element that is a string. Returns `nil` if the scanner does not pass it at the moment.
    ///
    /// - Parameters:
    ///   - element: The string.
    ///   - body: The function to call. The text is valid during the call only.
    public func withText<Result>(
        of element: RawSpan, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result? {
        guard Self.identity(of: element) == stringElement else { return nil }
        return try string.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<stringCount])) }
    }

    /// Reads a string and keeps its text if that is probably escaped. Returns the end, or `nil` if it is not complete or not valid.
    @inline(__always) mutating func readText(
        of bytes: RawSpan, at start: Int, _ traits: inout ElementTraits
    ) -> Int? {
        let end = bytes.endOfPlainText(from: start &+ 1)
        guard end < bytes.byteCount else { return nil }
        switch bytes.uncheckedByte(at: end) {
        case Byte.quote: return end &+ 1
        case Byte.backslash: return unescape(bytes, at: start, &traits)
        // Most of these strings have no escapes, and are not copied.
        default: return bytes.string(at: start, &traits)?.end
        }
    }

    private mutating func unescape(_ bytes: RawSpan, at start: Int, _ traits: inout ElementTraits) -> Int? {
        let room = bytes.byteCount &- start &+ RawSpan.unescapingSlack
        if string.count < room { string = [UInt8](repeating: 0, count: room) }
        let text = string.withUnsafeMutableBytes { bytes.string(at: start, &traits, into: $0) }
        guard let text else { return nil }
        stringCount = text.count
        stringElement = Self.identity(of: bytes.extracting(start..<text.end))
        return text.end
    }

    /// Forgets which element the members and the text belong to. Must be called before its bytes are freed.
    @usableFromInline mutating func forget() { (element, stringElement) = ((0, -1), (0, -1)) }

    /// Reads an element with `reader`, which was not used yet, and keeps its members.
    mutating func read(
        _ bytes: RawSpan, from start: Int, with reader: inout ValueReader
    ) throws(ValueReader.ParseError) -> Int? {
        forget()
        members.removeAll(keepingCapacity: true)
        (self.start, depthOfMembers, expected) = (start, 0, 0)
        let end = try reader.read(bytes, from: start, &self)
        // The ranges of the members of a larger element are not known.
        if let end, end &- start > UInt32.max { members.removeAll() }
        if let end { element = Self.identity(of: bytes.extracting(start..<end)) }
        return end
    }

    /// The members of the element that was read last.
    var found: [Member] { element.count < 0 ? [] : members }

    /// Sets the members of an element, which another variable has found. Their keys have the same numbers there in most cases.
    @usableFromInline mutating func set(_ found: ArraySlice<Member>, of element: RawSpan) {
        members.removeAll(keepingCapacity: true)
        members.append(contentsOf: found)
        for (index, member) in found.enumerated() {
            let number = Int(member.keyNumber)
            if !isKey(number, of: length(of: number), at: member.key.lowerBound, in: element) {
                members[index].keyNumber = Int32(
                    truncatingIfNeeded: self.number(of: element.extracting(member.key)))
            }
        }
        self.element = Self.identity(of: element)
    }

    private static func identity(of element: RawSpan) -> (UInt, Int) {
        element.withUnsafeBytes { (UInt(bitPattern: $0.baseAddress), $0.count) }
    }

    /// Returns the number of bytes of a key with its quotes and colon, or 0 if no key has this number.
    private func length(of number: Int) -> Int {
        guard number >= 0, number < keys.count else { return 0 }
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

    private mutating func number(of key: RawSpan) -> Int {
        let bytes = key.withUnsafeBytes { Array($0) }
        if let number = numbers[bytes] { return number }
        guard keys.count < Self.maxCount, text.count + bytes.count < Self.maxBytes else { return -1 }
        numbers[bytes] = keys.count
        text += bytes
        text.append(Byte.colon)
        var traits = ElementTraits.plain
        _ = key.string(at: 0, &traits)
        keys.append((text.count, traits))
        return keys.count - 1
    }

    /// The limits of the memory for keys of objects that have other keys each.
    private static let maxCount = 4_096
    private static let maxBytes = 1 << 20
}

extension ElementMembers: TokenVisitor {
    @usableFromInline @inline(__always) package mutating func skipKnownKey(
        at index: Int, of bytes: RawSpan, depth: Int, _ traits: inout ElementTraits
    ) -> Int? {
        guard depth == depthOfMembers else { return nil }
        let length = length(of: expected)
        guard isKey(expected, of: length, at: index, in: bytes) else { return nil }
        traits.formIntersection(keys[expected].traits)
        key = index..<index &+ length &- 1
        keyNumber = expected
        expected &+= 1
        return index &+ length
    }

    @usableFromInline package mutating func readKey(
        _ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {
        guard depth == depthOfMembers else { return }
        self.key = key
        keyNumber = number(of: bytes.extracting(key))
        if keyNumber >= 0 { expected = keyNumber &+ 1 }
    }

    @usableFromInline @inline(__always) package mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) { if depth == depthOfMembers { add(scalar) } }

    @usableFromInline @inline(__always) package mutating func open(
        _ bracket: UInt8, at index: Int, depth: Int
    ) {
        if depth == depthOfMembers { container = index }
        if depth == 0, bracket == Byte.openBrace { depthOfMembers = 1 }
    }

    @usableFromInline @inline(__always) package mutating func close(
        at end: Int, of bytes: RawSpan, depth: Int
    ) {
        if depth == depthOfMembers { add(container..<end) }
    }

    @inline(__always) private mutating func add(_ value: Range<Int>) {
        guard depthOfMembers > 0 else { return }
        members.append(
            Member(
                keyStart: UInt32(truncatingIfNeeded: key.lowerBound &- start),
                keyEnd: UInt32(truncatingIfNeeded: key.upperBound &- start),
                valueStart: UInt32(truncatingIfNeeded: value.lowerBound &- start),
                valueEnd: UInt32(truncatingIfNeeded: value.upperBound &- start),
                keyNumber: Int32(truncatingIfNeeded: keyNumber)))
    }
}
