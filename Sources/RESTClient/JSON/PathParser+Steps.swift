import RESTClientHTTP

extension PathParser {
    // MARK: Starts. A Boolean result tells whether the byte was used.

    mutating func startRoot(_ byte: UInt8, at index: Int) throws -> Bool {
        let isRoot = names.isEmpty || layout == .pathOrDocument && byte == Byte.openBracket
        if isRoot, byte == startOfList {
            context = ParseContext(path: .root)
            try startList(at: index)
            return true
        }
        guard let kind = Self.kind(byte) else { throw documentError(.notJSON(found: ""), at: index) }
        if byte == Byte.openBrace {
            if names.isEmpty { setWrongShape(at: .root, expected: expectedItems, found: kind, index: index) }
            try enterObject(at: index)
            return true
        }
        isLiteralRoot = byte != Byte.quote && byte != Byte.openBracket
        if byte == Byte.openBracket { context.addRootList() }
        let found = byte == Byte.openBracket ? .topLevelList : kind
        setWrongShape(at: context.path, expected: expectedItems, found: found, index: index)
        startValue()
        return false
    }

    /// The byte with which the list, or the object of `members`, begins.
    private var startOfList: UInt8 { layout == .members ? Byte.openBrace : Byte.openBracket }

    private var expectedItems: ExpectedJSON { layout == .members ? .object : .list }

    mutating func startKey(at index: Int) {
        text.begin(at: index, limit: maxKeyBytes)
        if !isInSibling {
            isKeepingMember = true
            member.begin(at: index, limit: members.limit)
        }
        reader.begin(maxDepth: 0)
        phase = .keyText
    }

    mutating func startMember(_ byte: UInt8, at index: Int) throws -> Bool {
        if isOnPath {
            isKeepingMember = false
            let isLast = level == names.count
            if isLast, byte == startOfList {
                try startList(at: index)
                return true
            }
            if !isLast, byte == Byte.openBrace {
                try enterObject(at: index)
                return true
            }
            if let kind = Self.kind(byte) {
                let path = MemberPath(names: Array(context.path.names.prefix(level)))
                setWrongShape(at: path, expected: isLast ? expectedItems : .object, found: kind, index: index)
            }
        }
        if byte == Byte.openBracket { context.addList(level: level, isInSibling: isInSibling) }
        if byte == Byte.openBrace, !isInSibling {
            try checkDepth(at: index)
            isInSibling = true
            context.enterSibling()
            phase = .firstKey
            return true
        }
        startValue()
        return false
    }

    private mutating func startValue() {
        reader.begin(maxDepth: maxDepth - level - (isInSibling ? 1 : 0))
        phase = .value
    }

    private mutating func startList(at index: Int) throws {
        try checkDepth(at: index)
        phase = .firstElement
    }

    private mutating func enterObject(at index: Int) throws {
        try checkDepth(at: index)
        level += 1
        context.enterObject()
        phase = .firstKey
    }

    private func checkDepth(at index: Int) throws {
        if level + (isInSibling ? 1 : 0) >= maxDepth { throw malformed(.tooDeep(limit: maxDepth), at: index) }
    }

    // MARK: Elements

