import Foundation

/// The keys of the objects of a list, numbered in the order in which they appear.
///
/// Most objects of a list have the same members in the same order. A key is compared with the one that followed the last
/// key in earlier objects, and looked up only if it is another one.
public struct MemberKeys: Sendable {
    /// A member of an object.
    public struct Member: Sendable {
        /// The number of the key, the same for the same text in all objects; `nil` if there are too many different keys.
        public let number: Int?
        /// The range of the key, with its quotes.
        public let key: Range<Int>
        /// The range of the value.
        public let value: Range<Int>
    }

    /// A position between the members of an object. Begins before the first one.
    public struct Position: Sendable {
        fileprivate var index = 0
        /// The number of the key that is expected.
        fileprivate var expected = 0

        /// The position before the first member.
        public init() {}
    }

    /// The keys with their quotes and colons, one after another.
    private var text: [UInt8] = []
    private var ends: [Int] = []
    private var numbers: [[UInt8]: Int] = [:]

    /// Creates an empty set of keys.
    public init() {}

    /// Returns the member at a position, and moves the position after it. Returns `nil` after the last member.
    ///
    /// - Parameters:
    ///   - object: The element, which must be valid JSON. An element that is not an object has no members.
    ///   - position: The position, in the same element.
    public mutating func nextMember(of object: RawSpan, at position: inout Position) -> Member? {
        let separator = position.index == 0 ? Byte.openBrace : Byte.comma
        guard let start = object.indexAfter(separator, from: position.index) else { return nil }
        let length = length(of: position.expected)
        if isKey(position.expected, of: length, at: start, in: object) {
            let value = object.endOfWhitespace(from: start &+ length)
            guard let end = object.endOfValue(from: value) else { return nil }
            position.index = end
            position.expected &+= 1
            return Member(
                number: position.expected &- 1, key: start..<start &+ length &- 1, value: value..<end)
        }
        guard let keyEnd = object.endOfValue(from: start),
            let value = object.indexAfter(Byte.colon, from: keyEnd), let end = object.endOfValue(from: value)
        else { return nil }
        let number = number(of: object.extracting(start..<keyEnd))
        position.index = end
        if let number { position.expected = number + 1 }
        return Member(number: number, key: start..<keyEnd, value: value..<end)
    }

    /// Returns the number of bytes of a key with its quotes and colon, or 0 if no key has this number.
    private func length(of number: Int) -> Int {
        guard number < ends.count else { return 0 }
        return ends[number] &- (number == 0 ? 0 : ends[number &- 1])
    }

    private func isKey(_ number: Int, of length: Int, at start: Int, in object: RawSpan) -> Bool {
        guard length > 0, start <= object.byteCount &- length else { return false }
        return text.withUnsafeBytes { text in
            object.withUnsafeBytes { object in
                guard let key = text.baseAddress, let object = object.baseAddress else { return false }
                return Self.equal(key + (ends[number] &- length), object + start, length)
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
        let key = key.withUnsafeBytes { Array($0) }
        if let number = numbers[key] { return number }
        guard ends.count < Self.maxCount, text.count + key.count < Self.maxBytes else { return nil }
        numbers[key] = ends.count
        text += key
        text.append(Byte.colon)
        ends.append(text.count)
        return ends.count - 1
    }

    /// The limits of the memory for keys of objects that have other keys each.
    private static let maxCount = 4_096
    private static let maxBytes = 1 << 20
}
