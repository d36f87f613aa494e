import Foundation

/// A response body `{"items":["item 1","item 2",…]}` of any length, generated while it is read.
struct GeneratedList: AsyncSequence, Sendable {
    let count: Int

    func makeAsyncIterator() -> Iterator { Iterator(count: count) }

    struct Iterator: AsyncIteratorProtocol {
        private static let chunk = 64 << 10

        private let count: Int
        private var number = 0
        private var isOver = false
        /// The current item after a comma.
        private var item = Array(#","item 0""#.utf8)

        fileprivate init(count: Int) { self.count = count }

        mutating func next() async -> Data? {
            guard !isOver else { return nil }
            var bytes = number == 0 ? Array(#"{"items":["#.utf8) : []
            bytes.reserveCapacity(Self.chunk)
            // The remaining space always fits an item and the end of the list.
            while number < count, bytes.count < Self.chunk - 64 {
                countUp()
                if number == 0 { bytes += item.dropFirst() } else { bytes += item }
                number += 1
            }
            if number == count {
                bytes += "]}".utf8
                isOver = true
            }
            return Data(bytes)
        }

        /// Increments the digits of the item in place.
        private mutating func countUp() {
            var index = item.count - 2
            while item[index] == UInt8(ascii: "9") {
                item[index] = UInt8(ascii: "0")
                index -= 1
            }
            if item[index] == UInt8(ascii: " ") {
                item.insert(UInt8(ascii: "1"), at: index + 1)
            } else {
                item[index] += 1
            }
        }
    }
}
