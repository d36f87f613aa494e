extension ListWalk {
    // MARK: Starts; those that give a truth value say whether they used the byte

    mutating func startRoot(_ byte: UInt8, at index: Int) throws -> Bool {
        if byte == Byte.openBracket, names.isEmpty {
            try startList(at: index)
            return true
        }
        guard let kind = Self.kind(byte) else { throw flaw(.notJSON(found: ""), at: index) }
        if byte == Byte.openBrace {
            if names.isEmpty { setWrongShape(at: .root, expected: .list, found: kind, index: index) }
            try enterObject(at: index)
            return true
        }
        isBareWord = byte != Byte.quote && byte != Byte.openBracket
        if byte == Byte.openBracket { surroundings.noteRootList() }
        let found = byte == Byte.openBracket ? .topLevelList : kind
        setWrongShape(at: surroundings.path, expected: .list, found: found, index: index)
        startValue()
        return false
    }

    mutating func startKey(at index: Int) {
        text.begin(at: index, limit: maxKeyBytes)
        if !isAside {
            isKeepingMember = true
            member.begin(at: index, limit: members.limit)
        }
        reader.begin(maxDepth: 0)
        phase = .keyText
    }

    mutating func startMember(_ byte: UInt8, at index: Int) throws -> Bool {
        if isOnWay {
            isKeepingMember = false
            let isLast = level == names.count
            if isLast, byte == Byte.openBracket {
                try startList(at: index)
                return true
            }
            if !isLast, byte == Byte.openBrace {
                try enterObject(at: index)
                return true
            }
            if let kind = Self.kind(byte) {
                let place = MemberPath(names: Array(surroundings.path.names.prefix(level)))
                setWrongShape(at: place, expected: isLast ? .list : .object, found: kind, index: index)
            }
        }
        if byte == Byte.openBracket { surroundings.noteList(level: level, isAside: isAside) }
        if byte == Byte.openBrace, !isAside {
            try checkDepth(at: index)
            isAside = true
            surroundings.enterAside()
            phase = .firstKey
            return true
        }
        startValue()
        return false
    }

    mutating func startElement(at index: Int) {
        elementOffset = offset + Int64(index)
        text.begin(at: index, limit: maxItemBytes)
        reader.begin(maxDepth: maxDepth - level - 1)
        phase = .elementText
    }

    private mutating func startValue() {
        reader.begin(maxDepth: maxDepth - level - (isAside ? 1 : 0))
        phase = .value
    }

    private mutating func startList(at index: Int) throws {
        try checkDepth(at: index)
        phase = .firstElement
    }

    private mutating func enterObject(at index: Int) throws {
        try checkDepth(at: index)
        level += 1
        surroundings.enterObject()
        phase = .firstKey
    }

    private func checkDepth(at index: Int) throws {
        if level + (isAside ? 1 : 0) >= maxDepth { throw flaw(.tooDeep(limit: maxDepth), at: index) }
    }

    // MARK: The fast lane

    /// Lends strings without escapes, all ASCII, that lie whole in the chunk one behind the other, the first at `start`:
    /// the index behind them and what parts them, `start` where there is none.
    ///
    /// It only takes what is certain. Everything else, each error and each end of a chunk in an element, is for the
    /// walk, which gives the same answers without it.
    mutating func lendPlainStrings(
        of chunk: RawSpan, from start: Int, _ element: (RawSpan, TextPlace) throws -> Void
    ) throws -> Int {
        let count = chunk.byteCount
        var index = start
        while true {
            let end = chunk.endOfPlainText(from: index &+ 1)
            guard end < count, chunk.byte(at: end) == Byte.quote, end &- index < maxItemBytes else {
                return index
            }
            try element(chunk, TextPlace(start: index, end: end &+ 1, isInChunk: true, isPlain: true))
            items &+= 1
            index = end &+ 1
            guard index < count, chunk.byte(at: index) == Byte.comma else {
                phase = .behindElement
                return index
            }
            phase = .element
            index &+= 1
            guard index < count else { return index }
            if chunk.byte(at: index) == Byte.quote { continue }
            index = chunk.endOfBlanks(from: index)
            guard index < count, chunk.byte(at: index) == Byte.quote else { return index }
        }
    }

    // MARK: Ends

    mutating func endKey(at end: Int, of chunk: RawSpan) throws {
        let next = !isAside && level <= names.count ? names[level - 1] : nil
        isOnWay = Self.note(&text, endingAt: end, of: chunk, in: &surroundings, isAside: isAside, next: next)
        if isOnWay {
            guard matched < level else {
                let name = surroundings.path.names[level - 1]
                throw flaw(.malformed(.duplicateKey(name)), at: end - 1)
            }
            matched = level
        }
        phase = .colon
    }

    /// Notes a key, and says whether it is `next`.
    private static func note(
        _ text: inout CarriedText, endingAt end: Int, of chunk: RawSpan,
        in surroundings: inout Surroundings, isAside: Bool, next: [UInt8]?
    ) -> Bool {
        let isNext: Bool? = text.end(at: end, of: chunk) { bytes, place in
            let key = bytes.extracting(place.range)
            surroundings.note(key: key.byteCount <= Limit.keyBytes ? key : nil, isAside: isAside)
            return next.map { ListScanner.matches(key, $0) } ?? false
        }
        if isNext == nil { surroundings.note(key: nil, isAside: isAside) }
        return isNext ?? false
    }

    mutating func endMember(at end: Int, of chunk: RawSpan) {
        phase = level == 0 ? .end : .behindMember
        guard isKeepingMember, !isAside else { return }
        isKeepingMember = false
        Self.keep(
            &member, endingAt: end, of: chunk, in: &members, key: surroundings.key, level: level - 1)
    }

    private static func keep(
        _ text: inout CarriedText, endingAt end: Int, of chunk: RawSpan, in members: inout SmallMembers,
        key: [UInt8], level: Int
    ) {
        let isHere: Void? = text.end(at: end, of: chunk) {
            members.add($0.extracting($1.range), key: key, level: level)
        }
        if isHere == nil { members.leaveOut(key, level: level) }
    }

    mutating func endObject(at index: Int, of chunk: RawSpan) {
        if isAside {
            isAside = false
            endMember(at: index + 1, of: chunk)
            return
        }
        if level <= names.count, matched < level {
            setWrongShape(
                at: surroundings.path, expected: .list, found: .keys(surroundings.keys), index: index)
        }
        level -= 1
        phase = level == 0 ? .end : .behindMember
    }

    mutating func endElement(
        at end: Int, of chunk: RawSpan, _ element: (RawSpan, TextPlace) throws -> Void
    ) throws {
        guard try text.end(at: end, of: chunk, element) != nil else {
            throw Flaw(failure: itemTooLarge)
        }
        items += 1
        phase = .behindElement
    }

    mutating func endList() {
        phase = level == 0 ? .end : .behindMember
    }

    /// The index behind the value at hand, `nil` when it goes on behind the chunk.
    mutating func readValue(_ chunk: RawSpan, from index: Int) throws -> Int? {
        do {
            return try reader.read(chunk, from: index)
        } catch {
            switch error.kind {
            case .malformed(let message): throw flaw(.malformed(message), at: error.index)
            case .tooDeep: throw flaw(.tooDeep(limit: maxDepth), at: error.index)
            }
        }
    }

    // MARK: Failures

    var itemTooLarge: Failure {
        var failure = failure(.itemTooLarge(limit: maxItemBytes))
        failure.offset = elementOffset + Int64(maxItemBytes)
        return failure
    }

    func flaw(_ reason: Failure.Reason, at index: Int) -> Flaw {
        var failure = failure(reason, at: index)
        if isBareWord, case .malformed = reason {
            failure.reason = .notJSON(found: "")
            failure.offset = rootOffset
        } else if phase == .elementText, failure.offset - elementOffset > Int64(maxItemBytes) {
            failure = itemTooLarge
        }
        return Flaw(failure: failure)
    }

    private mutating func setWrongShape(
        at path: MemberPath, expected: RESTClientError.ExpectedJSON, found: RESTClientError.FoundJSON,
        index: Int
    ) {
        wrongShape = failure(.wrongShape(path: path, expected: expected, found: found, lists: []), at: index)
    }

    /// `failure` with the lists that were seen since.
    func withLists(_ failure: Failure) -> Failure {
        var failure = failure
        if case .wrongShape(let path, let expected, let found, _) = failure.reason {
            failure.reason = .wrongShape(
                path: path, expected: expected, found: found, lists: surroundings.lists)
        }
        return failure
    }

    /// Where the next byte is, as JSONPath writes it (RFC 9535).
    var place: String {
        let path = surroundings.path
        switch phase {
        case .start, .markSecond, .markThird, .root, .end: return Surroundings.jsonPath(.root)
        case .firstElement, .element, .elementText: return Surroundings.jsonPath(path, index: items)
        case .behindElement: return Surroundings.jsonPath(path)
        case .colon, .member, .value:
            return Surroundings.jsonPath(
                level == 0 ? .root : surroundings.place(level: level, isAside: isAside))
        case .firstKey, .key, .keyText, .behindMember:
            return Surroundings.jsonPath(
                isAside
                    ? surroundings.place(level: level, isAside: false)
                    : MemberPath(names: Array(path.names.prefix(level - 1))))
        }
    }

    /// What kind of value `byte` begins, `nil` for none.
    private static func kind(_ byte: UInt8) -> RESTClientError.FoundJSON? {
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
