import HTTPCore

/// Collects the members around a list for its envelope, and keeps within bounds: the smallest where not all fit.
///
/// A large member must not keep a small one out that comes behind it, because that may be the way to the next page.
struct SmallMembers {
    private static let bytes = 64 << 10
    /// What each member counts besides its text, so that their number is bounded, too.
    private static let overhead = 32
    /// Below this size all members are equal, and the first ones stay.
    private static let small = 512

    /// `"key": value`, and how many names of the path lead to the object it is a member of.
    private var members: [(level: Int, text: [UInt8])] = []
    private var size = 0
    /// The largest member that may still come in: halved whenever they get too large together.
    private(set) var limit = bytes

    /// Whether small ones did not fit either.
    private var isCut = false
    /// The names of members that were too large, and how many names lead to each.
    private var leftOut: [(level: Int, name: String)] = []
    private static let maxLeftOut = 64

    mutating func add(_ text: RawSpan, level: Int) {
        guard text.byteCount <= limit else { return leaveOut(Self.name(of: text), level: level) }
        let size = text.byteCount + Self.overhead
        while self.size + size > Self.bytes, limit > Self.small { halveLimit() }
        guard self.size + size <= Self.bytes else {
            isCut = true
            return
        }
        guard text.byteCount <= limit else { return leaveOut(Self.name(of: text), level: level) }
        var copy: [UInt8] = []
        copy.append(text)
        members.append((level, copy))
        self.size += size
    }

    /// Notes a member that is too large: who looks for it must not think that it is not there.
    mutating func leaveOut(_ name: String, level: Int) {
        if leftOut.count < Self.maxLeftOut { leftOut.append((level, name)) }
    }

    private mutating func halveLimit() {
        limit /= 2
        for member in members where member.text.count > limit {
            leaveOut(Self.name(of: member.text.span.bytes), level: member.level)
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
        let leftOut = leftOut.map { MemberPath(names: Array(names.prefix($0.level)) + [$0.name]) }
        return Envelope(text: text, isCut: isCut, leftOut: leftOut)
    }

    /// The name of a member, which its text begins with.
    private static func name(of text: RawSpan) -> String {
        var end = 1
        while end < text.byteCount, text.byte(at: end) != Byte.quote {
            end += text.byte(at: end) == Byte.backslash ? 2 : 1
        }
        return ListScanner.string(text.extracting(0..<min(end + 1, text.byteCount))) ?? ""
    }
}
