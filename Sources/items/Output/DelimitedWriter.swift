import Foundation
import RESTClient

/// Comma- or tab-separated values after a header, or the selected members of each item without one. Without
/// selected members, the rows are buffered up to a limit, because their members are the columns.
struct DelimitedWriter: RowWriter {
    private(set) var row: RowReader
    private var writer: CellWriter
    private var needsHeader: Bool
    private let maxPendingBytes: Int
    /// The rows that the output holds, without their last empty cells and line breaks.
    private var pendingRows: [(end: Int, cells: Int)] = []
    /// A buffer for a row whose end is checked.
    private var line: [UInt8] = []
    /// The number of rows since the last new column.
    private var rowCount = 0
    /// The rows that were written with fewer columns than those after them.
    private var narrowRows: [(count: Int, columns: Int)] = []
    /// The number of columns of the last row.
    private var columnCount = 0
    /// The number of rows that are empty lines.
    private var emptyCount = 0

    init(
        _ row: RowReader, _ writer: CellWriter, hasHeader: Bool = true, maxPendingBytes: Int = 16 << 20
    ) {
        (self.row, self.writer, needsHeader) = (row, writer, hasHeader)
        self.maxPendingBytes = maxPendingBytes
    }

    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws {
        rowCount += 1
        if !needsHeader, row.isOnlyCell(item), try writer.appendText(of: item, traits, to: &output) {
            row.skip()
            return try endRow(isEmpty: writer.isEmpty(item), to: &output)
        }
        try row.read(item, &members)
        guard row.isOpen else {
            if needsHeader { try writeHeader(to: &output) }
            if row.columns.count != columnCount { noteColumns(rows: rowCount - 1) }
            if case .fields(let terminator, .exact) = writer.format {
                line.removeAll(keepingCapacity: true)
                try writer.append(row, of: item, traits, to: &line)
                return try line.withUnsafeBytes { try output.append(exact: $0, terminator) }
            }
            try writer.append(row, of: item, traits, to: &output)
            let isEmpty = row.cells.count == 1 && writer.isEmpty(item.extracting(row.cells[0]))
            return try endRow(isEmpty: isEmpty, to: &output)
        }
        if pendingRows.isEmpty { try output.hold(capacity: maxPendingBytes) }
        try writer.append(row, of: item, traits, to: &output)
        pendingRows.append((output.heldCount, row.cells.count))
        if output.heldCount + pendingRows.count * 16 >= maxPendingBytes { try release(&output) }
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        if !pendingRows.isEmpty { return try release(&output) }
        if isComplete, !row.isOpen { try writeHeader(to: &output) }
    }

    /// Prints the rows that the output holds. Later rows have the same columns.
    private mutating func release(_ output: inout Output) throws(OutputError) {
        row.fixColumns()
        let rows = pendingRows
        pendingRows = []
        try output.release { (held, output) throws(OutputError) in
            try writeHeader(to: &output)
            var start = 0
            for (end, cells) in rows {
                try output.append(UnsafeRawBufferPointer(rebasing: held[start..<end]))
                // An item without members has no cells.
                for _ in max(cells, 1)..<row.columns.count { try output.append(writer.separator) }
                try endRow(isEmpty: start == end && row.columns.count == 1, to: &output)
                start = end
            }
        }
    }

    /// Ends a row, whose only cell can be empty. In CSV, that is quoted, because readers skip empty lines; while columns can be
    /// added, it is quoted at the end of the list.
    private mutating func endRow(isEmpty: Bool, to output: inout Output) throws(OutputError) {
        if isEmpty { emptyCount += 1 }
        try writer.endRow(isEmpty: isEmpty && !row.addsLateColumns, to: &output)
    }

    /// A warning about lines of TSV that many programs skip.
    var warnings: [String] {
        let text =
            "warning: \(emptyCount.text(of: "row")) are empty lines, which many programs skip; use --csv"
        return [row.warning, writer.format == .tsv && emptyCount > 0 ? text : nil].compactMap(\.self)
    }

