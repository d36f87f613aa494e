import RESTClient

/// Aligned columns after a header. The first rows, at most a thousand or 16 MB, are buffered, because they
/// define the columns and their widths. A wider cell later shifts the rest of its row. On a terminal, cells
/// are cut so that a row fits its width.
struct TableWriter: RowWriter {
    private struct Cell {
        let text: [UInt8]
        let width: Int

        /// The size in bytes. The text of a cell that is not empty has a header of 32 bytes.
        var memory: Int { MemoryLayout<Self>.stride + (text.isEmpty ? 0 : 32 + text.count) }

        init(_ bytes: [UInt8], maxWidth: Int?) {
            let width = bytes.withUnsafeBytes(DisplayWidth.of)
            if let maxWidth, width > maxWidth {
                text = Array(DisplayWidth.cut(String(decoding: bytes, as: UTF8.self), to: maxWidth).utf8)
                self.width = text.withUnsafeBytes(DisplayWidth.of)
            } else {
                (text, self.width) = (bytes, width)
            }
        }
    }

    private(set) var row: RowReader
    private var pending: [[Cell]] = []
    private var pendingBytes = 0
    /// The widths of the columns, known after the first rows.
    private var widths: [Int] = []
    private var isNumeric: [Bool] = []
    private var text: [UInt8] = []
    /// The width of the terminal, or `nil` if rows may have any width.
    private let maxWidth: Int?
    private let hasColor: Bool
    private let nullValue: [UInt8]
    /// The number of bytes of buffered cells above which they are printed.
    private let maxPendingBytes: Int

    init(
        _ row: RowReader, nullValue: String = "", width: Int? = nil, hasColor: Bool = false,
        maxPendingBytes: Int = 16 << 20
    ) {
        self.row = row
        self.maxPendingBytes = maxPendingBytes
        self.nullValue = Array(nullValue.utf8)
        self.hasColor = hasColor
        // The last column stays free: some terminals wrap after writing it.
        maxWidth = width.map { max(1, $0 - 1) }
    }

    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws {
        let isOnlyCell = row.isOnlyCell(item)
        if isOnlyCell { row.skip() } else { try row.read(item, &members) }
        guard widths.isEmpty else {
            return try writeRow(of: item, traits, isOnlyCell: isOnlyCell, to: &output)
        }
        var cells: [Cell] = []
        while isNumeric.count < row.cells.count { isNumeric.append(true) }
        for (index, place) in row.cells.enumerated() {
            try setText(of: place, in: item, traits, at: index)
            let value = item.extracting(place)
            if !place.isEmpty, !value.isNull, !value.isNumber { isNumeric[index] = false }
            cells.append(Cell(text, maxWidth: maxWidth))
        }
        pendingBytes += cells.reduce(0) { $0 + $1.memory }
        pending.append(cells)
        if pending.count >= Self.maxPendingRows || pendingBytes >= maxPendingBytes {
            try release(to: &output)
        }
    }

    /// Sets `text` to that of a cell.
    private mutating func setText(
        of place: Range<Int>, in item: RawSpan, _ traits: ElementTraits, at index: Int
    ) throws(OutputError) {
        guard !place.isEmpty else { return text.removeAll(keepingCapacity: true) }
        let value = item.extracting(place)
        try text.set(textOf: value, of: row.columns[index], traits, nullValue: nullValue)
        text.display(traits)
    }

    var warnings: [String] {
        // A column that does not fit on the terminal.
        let hidden = widths.count { $0 == 0 }
        let text =
            "warning: \(hidden.text(of: "column")) of \(widths.count.groupedText) did not fit on the terminal"
        return [row.warning, hidden > 0 ? "\(text); choose columns with --field" : nil].compactMap(\.self)
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        // An empty list has a header only if it is complete.
        let hasRows = isComplete ? !row.columns.isEmpty : !pending.isEmpty
        if widths.isEmpty, hasRows || !pending.isEmpty { try release(to: &output) }
    }

