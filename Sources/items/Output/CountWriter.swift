/// Only how many items there are.
struct CountWriter: ItemWriter {
    private var count = 0

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) { count += 1 }

    mutating func end(_ output: inout Output) throws(OutputFailure) { try output.append("\(count)\n") }
}
