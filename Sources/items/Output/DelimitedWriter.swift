import Foundation
import RESTClient

/// Comma- or tab-separated values after a header.
///
/// Without selected members, the rows are buffered up to a limit, because their members are the columns.
struct DelimitedWriter: ItemWriter {
    private var row: RowReader
    private var writer: CellWriter
    private var needsHeader: Bool
    /// The rows without their last empty cells and line breaks.
    private var pending: [UInt8] = []
    private var pendingRows: [(end: Int, cells: Int)] = []

    init(_ row: RowReader, _ writer: CellWriter, hasHeader: Bool = true) {
        self.row = row
        self.writer = writer
        needsHeader = hasHeader
    }

    mutating func write(_ item: RawSpan, _ traits: ElementTraits, to output: inout Output) throws {
        try row.read(item)
        guard row.isOpen else {
            try writeHeader(to: &output)
            try writer.append(row, of: item, to: &output)
            return try writer.endRow(isEmpty: row.cells.count == 1 && row.cells[0] == nil, to: &output)
        }
        try writer.append(row, of: item, to: &pending)
        pendingRows.append((pending.count, row.cells.count))
        if pending.count + pendingRows.count * 16 >= Self.maxPendingBytes { try release(to: &output) }
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        if !pendingRows.isEmpty { return try release(to: &output) }
        if isComplete, !row.isOpen { try writeHeader(to: &output) }
    }

    /// Prints the buffered rows. Later rows have the same columns.
    private mutating func release(to output: inout Output) throws(OutputError) {
        row.fixColumns()
        try writeHeader(to: &output)
        var start = 0
        for (end, cells) in pendingRows {
            try output.append(ArraySlice(pending).span.bytes.extracting(start..<end))
            // An item without members has no cells.
            for _ in max(cells, 1)..<row.columns.count { try output.append(writer.format.separator) }
            try writer.endRow(isEmpty: start == end && row.columns.count == 1, to: &output)
            start = end
        }
        pending = []
        pendingRows = []
    }

    private mutating func writeHeader(to output: inout Output) throws(OutputError) {
        guard needsHeader else { return }
        needsHeader = false
        for (index, column) in row.columns.enumerated() {
            if index > 0 { try output.append(writer.format.separator) }
            try writer.append(label: column.label, to: &output)
        }
        try writer.endRow(isEmpty: false, to: &output)
    }

    var failure: CommandError? { row.failure }

    private static let maxPendingBytes = 16 << 20
}

/// Writes cells of comma- or tab-separated values.
///
/// A cell is the text of a string, or any other value as compact JSON. In CSV it is quoted as RFC 4180 requires, and an
/// empty string is a pair of quotes, unlike a missing value. In TSV, a backslash, tab or line break is escaped with a
/// backslash, as `jq` and Miller do.
struct CellWriter {
    enum Format {
        case csv, tsv

        var separator: UInt8 { UInt8(ascii: self == .csv ? "," : "\t") }
    }

    let format: Format
    /// `true` to print a cell with unsafe characters as a JSON string, for a terminal.
    private let escapesControls: Bool
    private let escapesFormulas: Bool
    private var cell: [UInt8] = []

    init(_ format: Format, escapesControls: Bool = false, escapesFormulas: Bool = false) {
        self.format = format
        self.escapesControls = escapesControls
        self.escapesFormulas = escapesFormulas
    }

    /// Adds the cells of a row.
    mutating func append(
        _ row: RowReader, of item: RawSpan, to sink: inout some ByteSink & ~Copyable
    ) throws(OutputError) {
        for (index, place) in row.cells.enumerated() {
            if index > 0 { try sink.append(format.separator) }
            guard let place else { continue }
            let value = item.extracting(place)
            if !escapesControls, !escapesFormulas, try appendPlain(value, to: &sink) { continue }
            let isText =
                row.columns[index].isJoined || value.withUnsafeBytes { $0.first == UInt8(ascii: "\"") }
            try cell.set(textOf: value, at: row.columns[index].path)
            try appendCell(to: &sink, isText: isText)
        }
    }

    /// Adds the line break. In CSV, the only cell of a row is quoted if it is empty, because readers skip empty lines.
    func endRow(isEmpty: Bool, to output: inout Output) throws(OutputError) {
        if format == .csv {
            try output.append(isEmpty ? "\"\"\r\n" : "\r\n")
        } else {
            try output.append("\n")
        }
    }

    mutating func append(label: String, to output: inout Output) throws(OutputError) {
        cell = Array(label.utf8)
        // A byte order mark at the start of a file would be dropped, unless it is quoted.
        try appendCell(to: &output, isText: true, needsQuotes: label.unicodeScalars.first == "\u{FEFF}")
    }

    /// Adds a value whose text needs no changes, as most do, or returns `false`.
    private func appendPlain(
        _ value: RawSpan, to sink: inout some ByteSink & ~Copyable
    ) throws(OutputError) -> Bool {
        try value.withUnsafeBytes { (bytes) throws(OutputError) in
            switch bytes.first {
            case UInt8(ascii: "["), UInt8(ascii: "{"): return false
            case UInt8(ascii: "\""):
                let text = UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1])
                // The other special characters of a JSON string follow a backslash.
                guard !text.isEmpty, !text.containsByte(UInt8(ascii: "\\")) else { return false }
                let isQuoted = format == .csv && text.containsByte(UInt8(ascii: ","))
                try sink.append(isQuoted ? bytes : text)
            default: try sink.append(bytes)
            }
            return true
        }
    }

    private mutating func appendCell(
        to sink: inout some ByteSink & ~Copyable, isText: Bool, needsQuotes: Bool = false
    ) throws(OutputError) {
        if escapesFormulas, isText, Self.formulaStarts.contains(where: { cell.starts(with: $0.utf8) }) {
            cell.insert(UInt8(ascii: "'"), at: 0)
        }
        if escapesControls {
            let text = cell
            cell.removeAll(keepingCapacity: true)
            try ArraySlice(text).span.bytes.withUnsafeBytes { (text) throws(OutputError) in
                try cell.append(text: text)
            }
        }
        switch format {
        case .csv:
            let isQuoted =
                needsQuotes || cell.isEmpty && isText
                || cell.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 < 0x20 }
            guard isQuoted else { return try sink.append(ArraySlice(cell).span.bytes) }
            try sink.append(UInt8(ascii: "\""))
            for byte in cell {
                if byte == UInt8(ascii: "\"") { try sink.append(byte) }
                try sink.append(byte)
            }
            try sink.append(UInt8(ascii: "\""))
        case .tsv where escapesControls: try sink.append(ArraySlice(cell).span.bytes)
        case .tsv:
            for byte in cell {
                guard let letter = Self.escapes[byte] else {
                    try sink.append(byte)
                    continue
                }
                try sink.append(UInt8(ascii: "\\"))
                try sink.append(letter)
            }
        }
    }

    /// The letters after the backslash in TSV.
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\t"): UInt8(ascii: "t"), UInt8(ascii: "\n"): UInt8(ascii: "n"),
        UInt8(ascii: "\r"): UInt8(ascii: "r"), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    ]

    /// The characters that begin a formula (OWASP, "CSV injection").
    private static let formulaStarts = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
}
