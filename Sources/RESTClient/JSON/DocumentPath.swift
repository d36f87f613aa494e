import RESTClientHTTP

/// The objects on the path to the list, and their direct members, whose lists an error message can suggest. An element of a list
/// on the path is a member whose name is its index, such as `[1]`.
///
/// A visitor of the document. It stops where the list begins: the elements are read elsewhere.
struct DocumentPath: TokenVisitor {
    /// A place where the document is not read further at once.
    struct Stop {
        /// The reason and the path of a failure, or `nil` where the list begins.
        var failure: (reason: ListScanner.Failure.Reason, path: String)?
        /// The index of the failure in the current chunk.
        let index: Int
        /// The index at which to continue.
        let next: Int
    }

    private static let keyBytes = 1024
    /// The maximum number of keys that are examined in an object next to the path.
    private static let maxSiblingKeys = 256

    let names: [[UInt8]]
    /// The byte with which the list, or the object of `members`, begins.
    let startOfList: UInt8
    private let maxKeyBytes: Int
    var context: ParseContext

    private(set) var stop: Stop?
    /// The number of open objects on the path.
    private(set) var level = 0
    /// The number of elements so far of each of them that is a list, and `nil` for the others.
    private var elementCounts: [Int?] = []
    /// The number of names of the path that were found.
    private var matched = 0
    /// A Boolean value that indicates whether the current key is the next name of the path.
    private var isOnPath = false
    /// A Boolean value that indicates whether the current object is next to the path.
    private var isInSibling = false
    /// A Boolean value that indicates whether the value of the current key is next, or is read.
    private var isInValue = false
    /// The current key, if it continues in the next chunk.
    private var key = ChunkCarry()
    private var isKeyCut = false
    /// The current member, if it can become part of the envelope.
    private var member = ChunkCarry()
    private var isKeepingMember = false
    private var members = EnvelopeBuilder()

    init(to path: MemberPath, startOfList: UInt8) {
        self.startOfList = startOfList
        names = path.names.map { Array($0.utf8) }
        // An escape takes at most six bytes for each byte of a name.
        maxKeyBytes = max(Self.keyBytes, 6 * (names.map { $0.count }.max() ?? 0) + 2)
        context = ParseContext(path: path)
    }

    /// The kind of value that is expected at the path.
    var expectedItems: ExpectedJSON { startOfList == Byte.openBrace ? .object : .list }

    var envelope: Envelope { members.envelope(along: names.isEmpty ? [] : context.path.names.dropLast()) }

    /// Continues in the next chunk.
    mutating func carry(_ chunk: RawSpan) {
        if isKeyCut { key.carry(chunk) }
        if isKeepingMember { member.carry(chunk) }
    }

    /// Returns where the document was not read further.
    mutating func takeStop() -> Stop? {
        defer { stop = nil }
        return stop
    }

    /// Continues after the list.
    mutating func endList() { isInValue = false }

    /// The path of the next byte, in JSONPath syntax (RFC 9535).
    var location: String {
        guard level > 0 else { return ParseContext.jsonPath(.root) }
        if isInValue || isInSibling {
            return ParseContext.jsonPath(context.path(level: level, isInSibling: isInValue && isInSibling))
        }
        return ParseContext.jsonPath(MemberPath(names: Array(context.path.names.prefix(level - 1))))
    }

    /// Returns `true` if a value that begins with `byte` can contain the next name of the path.
    func canEnter(_ byte: UInt8) -> Bool {
        level < names.count
            && (byte == Byte.openBrace
                || byte == Byte.openBracket && context.path.names[level].isElementIndex)
    }

    // MARK: Tokens

    var isFinished: Bool { stop != nil }

    /// The number of containers around the keys that are examined.
    private var depth: Int { isInSibling ? level + 1 : level }

    mutating func readKey(_ key: Range<Int>, _ kind: TextKind, of bytes: RawSpan, depth: Int) {
        guard depth == self.depth, level > 0 else { return }
        startKey(at: key.lowerBound)
        endKey(at: key.upperBound, of: bytes)
    }

    mutating func readScalar(
        _ scalar: Range<Int>, _ first: UInt8, _ kind: TextKind, of bytes: RawSpan, depth: Int
    ) {
        context.examineFirstElement(isObject: false)
        guard depth == self.depth, level > 0 else { return }
        startMember(first, at: scalar.lowerBound, next: scalar.upperBound)
        endMember(at: scalar.upperBound, of: bytes)
    }

    mutating func cut(_ bytes: RawSpan, at start: Int, isKey: Bool, depth: Int) {
        if !isKey { context.examineFirstElement(isObject: false) }
        guard depth == self.depth, level > 0 else { return }
        isKeyCut = isKey
        if isKey { return startKey(at: start) }
        let first = bytes.byte(at: start)
        startMember(first, at: start, next: first == Byte.quote ? start + 1 : start)
    }

    mutating func endCut(at end: Int, isKey: Bool, of bytes: RawSpan, depth: Int) {
        guard depth == self.depth, level > 0 else { return }
        isKeyCut = false
        if isKey { endKey(at: end, of: bytes) } else { endMember(at: end, of: bytes) }
    }

