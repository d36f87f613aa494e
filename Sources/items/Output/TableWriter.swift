import RESTClient

/// Aligned columns after a header.
///
/// The first rows, at most a thousand or 16 MB, are buffered, because they define the columns and their widths. A wider
/// cell later shifts the rest of its row. On a terminal, cells are cut so that a row fits its width.
struct TableWriter: ItemWriter {
    private struct Cell {
        let text: String
        let width: Int

        /// - Parameter maxWidth: The width at which the text is cut.
        init(_ bytes: [UInt8], maxWidth: Int?) {
            let whole = String(decoding: bytes, as: UTF8.self)
            text = maxWidth.map { DisplayWidth.cut(whole, to: $0) } ?? whole
            width = DisplayWidth.of(text)
        }

        private init(_ text: String) { (self.text, width) = (text, DisplayWidth.of(text)) }

        func cut(to width: Int) -> Self { Self(DisplayWidth.cut(text, to: width)) }
    }

    private var row: RowReader
    private var pending: [[Cell]] = []
    private var pendingBytes = 0
    /// The widths of the columns, known after the first rows.
    private var widths: [Int]?
    private var isNumeric: [Bool] = []
    private var scratch: [UInt8] = []
    /// The width of the terminal, or `nil` if rows may have any width.
    private let maxWidth: Int?
    private let hasColor: Bool

    init(_ row: RowReader, width: Int? = nil, hasColor: Bool = false) {
        self.row = row
        self.hasColor = hasColor
        // The last column stays free: some terminals wrap after writing it.
        maxWidth = width.map { max(1, $0 - 1) }
    }

    mutating func write(_ item: RawSpan, _ traits: ElementTraits, to output: inout Output) throws {
        try row.read(item)
        var cells: [Cell] = []
        while isNumeric.count < row.cells.count { isNumeric.append(true) }
        for (index, place) in row.cells.enumerated() {
            scratch.removeAll(keepingCapacity: true)
            if let place {
                let value = item.extracting(place)
                if widths == nil, !Self.isNumber(value) { isNumeric[index] = false }
                try scratch.append(cell: value, of: row.columns[index])
            }
            cells.append(Cell(scratch, maxWidth: maxWidth))
        }
        guard widths == nil else { return try write(cells, to: &output) }
        // An empty cell takes memory, too.
        pendingBytes += cells.reduce(0) { $0 + $1.text.utf8.count + MemoryLayout<Cell>.stride }
        pending.append(cells)
        if pending.count >= Self.maxPendingRows || pendingBytes >= Self.maxPendingBytes {
            try release(to: &output)
        }
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        // An empty list has a header only if it is complete.
        let hasRows = isComplete ? !row.columns.isEmpty : !pending.isEmpty
        if widths == nil, hasRows || !pending.isEmpty { try release(to: &output) }
    }

    /// Prints the buffered rows with columns of their widths.
    private mutating func release(to output: inout Output) throws(OutputError) {
        row.fixColumns()
        var header: [Cell] = []
        for column in row.columns {
            try scratch.set(text: column.label)
            header.append(Cell(scratch, maxWidth: maxWidth))
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
        try write(header, to: &output, end: hasColor ? "\(Color.end)\n" : "\n")
        for cells in pending { try write(cells, to: &output) }
        pending = []
    }

    /// Makes the widest columns narrower until a row fits `maxWidth`. The last columns, if they do not fit with their minimum
    /// width, get the width 0 and are not printed.
    private static func shrink(_ widths: inout [Int], to maxWidth: Int) {
        var count = 0
        var room = maxWidth + gap
        for width in widths {
            room -= min(width, minWidth) + gap
            if room < 0 { break }
            count += 1
        }
        count = max(1, count)
        for index in widths.indices.dropFirst(count) { widths[index] = 0 }
        var excess = widths.reduce(0, +) + gap * (count - 1) - maxWidth
        while excess > 0, let widest = widths.max(), widest > 1 {
            let next = widths.filter { $0 < widest }.max() ?? 0
            let columns = widths.indices.filter { widths[$0] == widest }
            // All of the widest columns shrink alike, at most to the width of the next one.
            let step = max(1, min(widest - max(next, 1), excess / columns.count))
            for index in columns.reversed() where excess > 0 {
                widths[index] -= step
                excess -= step
            }
        }
    }

    private func write(
        _ cells: [Cell], to output: inout Output, end: String = "\n"
    ) throws(OutputError) {
        let widths = widths ?? []
        // Trailing spaces are not printed, but a cell of zero width is.
        let last = cells.lastIndex { !$0.text.isEmpty } ?? 0
        for (index, cell) in cells.enumerated() where index <= last && (maxWidth == nil || widths[index] > 0)
        {
            if index > 0 { try output.append("  ") }
            var cell = cell
            if maxWidth != nil, cell.width > widths[index] { cell = cell.cut(to: widths[index]) }
            let blanks = max(0, widths[index] - cell.width)
            if isNumeric[index] {
                try output.append(String(repeating: " ", count: blanks))
                try output.append(cell.text)
            } else {
                try output.append(cell.text)
                if index < last { try output.append(String(repeating: " ", count: blanks)) }
            }
        }
        try output.append(end)
    }

    private static func isNumber(_ value: RawSpan) -> Bool {
        guard let first = value.withUnsafeBytes(\.first) else { return false }
        return first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    }

    /// The width down to which columns are cut.
    private static let minWidth = 4
    /// The number of spaces between two columns.
    private static let gap = 2
    private static let maxPendingRows = 1_000
    private static let maxPendingBytes = 16 << 20

    var failure: CommandError? { row.failure }
}

/// The display width of text in terminal columns.
enum DisplayWidth {
    /// The width of `text`, which has no control characters.
    static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    /// Returns the start of `text` with a mark at its end if it is wider than `limit`.
    static func cut(_ text: String, to limit: Int) -> String {
        guard of(text) > limit else { return text }
        var width = 0
        // The mark has a width of 1.
        let start = text.prefix { character in
            width += self.width(of: character)
            return width < limit
        }
        return limit > 0 ? "\(start)…" : ""
    }

    private static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if let first = scalars.first, isPicture(first, scalars) { return 2 }
        return scalars.reduce(0) { $0 + width(of: $1) }
    }

    /// `true` if a terminal displays one picture: an emoji, one selected by a variation selector, or a flag of two
    /// letters (Unicode TR 51).
    private static func isPicture(_ first: Unicode.Scalar, _ all: Character.UnicodeScalarView) -> Bool {
        if regionalLetters.contains(first.value) { return all.count > 1 }
        return first.properties.isEmojiPresentation || first.properties.isEmoji && all.contains("\u{FE0F}")
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Medial and final Hangul letters combine with the initial one.
        if 0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value { return 0 }
        return wide.contains { $0.contains(value) } ? 2 : 1
    }

    private static let regionalLetters: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

    /// Ranges of wide and full-width characters (Unicode TR 11) without emoji, including unassigned ones.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x16FFF, 0x17000...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}
