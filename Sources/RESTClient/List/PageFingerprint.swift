import RESTClientHTTP

/// The first and the last elements of a page, to recognize a page that is sent again, and one that overlaps it.
struct PageFingerprint: Equatable {
    private(set) var first: Int?
    private var last: Int?
    private(set) var endsWithObject = false
    private var hash = Hasher()
    private var bytes = 0
    private(set) var count = 0
    /// The number of elements so far, including those that are not compared.
    private(set) var total = 0
    /// The number of elements of `start`, or `nil` if it is not needed.
    private let startCount: Int?
    /// The first `startCount` elements, as soon as they are known.
    private(set) var start: Start?

    /// The first elements of a page, and the last one of them.
    struct Start: Equatable {
        let hash: Int
        let last: Int?
    }

    init(startCount: Int? = nil) { self.startCount = startCount }

    /// All elements so far.
    var whole: Start { Start(hash: hash.finalize(), last: last) }

    /// The size up to which elements are compared.
    private static let maxBytes = 64 << 10

    var isAtLimit: Bool { bytes >= Self.maxBytes }

    mutating func add(_ batch: ElementBatch) {
        guard !batch.isEmpty else { return }
        if !isAtLimit || total < startCount ?? 0 { addStart(of: batch) }
        let end = batch.element(batch.count - 1)
        end.withUnsafeBytes { last = Self.hash($0) }
        endsWithObject = end.first == Byte.openBrace
        total += batch.count
    }

    private mutating func addStart(of batch: ElementBatch) {
        var index = total
        batch.forEach { element in
            index += 1
            if !isAtLimit {
                element.withUnsafeBytes { hash.combine(bytes: $0) }
                bytes += element.byteCount + 1
                count += 1
                if first == nil { first = hash.finalize() }
            }
            if index == startCount {
                start = Start(hash: hash.finalize(), last: element.withUnsafeBytes { Self.hash($0) })
            }
        }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hash = Hasher()
        hash.combine(bytes: bytes)
        return hash.finalize()
    }

    /// Returns `true` if the first elements are known and differ.
    func differs(from other: Self) -> Bool { first != nil && first != other.first }

    /// Returns `true` if this page begins with the last element of `other`, with `onlyObjects` an object.
    func overlaps(_ other: Self, onlyObjects: Bool) -> Bool {
        first != nil && first == other.last && (other.endsWithObject || !onlyObjects)
    }

    static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.bytes == right.bytes
            && left.hash.finalize() == right.hash.finalize()
    }
}
