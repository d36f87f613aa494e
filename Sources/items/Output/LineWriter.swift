/// A line is an item, by the rule that `ByteSink.append(value:)` follows.
struct LineWriter: ItemWriter {
    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) {
        try item.withUnsafeBytes { (item) throws(OutputFailure) in
            if item.count > 1, item[0] == Self.quote,
                output.appendPlainLine(UnsafeRawBufferPointer(rebasing: item[1..<item.count - 1]))
            {
                return
            }
            try output.append(value: item)
            try output.append(UInt8(ascii: "\n"))
        }
    }

    @inline(__always)
    mutating func write(plain item: RawSpan, to output: inout Output) throws(OutputFailure) {
        try item.withUnsafeBytes { (item) throws(OutputFailure) in
            try output.appendLine(UnsafeRawBufferPointer(rebasing: item[1..<item.count - 1]))
        }
    }

    private static let quote = UInt8(ascii: "\"")
}
