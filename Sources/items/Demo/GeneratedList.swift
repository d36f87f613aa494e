import Foundation

/// A response body `{"items":["item 1","item 2",…]}` of any length, generated while it is read.
struct GeneratedList: AsyncSequence, Sendable {
    let count: Int

    func makeAsyncIterator() -> Iterator { Iterator(left: count) }

    struct Iterator: AsyncIteratorProtocol {
        private var left: Int
        private var phase = Phase.start
        private var item = NumberedItem()

        private enum Phase { case start, items, over }
        private static let chunk = 64 << 10

        fileprivate init(left: Int) { self.left = left }

        mutating func next() async -> Data? {
            guard phase != .over else { return nil }
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { bytes, count in
                var output = UnsafeMutableRawBufferPointer(bytes)[...]
                if phase == .start {
                    Self.append(#"{"items":["#, to: &output)
                    phase = .items
                }
                // The remaining space always fits an item and the end of the list.
                while left > 0, output.count > NumberedItem.room + 2 {
                    output = output.dropFirst(item.write(to: UnsafeMutableRawBufferPointer(rebasing: output)))
                    left -= 1
                }
                if left == 0 {
                    Self.append("]}", to: &output)
                    phase = .over
                }
                count = bytes.count - output.count
            }
            return Data(bytes)
        }

        private static func append(
            _ text: StaticString, to output: inout Slice<UnsafeMutableRawBufferPointer>
        ) {
            let source = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            UnsafeMutableRawBufferPointer(rebasing: output).copyMemory(from: source)
            output = output.dropFirst(source.count)
        }
    }
}

/// A generator of `"item 1"`, `,"item 2"` and so on, which increments the digits in place.
private struct NumberedItem {
    /// The maximum size of an item with any `Int`.
    static let room = 32

    private var text = Array(#","item 0""#.utf8)
    private var isFirst = true
    private static let firstDigit = 7

    /// Writes the next item and returns its size in bytes.
    mutating func write(to output: UnsafeMutableRawBufferPointer) -> Int {
        countUp()
        let start = isFirst ? 1 : 0
        isFirst = false
        return text.withUnsafeBytes { text in
            output.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[start...]))
            return text.count - start
        }
    }

    private mutating func countUp() {
        var index = text.count - 2
        while index >= Self.firstDigit {
            guard text[index] == UInt8(ascii: "9") else {
                text[index] += 1
                return
            }
            text[index] = UInt8(ascii: "0")
            index -= 1
        }
        text.insert(UInt8(ascii: "1"), at: Self.firstDigit)
    }
}
