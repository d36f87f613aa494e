import Foundation

/// Elements that arrived together, in one piece of memory.
public struct ElementBatch: Sendable {
    /// An element that is no value of the type asked for.
    package struct Undecodable: Error {
        /// Counted from the first element of the batch.
        package let index: Int
        package let underlying: any Error
    }

    /// A run of elements in one chunk, which is copied as a whole when the chunk is done.
    struct Run {
        /// Where it begins and ends in the chunk.
        fileprivate var start = 0
        fileprivate var end = 0
    }

    private struct Mark {
        let start: Int
        /// Twice the end, and one more for a plain element.
        let endAndKind: Int
    }

    /// A JSON list that lacks its closing bracket: a comma is behind each element, and white space may be.
    private var text: [UInt8] = [Byte.openBracket]
    private var marks: [Mark] = []

    /// A batch without elements.
    package init() {}

    /// A batch of one element, which must be valid JSON.
    init(_ element: RawSpan) { append(element) }

    /// How many elements there are.
    public var count: Int { marks.count }

    /// Whether there are none.
    public var isEmpty: Bool { marks.isEmpty }

    /// Lends each element, in order; a span ends with its call.
    public func forEach(_ body: (RawSpan) throws -> Void) rethrows {
        try forEachKnown { element, _ in try body(element) }
    }

    /// Lends each element; one that `isPlain` is known to be a string of printable ASCII without escapes, whose text is
    /// all between its quotes, and others may be such strings, too.
    package func forEachKnown(_ body: (RawSpan, _ isPlain: Bool) throws -> Void) rethrows {
        let bytes = text.span.bytes
        for mark in marks {
            try body(bytes.extracting(mark.start..<mark.endAndKind &>> 1), mark.endAndKind & 1 == 1)
        }
    }

    /// Adds an element, which must be valid JSON.
    package mutating func append(_ element: RawSpan) {
        let start = text.count
        text.append(element)
        marks.append(Mark(start: start, endAndKind: text.count &<< 1))
        text.append(Byte.comma)
    }

    /// Adds the element at `place`: a carried one at once, others with their run.
    @inline(__always)
    mutating func add(_ place: TextPlace, of bytes: RawSpan, to run: inout Run) {
        guard place.isInChunk else { return append(bytes) }
        if run.end == 0 { run.start = place.start }
        run.end = place.end
        let shift = text.count &- run.start
        let end = place.end &+ shift
        marks.append(Mark(start: place.start &+ shift, endAndKind: end &<< 1 | (place.isPlain ? 1 : 0)))
    }

    /// Copies the elements of `run`, which lie in `chunk` with commas between them.
    mutating func end(_ run: Run, of chunk: RawSpan) {
        guard run.end > 0 else { return }
        text.append(chunk.extracting(run.start..<run.end))
        text.append(Byte.comma)
    }

    /// Takes all elements out, and keeps the memory.
    package mutating func removeAll() {
        text.removeSubrange(1...)
        marks.removeAll(keepingCapacity: true)
    }

    /// The elements as values: all of them, or those in front of one that is none and what is wrong with it.
    ///
    /// Decoded as a `JSONDecoder` does that nobody has set up, which also says what is wrong.
    package func values<Value: Decodable>(as type: Value.Type) -> (values: [Value], failure: Undecodable?) {
        let tape = JSONTape(of: text, marks.lazy.map { $0.start..<$0.endAndKind &>> 1 })
        var values: [Value] = []
        values.reserveCapacity(count)
        var node = 0
        for (index, mark) in marks.enumerated() {
            do {
                if let tape {
                    let value = TapeValue(tape: tape, index: node)
                    node = tape.nodes[node].next
                    if let value = try? value.decode(type) {
                        values.append(value)
                        continue
                    }
                }
                let element = Data(text[mark.start..<mark.endAndKind &>> 1])
                values.append(try JSONDecoder().decode(type, from: element))
            } catch {
                return (values, Undecodable(index: index, underlying: error))
            }
        }
        return (values, nil)
    }
}