    private mutating func writeHeader(to output: inout Output) throws(OutputError) {
        guard needsHeader else { return }
        needsHeader = false
        columnCount = row.columns.count
        try appendHeader(to: &output)
    }

    private mutating func appendHeader(to output: inout some ByteSink & ~Copyable) throws(OutputError) {
        for (index, column) in row.columns.enumerated() {
            if index > 0 { try output.append(writer.separator) }
            try writer.append(label: column.label, to: &output)
        }
        try writer.endRow(isEmpty: false, to: &output)
    }

    /// Notes a new column after `rows` rows.
    private mutating func noteColumns(rows: Int) {
        if columnCount > 0 { narrowRows.append((rows, columnCount)) }
        (rowCount, columnCount) = (rowCount - rows, row.columns.count)
    }

    mutating func widening() throws(OutputError) -> Widening? {
        guard !narrowRows.isEmpty || row.addsLateColumns && emptyCount > 0 else { return nil }
        var header: [UInt8] = []
        try appendHeader(to: &header)
        let rows = narrowRows.isEmpty ? [(rowCount, columnCount)] : narrowRows
        return Widening(header: header, rows: rows, columns: columnCount, format: writer.format)
    }
}

/// Writes the cells of rows. A cell is the text of a string, or any other value as compact JSON. Null is the
/// null value, and a missing value is empty. In CSV a cell is quoted as RFC 4180 requires, and so is a value
/// that equals the null value, and an empty string, unlike these. In TSV, a backslash, tab, line break or null byte of
/// a value is escaped with a backslash, as `jq` does.
struct CellWriter {
    enum Format: Equatable {
        case csv, tsv
        /// Texts as in `LineWriter`, separated by tabs, with a byte after each row.
        case fields(terminator: UInt8, TextForm)

        var separator: UInt8 { UInt8(ascii: self == .csv ? "," : "\t") }
    }

    let format: Format
    // Faster than to compare the format for each cell.
    let separator: UInt8
    private let isCSV: Bool
    /// `true` to print a cell with unsafe characters as a JSON string, for a terminal.
    private let escapesControls: Bool
    private let escapesFormulas: Bool
    private var escapes: Bool { escapesControls || escapesFormulas }
    private let nullValue: [UInt8]
    private var cell: [UInt8] = []

    init(
        _ format: Format, escapesControls: Bool = false, escapesFormulas: Bool = false, nullValue: String = ""
    ) {
        (self.format, self.nullValue) = (format, Array(nullValue.utf8))
        (separator, isCSV) = (format.separator, format == .csv)
        (self.escapesControls, self.escapesFormulas) = (escapesControls, escapesFormulas)
    }

    /// Adds the cells of a row, whose traits are those of its item.
    mutating func append(
        _ row: RowReader, of item: RawSpan, _ traits: ElementTraits, to sink: inout some ByteSink & ~Copyable
    ) throws(OutputError) {
        for index in row.cells.indices {
            if index > 0 { try sink.append(separator) }
            let place = row.cells[index]
            guard !place.isEmpty else { continue }
            let value = item.extracting(place)
            let isJoined = row.hasJoined && row.columns[index].isJoined
            if !isJoined, try appendText(of: value, traits, to: &sink) { continue }
            let isText = isJoined || value.isString
            try cell.set(textOf: value, of: row.columns[index], traits, nullValue: nullValue)
            try appendCell(to: &sink, isText: isText)
        }
    }

    /// Returns `true` if the cell of `value` is empty: it is missing, null or, in TSV, an empty string.
    func isEmpty(_ value: RawSpan) -> Bool {
        value.isEmpty || nullValue.isEmpty && value.isNull
            || format == .tsv && value.byteCount == 2 && value.isString
    }

