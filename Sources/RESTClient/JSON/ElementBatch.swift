package import Foundation

/// Elements that arrived together, in one piece of memory.
public struct ElementBatch: Sendable {
    /// An element that is no value of the type asked for.
    package struct Undecodable: Error {
        /// Counted from the first element of the batch.
        package let index: Int
        package let underlying: any Error
    }

    /// `[` and the elements, a comma behind each: all but the end of a JSON list.
    private var text: [UInt8] = [Byte.openBracket]
    /// Where each element ends, and in the lowest bit whether it is plain.
    private var ends: [Int] = []

    /// A batch without elements.
    package init() {}

    /// How many elements there are.
    public var count: Int { ends.count }

    /// Whether there are none.
    public var isEmpty: Bool { ends.isEmpty }

    /// The bytes of all of them.
    package var byteCount: Int { text.count - ends.count - 1 }

    /// Lends each element, in order; a span ends with its call.
    public func forEach(_ body: (RawSpan) throws -> Void) rethrows {
        try forEachKnown { element, _ in try body(element) }
    }

    /// Lends each element; one that `isPlain` is known to be a string of printable ASCII without escapes, whose text is
    /// all between its quotes, and others may be such strings, too.
    package func forEachKnown(_ body: (RawSpan, _ isPlain: Bool) throws -> Void) rethrows {
        let bytes = text.span.bytes
        var start = 1
        for mark in ends {
            let end = mark &>> 1
            try body(bytes.extracting(start..<end), mark & 1 == 1)
            start = end &+ 1
        }
    }

    /// Adds an element, which must be valid JSON.
    package mutating func append(_ element: RawSpan, isPlain: Bool = false) {
        text.append(element)
        ends.append(text.count &<< 1 | (isPlain ? 1 : 0))
        text.append(Byte.comma)
    }

    /// Takes all elements out, and keeps the memory.
    package mutating func removeAll() {
        text.removeSubrange(1...)
        ends.removeAll(keepingCapacity: true)
    }

    /// The elements as values: all at once, which is faster than each alone. Throws ``Undecodable``.
    package func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> [Value] {
        guard !isEmpty else { return [] }
        var list = Data(text)
        list[list.count - 1] = Byte.closeBracket
        if let values = try? decoder.decode([Value].self, from: list), values.count == count { return values }
        var values: [Value] = []
        try forEachKnown { element, _ in
            do {
                values.append(try decoder.decode(Value.self, from: element.withUnsafeBytes { Data($0) }))
            } catch {
                throw Undecodable(index: values.count, underlying: error)
            }
        }
        return values
    }
}
