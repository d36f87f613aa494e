public import Foundation
public import RESTClientHTTP

/// The elements of a list that end in one received chunk, as bytes.
///
/// A batch has no elements if it reports the end of a page, or that nothing more is buffered.
public struct ElementBatch: Sendable {
    /// An element that could not be decoded as the requested type.
    struct UndecodableElement: Error {
        /// The index of the element in the batch.
        let index: Int
        let underlying: any Error
    }

    /// The range and kind of an element in the chunk.
    @usableFromInline struct Mark: Sendable {
        @usableFromInline let start: Int
        /// Eight times the end of the element, plus its traits.
        @usableFromInline let endAndTraits: Int

        @inline(__always) init(_ token: TokenRange) {
            start = token.start
            endAndTraits = token.end &<< 3 | Int(token.traits.rawValue)
        }
    }

    // The loop over the elements is compiled into the caller's module, which takes half of the time of a call for each.
    @usableFromInline private(set) var chunk = Data()
    /// The elements that lie in `chunk`.
    @usableFromInline private(set) var marks: [Mark] = []
    /// The first element, if it began in an earlier chunk. Empty if there is none.
    @usableFromInline private(set) var carried: [UInt8] = []
    /// The members of the elements in `chunk`, if they were looked for.
    @usableFromInline private(set) var members: [ElementMembers.Member] = []
    /// The index after the members of each mark, up to the last one that has members.
    @usableFromInline private(set) var memberEnds: [Int] = []
    /// The index of the first member of the first mark.
    @usableFromInline private(set) var firstMember = 0

    /// The end of the page that is complete with this batch, or `nil` if more of the page follows.
    public internal(set) var pageEnd: PageEnd?
    /// A Boolean value that indicates whether the next batch can be read without waiting for the server.
    ///
    /// If it is `false`, flush what you have written so far.
    public internal(set) var hasMoreBuffered = false
    /// The number of bytes of the body that were received since the previous batch.
    public internal(set) var receivedBytes = 0

    /// Creates a batch without elements.
    init() {}

    /// The number of elements.
    public var count: Int { carried.isEmpty ? marks.count : marks.count + 1 }

    /// A Boolean value that indicates whether there are no elements.
    public var isEmpty: Bool { marks.isEmpty && carried.isEmpty }

    /// Calls `body` with the bytes of each element, in order. A span is valid during the call only.
    @inlinable public func forEach(_ body: (RawSpan) throws -> Void) rethrows {
        try forEachElement { element, _ in try body(element) }
    }

    /// Calls `body` with the bytes of each element, in order, and what is known about its content.
    @inlinable @inline(__always)
    public func forEachElement(_ body: (RawSpan, ElementTraits) throws -> Void) rethrows {
        if !carried.isEmpty { try body(ArraySlice(carried).span.bytes, []) }
        let bytes = chunk.bytes
        for mark in marks {
            // Only the scanner of `chunk` creates marks.
            let range = Range(uncheckedBounds: (mark.start, mark.endAndTraits &>> 3))
            try body(
                bytes.extracting(unchecked: range),
                ElementTraits(rawValue: UInt8(truncatingIfNeeded: mark.endAndTraits & 7)))
        }
    }

    /// Calls `body` with the bytes of each element, in order, what is known about its content, and its members.
    ///
    /// - Parameters:
    ///   - members: The members of the elements of the listing, always the same variable. Those of the current element have been
    ///     found already, if ``ItemListing/findsMembers`` is set.
    ///   - body: The function to call.
    @inlinable @inline(__always) public func forEachElement(
        _ members: inout ElementMembers, _ body: (RawSpan, ElementTraits, inout ElementMembers) throws -> Void
    ) rethrows {
        defer { members.forget() }
        // No members are known of an element that began in an earlier chunk.
        var mark = carried.isEmpty ? 0 : -1
        var start = firstMember
        try forEachElement { element, traits in
            if mark >= 0, mark < memberEnds.count, start < memberEnds[mark] {
                members.set(self.members[start..<memberEnds[mark]], of: element)
                start = memberEnds[mark]
            }
            mark += 1
            try body(element, traits, &members)
        }
    }

    /// Removes all elements and starts with those of `chunk`.
    mutating func reset(to chunk: Data) {
        members.removeAll(keepingCapacity: true)
        memberEnds.removeAll(keepingCapacity: true)
        firstMember = 0
        carried.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
        self.chunk = chunk
    }

    /// Adds elements of the chunk.
    mutating func append(_ marks: Slice<UnsafeMutableBufferPointer<Mark>>) {
        self.marks.append(contentsOf: marks)
    }

    /// Adds the members of the mark at `index`.
    mutating func append(_ members: [ElementMembers.Member], ofMark index: Int) {
        guard !members.isEmpty else { return }
        while memberEnds.count < index { memberEnds.append(self.members.count) }
        self.members += members
        memberEnds.append(self.members.count)
    }

    /// Adds the first element, which began in an earlier chunk.
    mutating func setCarried(_ element: RawSpan) { carried.append(element) }

    /// Returns a copy of the element at `index`.
    func element(_ index: Int) -> [UInt8] {
        let index = carried.isEmpty ? index : index - 1
        guard index >= 0 else { return carried }
        var copy: [UInt8] = []
        copy.append(chunk.bytes.extracting(marks[index].start..<marks[index].endAndTraits >> 3))
        return copy
    }