    /// Adds the line break, and in CSV quotes as the only cell of a row that is empty.
    func endRow(isEmpty: Bool, to output: inout some ByteSink & ~Copyable) throws(OutputError) {
        if case .fields(let terminator, _) = format { return try output.append(terminator) }
        if format == .csv {
            if isEmpty { for _ in 0..<2 { try output.append(UInt8(ascii: "\"")) } }
            try output.append(UInt8(ascii: "\r"))
        }
        try output.append(UInt8(ascii: "\n"))
    }

    mutating func append(label: String, to output: inout some ByteSink & ~Copyable) throws(OutputError) {
        cell = Array(label.utf8)
        // A byte order mark at the start of a file would be dropped, unless it is quoted.
        try appendCell(to: &output, isText: true, needsQuotes: label.unicodeScalars.first == "\u{FEFF}")
    }

    /// Adds a value whose text is a part of the JSON, as that of most is, or returns `false`.
    @inline(__always) func appendText(
        of value: RawSpan, _ traits: ElementTraits, to sink: inout some ByteSink & ~Copyable
    ) throws(OutputError) -> Bool {
        if case .fields(_, let form) = format, !value.isNull {
            try sink.append(value: value, form, traits)
            return true
        }
        return try value.withUnsafeBytes { (bytes) throws(OutputError) in
            switch bytes.first {
            case UInt8(ascii: "n"): try sink.append(nullValue)
            case _ where escapes: return false
            case UInt8(ascii: "\""):
                let text = UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1])
                guard traits.contains(.hasNoEscapes) || !text.containsByte(UInt8(ascii: "\\")) else {
                    return false
                }
                // Without escapes, a text contains neither quotes nor control characters.
                let isPlain = !isCSV || !isReserved(text) && !text.containsByte(separator)
                if isPlain { try sink.append(text) } else { try append(text, isText: true, to: &sink) }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                guard traits.isSuperset(of: [.isCompact, .isDisplayable]) else { return false }
                let isPlain = !isCSV && traits.contains(.hasNoEscapes)
                if isPlain { try sink.append(bytes) } else { try append(bytes, isText: false, to: &sink) }
            default:
                let isPlain = !isReserved(bytes, isText: false)
                if isPlain { try sink.append(bytes) } else { try append(bytes, isText: false, to: &sink) }
            }
            return true
        }
    }

    private mutating func appendCell(
        to sink: inout some ByteSink & ~Copyable, isText: Bool, needsQuotes: Bool = false
    ) throws(OutputError) {
        if case .fields(_, let form) = format {
            if form == .displayed { cell.display() }
            return try sink.append(cell)
        }
        if escapesFormulas, isText, Self.formulaStarts.contains(where: { cell.starts(with: $0.utf8) }) {
            cell.insert(UInt8(ascii: "'"), at: 0)
        }
        if escapesControls {
            cell.display()
            if format == .tsv { return try sink.append(cell) }
        }
        try cell.withBytes { (text) throws(OutputError) in
            try append(text, isText: isText, needsQuotes: needsQuotes, to: &sink)
        }
    }

    /// Adds the text of a cell, quoted or escaped as the format requires.
    private func append(
        _ text: UnsafeRawBufferPointer, isText: Bool, needsQuotes: Bool = false,
        to sink: inout some ByteSink & ~Copyable
    ) throws(OutputError) {
        let mark = UInt8(ascii: isCSV ? "\"" : "\\")
        let isQuoted = isCSV && (needsQuotes || isReserved(text, isText: isText))
        guard isQuoted || text.containsControl(or: mark, isCSV ? separator : mark) else {
            return try sink.append(text)
        }
        if isCSV { try sink.append(mark) }
        var rest = text
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.partSize))
            try sink.append(capacity: 2 * part.count) { target in
                isCSV ? Self.double(mark, of: part, to: target) : Self.escape(part, to: target)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
        }
        if isCSV { try sink.append(mark) }
    }

    /// Writes a text with its quotes doubled. Returns the number of bytes.
    @inline(__always) private static func double(
        _ mark: UInt8, of text: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let start = target.baseAddress else { return 0 }
        var end = start
        for byte in text {
            end.storeBytes(of: byte, as: UInt8.self)
            end.storeBytes(of: byte, toByteOffset: 1, as: UInt8.self)
            end += byte == mark ? 2 : 1
        }
        return end - start
    }

    /// Writes a text with the escapes of TSV. Returns the number of bytes.
    @inline(__always) private static func escape(
        _ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let start = target.baseAddress else { return 0 }
        var end = start
        for byte in text {
            if let letter = letter(escaping: byte) {
                end.storeBytes(of: UInt8(ascii: "\\"), as: UInt8.self)
                end.storeBytes(of: letter, toByteOffset: 1, as: UInt8.self)
                end += 2
            } else {
                end.storeBytes(of: byte, as: UInt8.self)
                end += 1
            }
        }
        return end - start
    }

    private static let partSize = 4 << 10

    /// Returns `true` for a cell that is quoted in CSV, because a reader would take it for null or a comment.
    private func isReserved(_ text: UnsafeRawBufferPointer, isText: Bool = true) -> Bool {
        isText && (text.isEmpty || text[0] == UInt8(ascii: "#"))
            || !nullValue.isEmpty && text.elementsEqual(nullValue)
    }

    /// Returns the letter after the backslash in TSV, or `nil` for a byte that is not escaped.
    @inline(__always) private static func letter(escaping byte: UInt8) -> UInt8? {
        if byte > UInt8(ascii: "\r"), byte != UInt8(ascii: "\\") { return nil }
        return switch byte {
        case UInt8(ascii: "\t"): UInt8(ascii: "t")
        case UInt8(ascii: "\n"): UInt8(ascii: "n")
        case UInt8(ascii: "\r"): UInt8(ascii: "r")
        case UInt8(ascii: "\\"): byte
        case 0: UInt8(ascii: "0")
        default: nil
        }
    }

    /// The characters that begin a formula (OWASP, "CSV injection").
    private static let formulaStarts = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
}

