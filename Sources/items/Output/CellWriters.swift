/// The members of each item that are wanted, with tabs between them.
struct FieldWriter: ItemWriter {
    private var row: RowReader
    private let terminator: UInt8

    init(fields: [String], terminator: UInt8 = UInt8(ascii: "\n")) {
        row = RowReader(fields: fields)
        self.terminator = terminator
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) {
        row.read(item)
        for (index, place) in row.places.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: "\t")) }
            guard let place else { continue }
            try item.extracting(place).withUnsafeBytes { (value) throws(OutputFailure) in
                try output.append(value: value)
            }
        }
        try output.append(terminator)
    }

    var remarks: [Remark] { row.remarks }
}

/// Items that end with a null byte, so that they may hold anything else.
struct NullWriter: ItemWriter {
    /// Whether the rule of lines counts all the same, because a terminal reads it.
    let isGuarded: Bool

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) {
        try item.withUnsafeBytes { (item) throws(OutputFailure) in
            if isGuarded { try output.append(value: item) } else { try output.append(unguarded: item) }
        }
        try output.append(UInt8(0))
    }
}

/// Comma-separated values (RFC 4180), a header first. A cell is what a line is, so a record is one line, too.
struct CSVWriter: ItemWriter {
    private var row: RowReader
    private var needsHeader: Bool
    private var cell: [UInt8] = []

    init(fields: [String], hasHeader: Bool = true) {
        row = RowReader(fields: fields)
        needsHeader = hasHeader
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) {
        row.read(item)
        try writeHeader(to: &output)
        for (index, place) in row.places.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: ",")) }
            guard let place else { continue }
            cell.removeAll(keepingCapacity: true)
            try item.extracting(place).withUnsafeBytes { (value) throws(OutputFailure) in
                try cell.append(value: value)
            }
            // Nothing at all is a member that is not there.
            try writeCell(to: &output, isQuoted: cell.isEmpty)
        }
        try output.append("\r\n")
    }

    mutating func end(_ output: inout Output) throws(OutputFailure) { try writeHeader(to: &output) }

    private mutating func writeHeader(to output: inout Output) throws(OutputFailure) {
        guard needsHeader, !row.labels.isEmpty else { return }
        needsHeader = false
        for (index, label) in row.labels.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: ",")) }
            cell.removeAll(keepingCapacity: true)
            try Array(label.utf8).span.bytes.withUnsafeBytes { (label) throws(OutputFailure) in
                try cell.append(text: label)
            }
            try writeCell(to: &output, isQuoted: cell.isEmpty)
        }
        try output.append("\r\n")
    }

    private func writeCell(to output: inout Output, isQuoted: Bool) throws(OutputFailure) {
        let isPlain = !isQuoted && !cell.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
        guard !isPlain else {
            return try cell.span.bytes.withUnsafeBytes { (cell) throws(OutputFailure) in
                try output.append(cell)
            }
        }
        try output.append(UInt8(ascii: "\""))
        for byte in cell {
            if byte == UInt8(ascii: "\"") { try output.append(byte) }
            try output.append(byte)
        }
        try output.append(UInt8(ascii: "\""))
    }

    var remarks: [Remark] { row.remarks }
}
