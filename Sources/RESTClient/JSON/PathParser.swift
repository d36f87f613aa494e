import RESTClientHTTP

/// Parses a document along the path to its list, then the elements of the list, then the rest.
///
/// Only the objects on the path are parsed here, and their direct members, whose lists an error message can suggest.
/// Every other value is read by `ValueReader`.
struct PathParser {
    typealias Failure = ListScanner.Failure
    /// A function that is called with the text of each element, and its members if they are wanted.
    typealias ElementBody = (RawSpan, TokenRange, inout ElementMembers) throws -> Void

    /// An invalid document. It is distinct from the errors of the caller's closure.
    struct InvalidDocument: Error { let failure: Failure }

    /// The expected next byte. Whitespace is allowed before all phases from `root` on.
    enum Phase: UInt8 {
        case start, bomSecond, bomThird, value, keyText, elementText
        case root, firstKey, key, colon, member, afterMember
        case firstElement, element, afterElement, end

        var skipsWhitespace: Bool { rawValue >= Self.root.rawValue }

        /// `true` in an element of the list, or where one can start.
        var isAtElement: Bool { self == .firstElement || self == .element || self == .elementText }
    }

    enum Limit {
        static let keyBytes = 1024
        /// The maximum number of keys that are examined in an object next to the path.
        static let maxSiblingKeys = 256
        /// The number of bytes after a shape mismatch in which lists to suggest are looked for.
        static let suggestionBytes: Int64 = 64 << 10
    }

    let names: [[UInt8]]
    let layout: ListScanner.Layout
    let maxItemBytes: Int
    let maxDepth: Int
    let maxKeyBytes: Int

    var phase = Phase.start
    var reader = ValueReader()
    /// The current key or element.
    var text = ChunkCarry()
    /// The current member, if it can become part of the envelope.
    var member = ChunkCarry()
    var isKeepingMember = false
    var members = EnvelopeBuilder()
    /// The members of the current element, if they are wanted.
    var elementMembers = ElementMembers()
    var findsMembers = false
    var context: ParseContext

    /// The offset of the current chunk in the document.
    var offset: Int64 = 0
    /// The offset of the current element in the document.
    var elementOffset: Int64 = 0
    /// The number of elements found.
    var itemCount = 0

    /// The number of open objects on the path.
    var level = 0
    /// The number of names of the path that were found.
    var matched = 0
    /// A Boolean value that indicates whether the current key is the next name of the path.
    var isOnPath = false
    /// A Boolean value that indicates whether the current object is next to the path.
    var isInSibling = false
    /// A Boolean value that indicates whether the document is a number or a literal. A text that is not JSON can start
    /// with one.
    var isLiteralRoot = false
    var rootOffset: Int64 = 0
    /// The shape mismatch. It is thrown at the end of the document, or after `Limit.suggestionBytes`.
    var wrongShape: Failure?

    init(to path: MemberPath, _ layout: ListScanner.Layout, maxItemBytes: Int, maxDepth: Int) {
        self.layout = layout
        self.maxItemBytes = maxItemBytes
        self.maxDepth = maxDepth
        names = path.names.map { Array($0.utf8) }
        // An escape takes at most six bytes for each byte of a name.
        maxKeyBytes = max(Limit.keyBytes, 6 * (names.map(\.count).max() ?? 0) + 2)
        context = ParseContext(path: path)
    }

    /// Parses the next chunk of the document.
    mutating func read(_ chunk: RawSpan, _ element: ElementBody) throws {
        try parse(chunk, element)
        if phase == .keyText || phase == .elementText { text.carry(chunk) }
        if phase == .elementText, text.isTooLong { throw InvalidDocument(failure: itemTooLarge) }
        if isKeepingMember { member.carry(chunk) }
        offset += Int64(chunk.byteCount)
        if let wrongShape, offset >= wrongShape.offset + Limit.suggestionBytes {
            throw InvalidDocument(failure: withLists(wrongShape))
        }
    }

