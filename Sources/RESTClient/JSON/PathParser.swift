import RESTClientHTTP

/// Parses a document: the path to its list, the elements of the list, and the rest.
struct PathParser {
    typealias Failure = ListScanner.Failure
    /// A function that is called with the text of each element, and its members if they are wanted.
    typealias ElementBody = (RawSpan, TokenRange, inout ElementMembers) throws -> Void

    /// An invalid document. It is distinct from the errors of the caller's closure.
    struct InvalidDocument: Error { let failure: Failure }

    /// The expected next byte. Whitespace is allowed before all phases from `root` on.
    enum Phase: UInt8 {
        case start, prefix, comma, document, elementText
        case root, firstElement, element, afterElement, end

        var skipsWhitespace: Bool { rawValue >= Self.root.rawValue }

        /// `true` in an element of the list, or where one can start.
        var isAtElement: Bool { self == .firstElement || self == .element || self == .elementText }
    }

    /// A byte order mark, and what some servers write before JSON, so that a web page cannot read it as a script; a comma can follow.
    private static let prefixes: [(bytes: [UInt8], next: Phase)] = [
        ([0xEF, 0xBB, 0xBF], .root), (Array(")]}'".utf8), .comma),
    ]

    /// Returns the text after such a prefix.
    static func document(in text: [UInt8]) -> ArraySlice<UInt8> {
        guard let prefix = prefixes.first(where: { text.starts(with: $0.bytes) }) else { return text[...] }
        let rest = text.dropFirst(prefix.bytes.count)
        return prefix.next == .comma && rest.first == Byte.comma ? rest.dropFirst() : rest
    }

    /// The number of bytes after a shape mismatch in which lists to suggest are looked for.
    private static let suggestionBytes: Int64 = 64 << 10

    let layout: ListScanner.Layout
    private let maxItemBytes: Int
    private let maxDepth: Int

    private(set) var phase = Phase.start
    /// The rest of a prefix, and the phase after it.
    private var prefix: (rest: ArraySlice<UInt8>, next: Phase) = ([], .root)
    /// Reads the document without the elements of the list.
    private var documentReader = ValueReader()
    private var document: DocumentPath
    /// Reads the current element.
    private(set) var reader = ValueReader()
    private var text = ChunkCarry()
    /// The parts of the current element.
    private var elementMembers = ElementMembers()
    /// The parts of each element that are found.
    var parts = ElementMembers.Parts.none

    /// The offset of the current chunk in the document.
    private var offset: Int64 = 0
    /// The offset of the current element in the document.
    private var elementOffset: Int64 = 0
    /// The number of elements found.
    private(set) var itemCount = 0
    /// `true` in a JSON text sequence, whose values have a record separator before them.
    private(set) var hasRecordSeparators = false

    /// The offset of a document that is a number or a literal, or `nil` for another document. A text that is not JSON can start
    /// with one.
    private var literalOffset: Int64?
    /// The shape mismatch. It is thrown at the end of the document, or after `suggestionBytes`.
    private var wrongShape: Failure?

    init(to path: MemberPath, _ layout: ListScanner.Layout, maxItemBytes: Int, maxDepth: Int) {
        self.layout = layout
        self.maxItemBytes = maxItemBytes
        self.maxDepth = maxDepth
        document = DocumentPath(
            to: path, startOfList: layout == .members ? Byte.openBrace : Byte.openBracket)
        documentReader.begin(maxDepth: maxDepth)
    }

    /// Parses the next chunk of the document.
    mutating func read(_ chunk: RawSpan, _ element: ElementBody) throws {
        try parse(chunk, element)
        if phase == .elementText {
            text.carry(chunk)
            if text.isTooLong { throw InvalidDocument(failure: itemTooLarge) }
        }
        document.carry(chunk)
        offset += Int64(chunk.byteCount)
        if let wrongShape, offset >= wrongShape.offset + Self.suggestionBytes {
            throw InvalidDocument(failure: withLists(wrongShape))
        }
    }

    /// Ends the document.
    func finish() throws -> Envelope {
        // A record separator without a value after it is ignored (RFC 7464, section 2.1).
        if layout == .sequence, [.start, .root, .firstElement, .element, .afterElement].contains(phase) {
            return document.envelope
        }
        switch phase {
        case .start, .comma, .root: throw failure(.notJSON(found: ""))
        case .end: break
        case .document where documentReader.isWholeNumber: break
        default: throw failure(.incomplete)
        }
        if let wrongShape { throw withLists(wrongShape) }
        return document.envelope
    }

