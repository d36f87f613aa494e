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

    init(fields: [String], terminator: UInt8 = UInt8(ascii: "\n")) {
        row = RowReader(fields: fields)
        self.terminator = terminator
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        row.read(item)
        for (index, place) in row.cells.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: "\t")) }
            guard let place else { continue }
            try output.append(value: item.extracting(place))
        }
        try output.append(terminator)
    }

    var warnings: [Warning] { row.warnings }
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

/// Comma-separated values (RFC 4180) after a header. Cells follow the rule of lines, so a record is one line.
struct CSVWriter: ItemWriter {
    private var row: RowReader
    private var needsHeader: Bool
    private var cell: [UInt8] = []

    init(fields: [String], hasHeader: Bool = true) {
        row = RowReader(fields: fields)
        needsHeader = hasHeader
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        row.read(item)
        try writeHeader(to: &output)
        for (index, place) in row.cells.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: ",")) }
            guard let place else { continue }
            try cell.set(value: item.extracting(place))
            try writeCell(to: &output)
        }
        try output.append("\r\n")
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        if isComplete { try writeHeader(to: &output) }
    }

    private mutating func writeHeader(to output: inout Output) throws(OutputError) {
        guard needsHeader, !row.headers.isEmpty else { return }
        needsHeader = false
        for (index, label) in row.headers.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: ",")) }
            try cell.set(text: label)
            try writeCell(to: &output)
        }
        try output.append("\r\n")
    }

    private func writeCell(to output: inout Output) throws(OutputError) {
        // An unquoted empty cell is a missing member.
        let isQuoted = cell.isEmpty || cell.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
        guard isQuoted else { return try output.append(cell.span.bytes) }
        try output.append(UInt8(ascii: "\""))
        for byte in cell {
            if byte == UInt8(ascii: "\"") { try output.append(byte) }
            try output.append(byte)
        }
        try output.append(UInt8(ascii: "\""))
    }

    var warnings: [Warning] { row.warnings }
}

/// The number of items only.
struct CountWriter: ItemWriter {
    private var count = 0

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) { count += 1 }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        if isComplete { try output.append("\(count)\n") }
    }
}