    /// Ends the document.
    func finish() throws -> Envelope {
        // A record separator without a value after it is ignored (RFC 7464, section 2.1).
        if layout == .sequence, [.start, .root, .firstElement, .element, .afterElement].contains(phase) {
            return members.envelope(along: [])
        }
        switch phase {
        case .start, .root: throw failure(.notJSON(found: ""))
        case .end: break
        case .value where level == 0 && reader.isWholeNumber: break
        default: throw failure(.incomplete)
        }
        if let wrongShape { throw withLists(wrongShape) }
        return members.envelope(along: names.isEmpty ? [] : context.path.names.dropLast())
    }

    /// Returns a failure at `index` of the current chunk.
    func failure(_ reason: Failure.Reason, at index: Int = 0) -> Failure {
        Failure(
            reason: reason, offset: offset + Int64(index), path: location, itemCount: itemCount,
            isAtElement: phase.isAtElement)
    }

    // MARK: Parsing

    private mutating func parse(_ whole: RawSpan, _ element: ElementBody) throws {
        var chunk = whole.extracting(0..<end(of: whole))
        var index = 0
        while index < chunk.byteCount {
            let byte = chunk.byte(at: index)
            if phase.skipsWhitespace, Byte.isWhitespace(byte) {
                index = chunk.endOfWhitespace(from: index)
                continue
            }
            switch phase {
            case .start:
                if byte == 0xEF {
                    phase = .bomSecond
                    index += 1
                } else {
                    phase = .root
                }
            case .bomSecond, .bomThird:
                guard byte == (phase == .bomSecond ? 0xBB : 0xBF) else {
                    throw documentError(.notJSON(found: ""), at: index)
                }
                phase = phase == .bomSecond ? .bomThird : .root
                index += 1
            case .root where layout == .sequence: phase = .firstElement
            case .root:
                rootOffset = offset + Int64(index)
                if try startRoot(byte, at: index) { index += 1 }
                chunk = whole.extracting(0..<end(of: whole))

            case .firstKey, .key:
                if byte == Byte.quote {
                    startKey(at: index)
                } else if byte == Byte.closeBrace, phase == .firstKey {
                    endObject(at: index, of: chunk)
                    index += 1
                    chunk = whole.extracting(0..<end(of: whole))
                } else {
                    throw malformed(.expectedKey(byte, isFirst: phase == .firstKey), at: index)
                }
            case .keyText:
                guard let end = try readValue(chunk, from: index) else { return }
                try endKey(at: end, of: chunk)
                index = end
            case .colon:
                guard byte == Byte.colon else { throw malformed(.expected(.colon, found: byte), at: index) }
                phase = .member
                index += 1
            case .member:
                if try startMember(byte, at: index) { index += 1 }
                chunk = whole.extracting(0..<end(of: whole))
            case .value:
                if context.expectsFirstElement {
                    context.examineFirstElement(in: chunk.extracting(index..<chunk.byteCount))
                }
                guard let end = try readValue(chunk, from: index) else { return }
                endMember(at: end, of: chunk)
                index = end
            case .afterMember:
                if isInSibling, context.siblingKeyCount >= Limit.maxSiblingKeys {
                    // The rest of the object is read as a value.
                    isInSibling = false
                    reader.beginAfterMember(maxDepth: maxDepth - level)
                    phase = .value
                    continue
                }
                if byte == Byte.comma {
                    phase = .key
                } else if byte == Byte.closeBrace {
                    endObject(at: index, of: chunk)
                    chunk = whole.extracting(0..<end(of: whole))
                } else {
                    throw malformed(.expected(.commaOrEndOfObject, found: byte), at: index)
                }
                index += 1

            case .firstElement, .element:
                if layout == .sequence, byte == 0x1E {
                    // A JSON text sequence has a record separator before each value.
                    index += 1
                } else if layout == .members {
                    if byte == Byte.quote {
                        startElement(at: index)
                        reader.beginMember(maxDepth: maxDepth - level)
                    } else if byte == Byte.closeBrace, phase == .firstElement {
                        endList()
                        index += 1
                    } else {
                        throw malformed(.expectedKey(byte, isFirst: phase == .firstElement), at: index)
                    }
                } else if layout != .sequence, byte == Byte.closeBracket {
                    guard phase == .firstElement else {
                        throw malformed(.trailingComma(inObject: false), at: index)
                    }
                    endList()
                    index += 1
                } else {
                    index = try scanElements(of: chunk, from: index, element)
                }
            case .elementText:
                guard let end = try readValue(chunk, from: index) else { return }
                try endElement(at: end, of: chunk, element)
                index = end
            case .afterElement:
                if layout == .sequence {
                    phase = .element
                    continue
                }
                if byte == Byte.comma {
                    phase = .element
                } else if byte == (layout == .members ? Byte.closeBrace : Byte.closeBracket) {
                    endList()
                } else {
                    let expected: JSONSyntaxError.Token =
                        layout == .members ? .commaOrEndOfObject : .commaOrEndOfList
                    throw malformed(.expected(expected, found: byte), at: index)
                }
                index += 1

            case .end: throw malformed(.trailingContent(byte), at: index)
            }
        }
    }