    /// Prints the buffered rows with columns of their widths.
    private mutating func release(to output: inout Output) throws(OutputError) {
        row.fixColumns()
        var header: [Cell] = []
        for column in row.columns {
            text = Array(column.label.utf8)
            text.display()
            header.append(Cell(text, maxWidth: maxWidth))
        }
        var widths = header.map(\.width)
        for cells in pending {
            for (index, cell) in cells.enumerated() { widths[index] = max(widths[index], cell.width) }
        }
        if let maxWidth { Self.shrink(&widths, to: maxWidth) }
        self.widths = widths
        // Without rows, and for items without members, the columns have no cells yet.
        while isNumeric.count < widths.count { isNumeric.append(false) }
        if hasColor { try output.append(Color.header) }
        try write(header, to: &output, end: hasColor ? Color.end : "")
        for cells in pending { try write(cells, to: &output) }
        pending = []
    }

    /// Makes the widest columns narrower until a row fits `maxWidth`. The last columns, if they do not fit with their minimum
    /// width, get the width 0 and are not printed.
    private static func shrink(_ widths: inout [Int], to maxWidth: Int) {
        var room = maxWidth + gap
        let fitting = widths.prefix { width in
            room -= min(width, minWidth) + gap
            return room >= 0
        }
        let count = max(1, fitting.count)
        for index in widths.indices.dropFirst(count) { widths[index] = 0 }
        var excess = widths.reduce(0, +) + gap * (count - 1) - maxWidth
        while excess > 0, let widest = widths.max(), widest > 1, let last = widths.lastIndex(of: widest) {
            widths[last] -= 1
            excess -= 1
        }
    }

    private func write(_ cells: [Cell], to output: inout Output, end: String = "") throws(OutputError) {
        var blanks = 0
        for (index, cell) in cells.enumerated() {
            try cell.text.withBytes { (text) throws(OutputError) in
                try write(text, width: cell.width, at: index, after: &blanks, to: &output)
            }
        }
        if !end.isEmpty { try output.append(end) }
        try output.append(UInt8(ascii: "\n"))
    }

    /// Prints a row after the widths of the columns are known.
    private mutating func writeRow(
        of item: RawSpan, _ traits: ElementTraits, isOnlyCell: Bool, to output: inout Output
    ) throws(OutputError) {
        var blanks = 0
        for index in widths.indices {
            let place = isOnlyCell ? 0..<item.byteCount : row.cells[index]
            if let cell = plainCell(at: place, in: item, traits, index) {
                try item.extracting(cell).withUnsafeBytes { (text) throws(OutputError) in
                    try write(text, at: index, after: &blanks, to: &output)
                }
            } else {
                try setText(of: place, in: item, traits, at: index)
                try text.withBytes { (text) throws(OutputError) in
                    try write(text, at: index, after: &blanks, to: &output)
                }
            }
        }
        try output.append(UInt8(ascii: "\n"))
    }

    /// Returns the part of an item that is the displayed text of a cell, as it is for most cells, or `nil`.
    @inline(__always) private func plainCell(
        at place: Range<Int>, in item: RawSpan, _ traits: ElementTraits, _ index: Int
    ) -> Range<Int>? {
        guard !place.isEmpty, traits.contains(.isDisplayable),
            !row.hasJoined || !row.columns[index].isJoined, let text = item.extracting(place).cell(traits)
        else { return nil }
        let cell = place.lowerBound + text.lowerBound..<place.lowerBound + text.upperBound
        return item.extracting(cell).isString ? nil : cell
    }

    /// Prints a cell after a number of blanks, and sets that to the blanks after it. They are printed with
    /// the next cell that is not empty, so that no row ends with spaces.
    private func write(
        _ text: UnsafeRawBufferPointer, width: Int? = nil, at index: Int, after blanks: inout Int,
        to output: inout Output
    ) throws(OutputError) {
        let room = widths[index]
        // A column that does not fit on the terminal.
        if maxWidth != nil, room == 0 { return }
        if index > 0 { blanks += Self.gap }
        guard !text.isEmpty else {
            blanks += room
            return
        }
        let width = width ?? DisplayWidth.of(text)
        let cut = maxWidth != nil && width > room ? Cell(Array(text), maxWidth: room) : nil
        let rest = max(0, room - (cut?.width ?? width))
        let isRight = isNumeric[index]
        let spaces = isRight ? blanks + rest : blanks
        if let cut {
            try cut.text.withBytes { (text) throws(OutputError) in try output.append(text, after: spaces) }
        } else {
            try output.append(text, after: spaces)
        }
        blanks = isRight ? 0 : rest
    }

    /// The width down to which columns are cut.
    private static let minWidth = 4
    private static let gap = 2
    private static let maxPendingRows = 1_000
}