/// Delimited values to be written again: with more columns, or with quotes in rows that are empty.
struct Widening {
    let header: [UInt8]
    /// The rows with fewer columns, from the first one.
    let rows: [(count: Int, columns: Int)]
    let columns: Int
    let format: CellWriter.Format

    /// Copies the bytes of a file with another header, and with empty cells at the end of the rows that have fewer columns.
    func copy(_ bytes: UnsafeRawBufferPointer, to target: Int32) throws {
        let lineBreak = Array((format == .csv ? "\r\n" : "\n").utf8)
        var output = Output(descriptor: target)
        try output.append(header)
        var start = endOfRow(in: bytes, from: 0)
        for (count, columns) in rows {
            for _ in 0..<count {
                let end = endOfRow(in: bytes, from: start)
                guard end - lineBreak.count >= start else { throw OutputError.failed(EIO) }
                try output.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end - lineBreak.count]))
                if self.columns == 1, lineBreak.count == 2, end - start == 2 { try output.append("\"\"") }
                for _ in columns..<self.columns { try output.append(format.separator) }
                try output.append(lineBreak)
                start = end
            }
        }
        try output.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        try output.flush()
    }

    /// Returns the index after the row that starts at an index.
    private func endOfRow(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var (position, isQuoted) = (start, false)
        while let lineFeed = Self.index(of: UInt8(ascii: "\n"), in: bytes, position..<bytes.count) {
            while format == .csv,
                let quote = Self.index(of: UInt8(ascii: "\""), in: bytes, position..<lineFeed)
            {
                isQuoted.toggle()
                position = quote + 1
            }
            position = lineFeed + 1
            if !isQuoted { return position }
        }
        return bytes.count
    }

    private static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty, let base = bytes.baseAddress,
            let found = memchr(base + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
