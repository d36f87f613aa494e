import RESTClientHTTP

/// Collects the members around a list for its envelope, and keeps within bounds: the smallest where not all fit.
///
/// A large member must not keep a small one out that comes behind it, because that may be the way to the next page.
struct SmallMembers {
    private static let bytes = 64 << 10
    /// What each member counts besides its text, so that their number is bounded, too.
    private static let overhead = 32
    /// Below this size all members are equal, and the first ones stay.
    private static let small = 512
    /// How many names of members that are too large are known.
    private static let mostLeftOut = 512
    /// A longer key is none that anybody asks for.
    private static let longestKey = 128

    /// `"key": value`, and how many names of the path lead to the object it is a member of.
    private var members: [(level: Int, keyBytes: Int, text: [UInt8])] = []
    /// The keys, as they are written, of members that are too large.
    private var leftOut: [(level: Int, key: [UInt8])] = []
    private var size = 0
    /// The largest member that may still come in: halved whenever they get too large together.
    private(set) var limit = bytes

    /// Whether small ones did not fit either, or not all that are too large are known.
    private var isCut = false

    /// Keeps a member whose text begins with `key`, or notes that it did not fit.
    mutating func add(_ text: RawSpan, key: [UInt8], level: Int) {
        let size = text.byteCount + Self.overhead
        while text.byteCount <= limit, self.size + size > Self.bytes, limit > Self.small { halveLimit() }
        guard text.byteCount <= limit else { return leaveOut(key, level: level) }
        guard self.size + size <= Self.bytes else {
            isCut = true
            return
        }
        var copy: [UInt8] = []
        copy.append(text)
        members.append((level, key.count, copy))
        self.size += size
    }

    /// Notes a member that is too large to be kept.
    mutating func leaveOut(_ key: some Collection<UInt8>, level: Int) {
        guard key.count <= Self.longestKey else { return }
        guard leftOut.count < Self.mostLeftOut else {
            isCut = true
            return
        }
        leftOut.append((level, Array(key)))
    }

    private mutating func halveLimit() {
        limit /= 2
        for member in members where member.text.count > limit {
            leaveOut(member.text.prefix(member.keyBytes), level: member.level)
        }
        members.removeAll { $0.text.count > limit }
        size = members.reduce(0) { $0 + $1.text.count + Self.overhead }
    }

    /// The members in the document's own shape, `names` being those that lead to the list.
    func envelope(along names: ArraySlice<String>) -> Envelope {
        var text: [UInt8] = []
        for level in 0...names.count {
            text.append(Byte.openBrace)
            var isFirst = true
            for member in members where member.level == level {
                if !isFirst { text.append(Byte.comma) }
                text.append(contentsOf: member.text)
                isFirst = false
            }
            if level < names.count {
                if !isFirst { text.append(Byte.comma) }
                text.append(contentsOf: JSONLiteral.quoted(names[names.startIndex + level]).utf8)
                text.append(Byte.colon)
            }
        }
        text.append(contentsOf: repeatElement(Byte.closeBrace, count: names.count + 1))
        let leftOut = leftOut.compactMap { level, key in
            ListScanner.string(key.span.bytes).map { MemberPath(names: names.prefix(level) + [$0]) }
        }
        return Envelope(text: text, isCut: isCut, leftOut: Set(leftOut))
    }
}
