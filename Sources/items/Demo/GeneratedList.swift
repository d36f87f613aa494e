import Foundation

/// A response body `{"items":["item 1","item 2",…]}` of any length, generated while it is read.
struct GeneratedList: AsyncSequence, Sendable {
    let count: Int

    func makeAsyncIterator() -> Iterator { Iterator(count: count) }

    struct Iterator: AsyncIteratorProtocol {
        private static let itemsInChunk = 2_000

        let count: Int
        /// The number of the last item, or `nil` at the start.
        private var last: Int?

        init(count: Int) { self.count = count }

        mutating func next() async -> Data? {
            let first = last ?? 0
            guard last == nil || first < count else { return nil }
            let end = Swift.min(first + Self.itemsInChunk, count)
            last = end
            let items = (first..<end).map { "\"item \($0 + 1)\"" }.joined(separator: ",")
            let start = first == 0 ? #"{"items":["# : ","
            return Data((start + items + (end == count ? "]}" : "")).utf8)
        }
    }
}