    /// Returns the end of the bytes to read: the rest of the document is not needed long after a shape mismatch.
    private func end(of chunk: RawSpan) -> Int {
        guard let wrongShape else { return chunk.byteCount }
        return Int(min(Int64(chunk.byteCount), wrongShape.offset + Limit.suggestionBytes - offset))
    }
}

/// The range of a key, element or member in a byte span.
struct TokenRange {
    let start: Int
    let end: Int
    /// `true` if the span is the current chunk. Otherwise the span is the text itself, collected from several chunks.
    let isInChunk: Bool
    let traits: ElementTraits

    @inline(__always) var range: Range<Int> { start..<end }
}

/// A part of the document that can begin in one chunk and end in another. It is copied only if it does.
struct ChunkCarry {
    /// The bytes from earlier chunks.
    private var carried: [UInt8] = []
    /// The start, or the continuation, in the current chunk.
    private var start = 0
    private var limit = 0
    /// `true` if the bytes from earlier chunks exceed the limit and were dropped.
    private(set) var isTooLong = false

    /// Begins at `index` of the current chunk.
    @inline(__always) mutating func begin(at index: Int, limit: Int) {
        start = index
        self.limit = limit
        isTooLong = false
        if !carried.isEmpty { reset() }
    }

    /// Keeps the bytes up to the end of `chunk`.
    mutating func carry(_ chunk: RawSpan) {
        let rest = chunk.extracting(start..<chunk.byteCount)
        start = 0
        guard !isTooLong else { return }
        if carried.count + rest.byteCount > limit {
            isTooLong = true
            reset()
        } else {
            carried.append(rest)
        }
    }

    /// Ends before `end` of `chunk`, and calls `body` with the whole part. Returns `nil` if it exceeds the limit.
    @inline(__always) mutating func end<Result>(
        at end: Int, of chunk: RawSpan, _ body: (RawSpan, TokenRange) throws -> Result
    ) rethrows -> Result? {
        if isTooLong || carried.count + end - start > limit {
            isTooLong = true
            return nil
        }
        if carried.isEmpty {
            return try body(chunk, TokenRange(start: start, end: end, isInChunk: true, traits: []))
        }
        carried.append(chunk.extracting(0..<end))
        return try body(
            ArraySlice(carried).span.bytes,
            TokenRange(start: 0, end: carried.count, isInChunk: false, traits: []))
    }

    private mutating func reset() { carried.removeAll(keepingCapacity: carried.capacity <= 1 << 20) }
}
