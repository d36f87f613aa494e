/// Walks through a document to its list, element by element, and on to its end.
///
/// Only the objects on the way to the list are walked here, and those one step beside it, whose lists an error may
/// suggest; everything else is a value for `ValueReader`.
struct ListWalk {
    typealias Failure = ListScanner.Failure

    /// A failure of the document, which no error of `element` can be.
    struct Flaw: Error {
        let failure: Failure
    }

    /// What the next byte may be; white space may stand before all from `root` on.
    enum Phase: UInt8 {
        case start, markSecond, markThird, value, keyText, elementText
        case root, firstKey, key, colon, member, behindMember
        case firstElement, element, behindElement, end

        var skipsBlanks: Bool { rawValue >= Self.root.rawValue }
    }

    enum Limit {
        static let keyBytes = 1024
        /// The keys of an object beside the way that are looked at.
        static let keysAside = 256
        /// How far behind a wrong shape the text is read for lists to suggest.
        static let lookAround: Int64 = 64 << 10
    }

    let names: [[UInt8]]
    let maxItemBytes: Int
    let maxDepth: Int
    let maxKeyBytes: Int

    var phase = Phase.start
    var reader = ValueReader()
    /// The key or the element at hand.
    var text = CarriedText()
    /// The member at hand, while it may become part of the envelope.
    var member = CarriedText()
    var isKeepingMember = false
    var members = SmallMembers()
    var surroundings: Surroundings

    /// Where the chunk at hand begins in the document.
    var offset: Int64 = 0
    /// Where the element at hand begins in the document.
    var elementOffset: Int64 = 0
    /// The elements handed out.
    var items = 0

    /// The objects open on the way to the list.
    var level = 0
    /// The names found on that way.
    var matched = 0
    /// Whether the key at hand is the next name on the way.
    var isOnWay = false
    /// Whether the object at hand is a step beside the way.
    var isAside = false
    /// Whether the document is a number or a literal, with which a text may begin that is no JSON at all.
    var isBareWord = false
    var rootOffset: Int64 = 0
    /// A list is not where it should be; thrown at the end of the document, or when it is far enough away.
    var wrongShape: Failure?

    init(to path: MemberPath, maxItemBytes: Int, maxDepth: Int) {
        self.maxItemBytes = maxItemBytes
        self.maxDepth = maxDepth
        names = path.names.map { Array($0.utf8) }
        // A byte of a name is at most six in an escape.
        maxKeyBytes = max(Limit.keyBytes, 6 * (names.map(\.count).max() ?? 0) + 2)
        surroundings = Surroundings(path: path)
    }

    /// Reads the next part of the document.
    mutating func read(_ chunk: RawSpan, _ element: (RawSpan, TextPlace) throws -> Void) throws {
        try walk(chunk, element)
        if phase == .keyText || phase == .elementText { text.carry(chunk) }
        if phase == .elementText, text.isTooLong { throw Flaw(failure: itemTooLarge) }
        if isKeepingMember { member.carry(chunk) }
        offset += Int64(chunk.byteCount)
        if let wrongShape, offset >= wrongShape.offset + Limit.lookAround {
            throw Flaw(failure: withLists(wrongShape))
        }
    }

    /// Ends the document.
    func finish() throws -> Envelope {
        switch phase {
        case .start, .root: throw failure(.notJSON(found: ""))
        case .end: break
        case .value where level == 0 && reader.isWholeNumber: break
        default: throw failure(.incomplete)
        }
        if let wrongShape { throw withLists(wrongShape) }
        return members.envelope(along: names.isEmpty ? [] : surroundings.path.names.dropLast())
    }

    /// A failure at `index` of the chunk at hand.
    func failure(_ reason: Failure.Reason, at index: Int = 0) -> Failure {
        Failure(reason: reason, offset: offset + Int64(index), path: place, items: items)
    }

    // MARK: The walk

    private mutating func walk(_ whole: RawSpan, _ element: (RawSpan, TextPlace) throws -> Void) throws {
        var chunk = whole.extracting(0..<end(of: whole))
        var index = 0
        while index < chunk.byteCount {
            let byte = chunk.byte(at: index)
            if phase.skipsBlanks, Byte.isBlank(byte) {
                index = chunk.endOfBlanks(from: index)
                continue
            }
            switch phase {
            case .start:
                if byte == 0xEF {
                    phase = .markSecond
                    index += 1
                } else {
                    phase = .root
                }
            case .markSecond, .markThird:
                guard byte == (phase == .markSecond ? 0xBB : 0xBF) else {
                    throw flaw(.notJSON(found: ""), at: index)
                }
                phase = phase == .markSecond ? .markThird : .root
                index += 1
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
                    throw flaw(
                        .malformed(JSONSyntaxError.expectedKey(byte, isFirst: phase == .firstKey)), at: index)
                }
            case .keyText:
                guard let end = try readValue(chunk, from: index) else { return }
                try endKey(at: end, of: chunk)
                index = end
            case .colon:
                guard byte == Byte.colon else {
                    throw flaw(.malformed(.expected(.colon, found: byte)), at: index)
                }
                phase = .member
                index += 1
            case .member:
                if try startMember(byte, at: index) { index += 1 }
                chunk = whole.extracting(0..<end(of: whole))
            case .value:
                guard let end = try readValue(chunk, from: index) else { return }
                endMember(at: end, of: chunk)
                index = end
            case .behindMember:
                if isAside, surroundings.countAside >= Limit.keysAside {
                    // Enough seen of it: the rest is a value like any other.
                    isAside = false
                    reader.beginBehindMember(maxDepth: maxDepth - level)
                    phase = .value
                    continue
                }
                if byte == Byte.comma {
                    phase = .key
                } else if byte == Byte.closeBrace {
                    endObject(at: index, of: chunk)
                    chunk = whole.extracting(0..<end(of: whole))
                } else {
                    throw flaw(
                        .malformed(.expected(.commaOrEndOfObject, found: byte)), at: index)
                }
                index += 1

            case .firstElement, .element:
                if byte == Byte.closeBracket {
                    guard phase == .firstElement else {
                        throw flaw(.malformed(.trailingComma(inObject: false)), at: index)
                    }
                    endList()
                    index += 1
                } else if byte == Byte.quote,
                    case let next = try lendPlainStrings(of: chunk, from: index, element),
                    next > index
                {
                    index = next
                } else {
                    startElement(at: index)
                }
            case .elementText:
                guard let end = try readValue(chunk, from: index) else { return }
                try endElement(at: end, of: chunk, element)
                index = end
            case .behindElement:
                if byte == Byte.comma {
                    phase = .element
                } else if byte == Byte.closeBracket {
                    endList()
                } else {
                    throw flaw(
                        .malformed(.expected(.commaOrEndOfList, found: byte)), at: index)
                }
                index += 1

            case .end:
                throw flaw(.malformed(.trailingContent(byte)), at: index)
            }
        }
    }

    /// Where the part of `chunk` ends that is still to be read, now that something may be wrong.
    private func end(of chunk: RawSpan) -> Int {
        guard let wrongShape else { return chunk.byteCount }
        return Int(min(Int64(chunk.byteCount), wrongShape.offset + Limit.lookAround - offset))
    }
}