    /// Returns a failure at `index` of the current chunk.
    func failure(_ reason: Failure.Reason, at index: Int = 0) -> Failure {
        Failure(
            reason: reason, offset: offset + Int64(index), path: location, itemCount: itemCount,
            isAtElement: phase.isAtElement)
    }

    // MARK: Document

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
                if let prefix = Self.prefixes.first(where: { $0.bytes[0] == byte }) {
                    self.prefix = (prefix.bytes.dropFirst(), prefix.next)
                    phase = .prefix
                    index += 1
                } else {
                    phase = .root
                }
            case .prefix:
                guard byte == prefix.rest.first else { throw documentError(.notJSON(found: ""), at: index) }
                prefix.rest.removeFirst()
                index += 1
                if prefix.rest.isEmpty { phase = prefix.next }
            case .comma:
                if byte == Byte.comma { index += 1 }
                phase = .root
            case .root where layout == .sequence: phase = .firstElement
            case .root:
                if try startRoot(byte, at: index) { index += 1 }
                chunk = whole.extracting(0..<end(of: whole))
            case .document:
                index = try readDocument(chunk, from: index)
                chunk = whole.extracting(0..<end(of: whole))

            case .firstElement, .element:
                if layout == .sequence, byte == 0x1E {
                    hasRecordSeparators = true
                    index += 1
                } else if layout == .members {
                    if byte == Byte.quote {
                        startElement(at: index)
                        reader.beginMember(maxDepth: maxDepth - document.level)
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
                do {
                    guard let end = try reader.read(chunk, from: index) else { return }
                    index = end
                } catch { throw malformed(error) }
                try endElement(at: index, of: chunk, element)
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
        return Int(min(Int64(chunk.byteCount), wrongShape.offset + Self.suggestionBytes - offset))
    }

    /// Starts the document. Returns `true` if it is the list, whose first byte is used.
    private mutating func startRoot(_ byte: UInt8, at index: Int) throws -> Bool {
        let isRoot = document.names.isEmpty || layout == .pathOrDocument && byte == Byte.openBracket
        if isRoot, byte == document.startOfList {
            document.context = ParseContext(path: .root)
            if maxDepth < 1 { throw malformed(.tooDeep(limit: maxDepth), at: index) }
            phase = .firstElement
            return true
        }
        guard let kind = FoundJSON(startingWith: byte) else {
            throw documentError(.notJSON(found: ""), at: index)
        }
        if byte == Byte.openBracket { document.context.addRootList() }
        if !document.canEnter(byte) {
            let found = byte == Byte.openBracket ? .topLevelList : kind
            let path = document.context.path
            wrongShape = failure(
                .wrongShape(path: path, expected: document.expectedItems, found: found, lists: []), at: index)
        }
        let isLiteral = byte != Byte.quote && byte != Byte.openBracket && byte != Byte.openBrace
        if isLiteral { literalOffset = offset + Int64(index) }
        phase = .document
        return false
    }

    /// Reads the document up to the next part that is read in another way. Returns the index after the bytes that were read.
    private mutating func readDocument(_ chunk: RawSpan, from start: Int) throws -> Int {
        var index = chunk.byteCount
        do {
            if let end = try documentReader.read(chunk, from: start, &document) { index = end }
        } catch { throw malformed(error) }
        if let stop = document.takeStop() {
            index = stop.next
            guard let (reason, path) = stop.failure else {
                phase = .firstElement
                return index
            }
            var failure = failure(reason, at: stop.index)
            failure.path = path
            guard case .wrongShape = reason else { throw InvalidDocument(failure: failure) }
            wrongShape = failure
        }
        if documentReader.isAtEnd { phase = .end }
        return index
    }

    private mutating func endList() {
        phase = document.level == 0 ? .end : .document
        guard phase == .document else { return }
        documentReader.skipContainer()
        document.endList()
    }

    // MARK: Elements

    /// Reads consecutive elements, the first at `start`. Returns the index after the bytes that were read.
    ///
    /// If the last one continues in the next chunk, `parse` reads its rest.
    private mutating func scanElements(
        of chunk: RawSpan, from start: Int, _ element: ElementBody
    ) throws -> Int {
        let count = chunk.byteCount
        var index = start
        while true {
            guard let (end, traits) = try readElement(of: chunk, at: index) else { return count }
            try element(
                chunk, TokenRange(start: index, end: end, isInChunk: true, traits: traits), &elementMembers)
            itemCount &+= 1
            index = end
            phase = .afterElement
            guard index < count, chunk.uncheckedByte(at: index) == Byte.comma, layout != .sequence else {
                return index
            }
            phase = .element
            index &+= 1
            guard index < count else { return index }
            if chunk.uncheckedByte(at: index) <= 0x20 {
                index = chunk.endOfWhitespace(from: index)
                guard index < count else { return index }
            }
            // The end of the list is an error here.
            if chunk.uncheckedByte(at: index) == Byte.closeBracket { return index }
        }
    }

    /// Returns the end and the traits of the element at `index`, or `nil` if it continues in the next chunk.
    @inline(__always)
    private mutating func readElement(
        of chunk: RawSpan, at index: Int
    ) throws -> (end: Int, traits: ElementTraits)? {
        let first = chunk.uncheckedByte(at: index)
        if parts != .none { elementMembers.forget() }
        if first != Byte.openBrace, first != Byte.openBracket {
            var traits = ElementTraits.plain
            let end =
                first != Byte.quote
                ? chunk.endOfScalar(first, from: index, isWhole: false)
                : parts == .text
                    ? elementMembers.readText(of: chunk, at: index, &traits)
                    : chunk.string(at: index, &traits)?.end
            if let end, end &- index <= maxItemBytes { return (end, traits) }
        }
        reader.begin(maxDepth: maxDepth &- document.level &- 1)
        do {
            let end =
                parts == .members
                ? try elementMembers.read(chunk, from: index, with: &reader)
                : try reader.read(chunk, from: index)
            if let end, end &- index <= maxItemBytes { return (end, reader.traits) }
            startElement(at: index)
            if end != nil { throw InvalidDocument(failure: itemTooLarge) }
            return nil
        } catch let error as ValueReader.ParseError {
            startElement(at: index)
            throw malformed(error)
        }
    }

    private mutating func startElement(at index: Int) {
        elementOffset = offset + Int64(index)
        text.begin(at: index, limit: maxItemBytes)
        phase = .elementText
    }

    private mutating func endElement(
        at end: Int, of chunk: RawSpan, _ element: ElementBody
    ) throws {
        // Separate from the text, so that both can change.
        var members = ElementMembers()
        swap(&members, &elementMembers)
        defer { swap(&members, &elementMembers) }
        members.forget()
        guard try text.end(at: end, of: chunk, { try element($0, $1, &members) }) != nil else {
            throw InvalidDocument(failure: itemTooLarge)
        }
        itemCount += 1
        phase = .afterElement
    }

    // MARK: Failures

    private func malformed(_ error: ValueReader.ParseError) -> InvalidDocument {
        // The limit of the reader is that of the value, at this level of the document.
        if case .tooDeep = error.error { return malformed(.tooDeep(limit: maxDepth), at: error.index) }
        return malformed(error.error, at: error.index)
    }

    private func malformed(_ error: JSONSyntaxError, at index: Int) -> InvalidDocument {
        documentError(.malformed(error), at: index)
    }

    private func documentError(_ reason: Failure.Reason, at index: Int) -> InvalidDocument {
        var failure = failure(reason, at: index)
        if let literalOffset, case .malformed = reason {
            failure.reason = .notJSON(found: "")
            failure.offset = literalOffset
        } else if phase == .elementText, failure.offset - elementOffset > Int64(maxItemBytes) {
            failure = itemTooLarge
        }
        return InvalidDocument(failure: failure)
    }

    private var itemTooLarge: Failure {
        var failure = failure(.itemTooLarge(limit: maxItemBytes))
        failure.offset = elementOffset + Int64(maxItemBytes)
        return failure
    }

    /// Returns `failure` with the lists that were found since.
    private func withLists(_ failure: Failure) -> Failure {
        var failure = failure
        if case .wrongShape(let path, let expected, let found, _) = failure.reason {
            failure.reason = .wrongShape(
                path: path, expected: expected, found: found, lists: document.context.lists)
        }
        return failure
    }

    /// The path of the next byte, in JSONPath syntax (RFC 9535).
    private var location: String {
        let path = document.context.path
        return switch phase {
        case .start, .prefix, .comma, .root, .end: ParseContext.jsonPath(.root)
        case .firstElement, .element, .elementText: ParseContext.jsonPath(path, index: itemCount)
        case .afterElement: ParseContext.jsonPath(path)
        case .document: document.location
        }
    }
}
