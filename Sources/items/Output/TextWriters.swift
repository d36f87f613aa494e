/// A writer of one item per line, in the format of `ByteSink.append(value:)`.
struct LineWriter: ItemWriter {
    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        try output.append(value: item)
        try output.append(UInt8(ascii: "\n"))
    }

    @inline(__always) mutating func write(plain item: RawSpan, to output: inout Output) throws(OutputError) {
        try item.withUnsafeBytes { (item) throws(OutputError) in
            try output.appendLine(UnsafeRawBufferPointer(rebasing: item[1..<item.count - 1]))
        }
    }
}

/// The selected members of each item, separated by tabs.
struct FieldWriter: ItemWriter {
    private var row: RowReader
    private let terminator: UInt8

    init(fields: [FieldPath], terminator: UInt8 = UInt8(ascii: "\n")) {
        row = RowReader(fields: fields)
        self.terminator = terminator
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws {
        try row.read(item)
        for (index, place) in row.cells.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: "\t")) }
            guard let place else { continue }
            try output.append(cell: item.extracting(place), of: row.columns[index])
        }
        try output.append(terminator)
    }

    var failure: CommandError? { row.failure }
}

/// Items terminated by null bytes, which can contain any other character.
struct NullWriter: ItemWriter {
    /// `true` if control characters are escaped because the output is a terminal.
    let escapesControls: Bool

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        if escapesControls { try output.append(value: item) } else { try output.append(raw: item) }
        try output.append(UInt8(0))
    }
}

/// The number of items only.
struct CountWriter: ItemWriter {
    private var count = 0

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) { count += 1 }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        if isComplete { try output.append("\(count)\n") }
    }
}