    /// Removes the first elements, at most `limit`, and returns their number.
    mutating func removeFirst(_ limit: Int) -> Int {
        let removed = min(limit, count)
        guard removed > 0 else { return 0 }
        let removedMarks = carried.isEmpty ? removed : removed - 1
        marks.removeFirst(removedMarks)
        let removedEnds = min(removedMarks, memberEnds.count)
        if removedEnds > 0 {
            firstMember = memberEnds[removedEnds - 1]
            memberEnds.removeFirst(removedEnds)
        }
        carried.removeAll(keepingCapacity: true)
        return removed
    }

    /// Removes the elements at `indices`, which are in order.
    mutating func remove(_ indices: [Int]) {
        guard let last = indices.last else { return }
        if last == indices.count - 1 { return _ = removeFirst(indices.count) }
        // The members of the others are found again when they are used.
        members.removeAll(keepingCapacity: true)
        memberEnds.removeAll(keepingCapacity: true)
        firstMember = 0
        let carriedCount = carried.isEmpty ? 0 : 1
        if indices.first == 0, carriedCount == 1 { carried.removeAll(keepingCapacity: true) }
        let removed = Set(indices)
        marks = marks.indices.filter { !removed.contains($0 + carriedCount) }.map { marks[$0] }
    }

    /// Returns the elements as values: all of them, or those before one that cannot be decoded, and the reason.
    ///
    /// The result is that of `decoder`; each value is decoded once.
    ///
    /// - Parameters:
    ///   - decoder: The decoder of elements that are too large for a tape, or whose strategies are unknown.
    ///   - strategies: The strategies of the decoder, or `nil` if it decodes each element itself.
    func values<Value: Decodable>(
        as type: Value.Type, decoder: any DataDecoder = JSONDecoder(),
        strategies: DecodingStrategies? = .standard
    ) -> (values: [Value], failure: UndecodableElement?) {
        let (text, ranges) = list()
        let tape = strategies.flatMap { JSONTape(of: text, ranges, $0) }
        var values: [Value] = []
        values.reserveCapacity(count)
        var node = 0
        for (index, range) in ranges.enumerated() {
            do {
                if let tape {
                    let value = TapeValue(tape: tape, index: node)
                    node = tape.nodes[node].next
                    values.append(try value.decode(type))
                } else {
                    values.append(try decoder.decode(type, from: Data(text[range])))
                }
            } catch { return (values, UndecodableElement(index: index, underlying: error)) }
        }
        return (values, nil)
    }

    /// Returns the elements as a JSON list without its closing bracket, and the ranges of the elements.
    private func list() -> (text: [UInt8], elements: [Range<Int>]) {
        var text: [UInt8] = [Byte.openBracket]
        var elements: [Range<Int>] = []
        if !carried.isEmpty {
            text += carried
            elements.append(1..<text.count)
            text.append(Byte.comma)
        }
        if let first = marks.first, let last = marks.last {
            let shift = text.count - first.start
            text.append(chunk.bytes.extracting(first.start..<last.endAndTraits >> 3))
            elements += marks.map { $0.start + shift..<$0.endAndTraits >> 3 + shift }
            text.append(Byte.comma)
        }
        return (text, elements)
    }
}

extension ElementBatch {
    /// Adds the elements to a list of items: all of them, or those before one that cannot be decoded.
    typealias Decoding<Item> = (ElementBatch, inout [Item]) -> UndecodableElement?

    /// Returns the function that decodes elements as `type`. Strings are read without a decoder, unless it is unknown.
    static func decoding<Item: Decodable>(
        _ type: Item.Type, with decoder: any DataDecoder = JSONDecoder()
    ) -> Decoding<Item> {
        guard let strategies = DecodingStrategies(decoder)
        else { return { $0.appendValues(to: &$1, decoder, nil) } }
        let items: Decoding<MyItem> = { batch, items in
            batch.append(to: &items, decoder, strategies) { MyItem(name: $0) }
        }
        let strings: Decoding<String> = { batch, strings in
            batch.append(to: &strings, decoder, strategies) { $0 }
        }
        // These casts select code that the compiler has specialized for the two types.
        return items as? Decoding<Item> ?? strings as? Decoding<Item>
            ?? { $0.appendValues(to: &$1, decoder, strategies) }
    }

    private func append<Item: Decodable>(
        to items: inout [Item], _ decoder: any DataDecoder, _ strategies: DecodingStrategies,
        _ makeItem: (String) -> Item
    ) -> UndecodableElement? {
        let count = items.count
        do {
            try forEachElement { element, traits in
                guard let text = ListScanner.string(element, traits) else { throw NotAString() }
                items.append(makeItem(text))
            }
            return nil
        } catch {
            items.removeSubrange(count...)
            return appendValues(to: &items, decoder, strategies)
        }
    }

    private func appendValues<Item: Decodable>(
        to items: inout [Item], _ decoder: any DataDecoder, _ strategies: DecodingStrategies?
    ) -> UndecodableElement? {
        let (values, failure) = values(as: Item.self, decoder: decoder, strategies: strategies)
        if items.isEmpty { items = values } else { items += values }
        return failure
    }

    private struct NotAString: Error {}
}