    mutating func open(_ bracket: UInt8, at index: Int, depth: Int) {
        context.examineFirstElement(isObject: bracket == Byte.openBrace)
        guard depth == self.depth else { return }
        if level > 0 {
            startMember(bracket, at: index, next: index + 1)
        } else if bracket == Byte.openBrace || canEnter(bracket) {
            enter(bracket)
        }
    }

    mutating func close(at end: Int, of bytes: RawSpan, depth: Int) {
        context.examineFirstElement(isObject: false)
        guard level > 0 else { return }
        if depth == self.depth {
            endMember(at: end, of: bytes)
        } else if depth == self.depth - 1 {
            endObject(at: end, of: bytes)
        }
    }

    // MARK: Members

    private mutating func enter(_ bracket: UInt8) {
        level += 1
        elementCounts.append(bracket == Byte.openBracket ? 0 : nil)
        isInValue = false
        context.enterObject()
    }

    private mutating func startKey(at index: Int) {
        key.begin(at: index, limit: maxKeyBytes)
        guard !isInSibling else { return }
        isKeepingMember = true
        member.begin(at: index, limit: members.limit)
    }

    private mutating func endKey(at end: Int, of chunk: RawSpan) {
        defer { isInValue = true }
        let next = !isInSibling && level <= names.count ? names[level - 1] : nil
        // A copy, so that both can change.
        var text = key
        let isNext = text.end(at: end, of: chunk) { bytes, range in
            let key = bytes.extracting(range.range)
            context.add(key: key.byteCount <= Self.keyBytes ? key : nil, isInSibling: isInSibling)
            return next.map { ListScanner.key(key, equals: $0) } ?? false
        }
        if isNext == nil { context.add(key: nil, isInSibling: isInSibling) }
        isOnPath = isNext ?? false
        guard isOnPath else { return }
        if matched >= level {
            let error = JSONSyntaxError.duplicateKey(context.path.names[level - 1])
            stop = Stop(failure: (.malformed(error), location), index: end - 1, next: end)
        }
        matched = level
    }

    private mutating func startMember(_ byte: UInt8, at index: Int, next: Int) {
        if !isInSibling, let count = elementCounts[level - 1] { startElement(count, at: index) }
        if isOnPath {
            isKeepingMember = false
            let isLast = level == names.count
            if isLast, byte == startOfList { return stop = Stop(index: index, next: next) }
            if canEnter(byte) { return enter(byte) }
            if let kind = FoundJSON(startingWith: byte) {
                let path = MemberPath(names: Array(context.path.names.prefix(level)))
                stopAtMismatch(path, isLast ? expectedItems : .object, kind, at: index, next: next)
            }
        }
        if byte == Byte.openBracket { context.addList(level: level, isInSibling: isInSibling) }
        if byte == Byte.openBrace, !isInSibling {
            (isInSibling, isInValue) = (true, false)
            context.enterSibling()
        }
    }

    private mutating func startElement(_ count: Int, at index: Int) {
        elementCounts[level - 1] = count + 1
        let key = Array("\"[\(count)]\"".utf8)
        context.add(key: ArraySlice(key).span.bytes, isInSibling: false)
        isInValue = true
        isOnPath = level <= names.count && key.dropFirst().dropLast().elementsEqual(names[level - 1])
        if isOnPath { matched = level }
        isKeepingMember = true
        member.begin(at: index, limit: members.limit)
    }

    private mutating func endMember(at end: Int, of chunk: RawSpan) {
        isInValue = false
        if isInSibling {
            // The rest of the object is not examined.
            if context.siblingKeyCount >= Self.maxSiblingKeys { (isInSibling, isInValue) = (false, true) }
            return
        }
        guard isKeepingMember else { return }
        isKeepingMember = false
        var text = member
        let isKept: Void? = text.end(at: end, of: chunk) {
            var text: [UInt8] = elementCounts[level - 1] == nil ? [] : context.key + [Byte.colon]
            text.append($0.extracting($1.range))
            members.add(text, key: context.key, level: level - 1)
        }
        if isKept == nil { members.omit(context.key, level: level - 1) }
    }

    private mutating func endObject(at end: Int, of chunk: RawSpan) {
        if isInSibling {
            isInSibling = false
            return endMember(at: end, of: chunk)
        }
        if level <= names.count, matched < level {
            stopAtMismatch(context.path, expectedItems, .keys(context.keys), at: end - 1, next: end)
        }
        level -= 1
        elementCounts.removeLast()
        isInValue = false
    }

    private mutating func stopAtMismatch(
        _ path: MemberPath, _ expected: ExpectedJSON, _ found: FoundJSON, at index: Int, next: Int
    ) {
        let reason = ListScanner.Failure.Reason.wrongShape(
            path: path, expected: expected, found: found, lists: [])
        stop = Stop(failure: (reason, location), index: index, next: next)
    }
}

extension FoundJSON {
    /// The kind of value that begins with `byte`, or `nil` if none does.
    init?(startingWith byte: UInt8) {
        switch byte {
        case Byte.quote: self = .string
        case Byte.openBrace: self = .object
        case Byte.openBracket: self = .list
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
        default: return nil
        }
    }
}