    /// Reads consecutive elements, the first at `start`. Returns the index after the bytes that were read.
    ///
    /// If the last one continues in the next chunk, `parse` reads its rest.
    mutating func scanElements(of chunk: RawSpan, from start: Int, _ element: ElementBody) throws -> Int {
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
        if first != Byte.openBrace, first != Byte.openBracket {
            if findsMembers { elementMembers.forget() }
            var traits = ElementTraits.plain
            let end =
                first == Byte.quote
                ? chunk.string(at: index, &traits)?.end
                : chunk.endOfScalar(first, from: index, isWhole: false)
            if let end, end &- index <= maxItemBytes { return (end, traits) }
        }
        reader.begin(maxDepth: maxDepth &- level &- 1)
        do {
            let end =
                findsMembers
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

    mutating func startElement(at index: Int) {
        elementOffset = offset + Int64(index)
        text.begin(at: index, limit: maxItemBytes)
        phase = .elementText
    }

    // MARK: Ends

    mutating func endKey(at end: Int, of chunk: RawSpan) throws {
        let next = !isInSibling && level <= names.count ? names[level - 1] : nil
        isOnPath = Self.addKey(
            &text, endingAt: end, of: chunk, in: &context, isInSibling: isInSibling, next: next)
        if isOnPath {
            guard matched < level else {
                let name = context.path.names[level - 1]
                throw malformed(.duplicateKey(name), at: end - 1)
            }
            matched = level
        }
        phase = .colon
    }

    /// Adds a key to the context, and returns `true` if it is `next`.
    private static func addKey(
        _ text: inout ChunkCarry, endingAt end: Int, of chunk: RawSpan,
        in context: inout ParseContext, isInSibling: Bool, next: [UInt8]?
    ) -> Bool {
        let isNext: Bool? = text.end(at: end, of: chunk) { bytes, range in
            let key = bytes.extracting(range.range)
            context.add(key: key.byteCount <= Limit.keyBytes ? key : nil, isInSibling: isInSibling)
            return next.map { ListScanner.key(key, equals: $0) } ?? false
        }
        if isNext == nil { context.add(key: nil, isInSibling: isInSibling) }
        return isNext ?? false
    }

    mutating func endMember(at end: Int, of chunk: RawSpan) {
        phase = level == 0 ? .end : .afterMember
        guard isKeepingMember, !isInSibling else { return }
        isKeepingMember = false
        Self.keep(&member, endingAt: end, of: chunk, in: &members, key: context.key, level: level - 1)
    }

    private static func keep(
        _ text: inout ChunkCarry, endingAt end: Int, of chunk: RawSpan, in members: inout EnvelopeBuilder,
        key: [UInt8], level: Int
    ) {
        let isKept: Void? = text.end(at: end, of: chunk) {
            members.add($0.extracting($1.range), key: key, level: level)
        }
        if isKept == nil { members.omit(key, level: level) }
    }

    mutating func endObject(at index: Int, of chunk: RawSpan) {
        if isInSibling {
            isInSibling = false
            endMember(at: index + 1, of: chunk)
            return
        }
        if level <= names.count, matched < level {
            setWrongShape(at: context.path, expected: expectedItems, found: .keys(context.keys), index: index)
        }
        level -= 1
        phase = level == 0 ? .end : .afterMember
    }

    mutating func endElement(
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

    mutating func endList() { phase = level == 0 ? .end : .afterMember }

    /// Returns the index after the current value, or `nil` if it continues in the next chunk.
    mutating func readValue(_ chunk: RawSpan, from index: Int) throws -> Int? {
        do { return try reader.read(chunk, from: index) } catch { throw malformed(error) }
    }

    private func malformed(_ error: ValueReader.ParseError) -> InvalidDocument {
        // The limit of the reader is that of the value, at this level of the document.
        if case .tooDeep = error.error { return malformed(.tooDeep(limit: maxDepth), at: error.index) }
        return malformed(error.error, at: error.index)
    }

    // MARK: Failures

    var itemTooLarge: Failure {
        var failure = failure(.itemTooLarge(limit: maxItemBytes))
        failure.offset = elementOffset + Int64(maxItemBytes)
        return failure
    }

    func documentError(_ reason: Failure.Reason, at index: Int) -> InvalidDocument {
        var failure = failure(reason, at: index)
        if isLiteralRoot, case .malformed = reason {
            failure.reason = .notJSON(found: "")
            failure.offset = rootOffset
        } else if phase == .elementText, failure.offset - elementOffset > Int64(maxItemBytes) {
            failure = itemTooLarge
        }
        return InvalidDocument(failure: failure)
    }

    func malformed(_ error: JSONSyntaxError, at index: Int) -> InvalidDocument {
        documentError(.malformed(error), at: index)
    }

    private mutating func setWrongShape(
        at path: MemberPath, expected: ExpectedJSON, found: FoundJSON,
        index: Int
    ) {
        wrongShape = failure(.wrongShape(path: path, expected: expected, found: found, lists: []), at: index)
    }

    /// Returns `failure` with the lists that were found since.
    func withLists(_ failure: Failure) -> Failure {
        var failure = failure
        if case .wrongShape(let path, let expected, let found, _) = failure.reason {
            failure.reason = .wrongShape(path: path, expected: expected, found: found, lists: context.lists)
        }
        return failure
    }

    /// The path of the next byte, in JSONPath syntax (RFC 9535).
    var location: String {
        let path = context.path
        switch phase {
        case .start, .bomSecond, .bomThird, .root, .end: return ParseContext.jsonPath(.root)
        case .firstElement, .element, .elementText:
            return ParseContext.jsonPath(path, index: itemCount)
        case .afterElement: return ParseContext.jsonPath(path)
        case .colon, .member, .value:
            return ParseContext.jsonPath(
                level == 0 ? .root : context.path(level: level, isInSibling: isInSibling))
        case .firstKey, .key, .keyText, .afterMember:
            return ParseContext.jsonPath(
                isInSibling
                    ? context.path(level: level, isInSibling: false)
                    : MemberPath(names: Array(path.names.prefix(level - 1))))
        }
    }

    /// Returns the kind of value that begins with `byte`, or `nil` if none does.
    private static func kind(_ byte: UInt8) -> FoundJSON? {
        switch byte {
        case Byte.quote: .string
        case Byte.openBrace: .object
        case Byte.openBracket: .list
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        default: nil
        }
    }
}
