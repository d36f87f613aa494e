import RESTClient

/// The result of scanning a document, for comparisons.
struct Scan: Equatable {
    var elements: [String] = []
    /// Known for elements in one chunk only, so they are not compared.
    private(set) var traits: [ElementTraits] = []
    /// The members of elements that differ from those that `forEachMember` finds.
    var wrongMembers: [String] = []
    var envelope: String?
    var failure: ListScanner.Failure?

    /// Scans `text` in chunks of a size.
    init(
        _ text: String, at path: MemberPath = "items", pieces size: Int = .max,
        maxItemBytes: Int = 16 << 20, maxDepth: Int = 512
    ) {
        self.init(
            Array(text.utf8), at: path,
            cuts: size == .max ? [] : Array(stride(from: size, to: text.utf8.count, by: size)),
            maxItemBytes: maxItemBytes, maxDepth: maxDepth)
    }

    /// Scans `bytes` in the chunks between `cuts`, which ascend.
    init(
        _ bytes: [UInt8], at path: MemberPath = "items", cuts: [Int] = [],
        maxItemBytes: Int = 16 << 20, maxDepth: Int = 512, findsMembers: Bool = false
    ) {
        var scanner = ListScanner(at: path, maxItemBytes: maxItemBytes, maxDepth: maxDepth)
        do {
            var start = 0
            for end in cuts + [bytes.count] {
                // A separate copy, so that the address sanitizer detects reads outside of it.
                let piece = Array(bytes[start..<end])
                let chunk = ArraySlice(piece).span.bytes
                if findsMembers {
                    try scanner.scanMembers(chunk) { element, traits, members in
                        add(element, traits)
                        check(members.members(of: element), of: element)
                    }
                } else {
                    try scanner.scanElements(chunk) { add($0, $1) }
                }
                start = end
            }
            envelope = try scanner.finish().description
        } catch let failure as ListScanner.Failure {
            self.failure = failure
        } catch {
            preconditionFailure("a scanner throws nothing else: \(error)")
        }
    }

    static func == (first: Self, second: Self) -> Bool {
        first.elements == second.elements && first.wrongMembers == second.wrongMembers
            && first.envelope == second.envelope && first.failure == second.failure
    }

    private mutating func add(_ element: RawSpan, _ traits: ElementTraits) {
        elements.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        self.traits.append(traits)
    }

    private mutating func check(_ members: [ElementMembers.Member], of element: RawSpan) {
        var expected: [Range<Int>] = []
        ListScanner.forEachMember(of: element) { expected += [$0, $1] }
        if members.flatMap({ [$0.key, $0.value] }) != expected {
            wrongMembers.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
    }

    var reason: ListScanner.Failure.Reason? { failure?.reason }
}
