import RESTClientHTTP

/// The search for the last item that was delivered before a position, after which a resumed listing continues.
///
/// An item that is identified by a member such as `id` is found where it has moved to, on this page or a later one. Another one
/// must be where it was. The number of places by which it has moved must be that by which the total has grown: otherwise, other
/// items may have moved from one side of it to the other.
struct ResumePoint {
    /// The text by `mark(of:identified:)`.
    private let mark: String
    private let isIdentified: Bool
    /// The index at which the item was delivered, from the first item of the page of the position.
    private let index: Int
    /// The total when the position was made, or `nil` if there was none.
    let total: Int?
    /// The number of items on the pages that were searched before.
    private var itemsBefore = 0
    /// The number of places by which the item has moved to the end of the list, or `nil` if it was not found yet.
    private(set) var shift: Int?
    var isFound: Bool { shift != nil }
    /// The item, as soon as it was found.
    private(set) var item: [UInt8] = []

    /// Creates the search for the last item before `token`, or returns `nil` for the start of a page.
    init?(_ token: ResumeToken) {
        guard token.skip > 0, let mark = token.lastItem else { return nil }
        self.mark = mark
        isIdentified = mark.hasPrefix("i")
        index = token.skip - 1
        total = token.total
    }

    /// Returns the number of items of the page up to the item, if the batch from index `start` has it.
    mutating func find(in batch: ElementBatch, from start: Int) -> Int? {
        for offset in 0..<batch.count {
            let place = itemsBefore + start + offset
            guard isIdentified || place == index else { continue }
            let element = batch.element(offset)
            guard Self.mark(of: element, identified: isIdentified) == mark else { continue }
            (shift, item) = (place - index, element)
            return start + offset + 1
        }
        return nil
    }

    /// Ends the search on a page. Returns `true` if the item can be on the next one of the grown list.
    mutating func continues(after count: Int, growth: Int) -> Bool {
        itemsBefore += count
        return isIdentified && index.addingClamped(growth) >= itemsBefore
    }

    /// Returns a text that is the same for the same item in another process: a checksum of its identity, or of all its bytes.
    static func mark(of element: [UInt8], identified: Bool) -> String {
        let identity = identified ? DeliveredItems.identity(ofSingle: element) : nil
        return (identity == nil ? "" : "i") + String((identity ?? element).stableHash, radix: 16)
    }
}
