import Foundation

/// A response body `{"items":["item 1","item 2",…]}` of any length, generated while it is read.
struct GeneratedList: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let count: Int
    /// The number of the last item, or `nil` at the start.
    var last: Int?

    func makeAsyncIterator() -> Self { self }

    mutating func next() async -> Data? {
        let first = last ?? 0
        guard last == nil || first < count else { return nil }
        let end = Swift.min(first + 2_000, count)
        last = end
        let items = (first..<end).map { "\"item \($0 + 1)\"" }.joined(separator: ",")
        let start = first == 0 ? #"{"items":["# : ","
        return Data((start + items + (end == count ? "]}" : "")).utf8)
    }
}
