/// Aligned columns, a header first.
///
/// The first rows, up to a thousand, say which columns there are and how wide; they are held back until then. What is wider later on
/// moves the rest of its row.
struct TableWriter: ItemWriter {
    private struct Cell {
        var text: String
        var width: Int
    }

    private var row: RowReader
    private var held: [[Cell]] = []
    private var heldBytes = 0
    /// Known once the first rows are out.
    private var widths: [Int]?
    private var isNumeric: [Bool] = []
    private var scratch: [UInt8] = []

    init(fields: [String]) {
        row = RowReader(fields: fields)
        row.isLearning = true
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) {
        row.read(item)
        var cells: [Cell] = []
        while isNumeric.count < row.places.count { isNumeric.append(true) }
        for (index, place) in row.places.enumerated() {
            guard let place else {
                cells.append(Cell(text: "", width: 0))
                continue
            }
            let value = item.extracting(place)
            if widths == nil, !Self.isNumber(value) { isNumeric[index] = false }
            cells.append(try cell(value))
        }
        guard widths == nil else { return try write(cells, to: &output) }
        heldBytes += cells.reduce(0) { $0 + $1.text.utf8.count }
        held.append(cells)
        if held.count >= Self.mostHeld || heldBytes >= Self.mostHeldBytes { try release(to: &output) }
    }

    mutating func end(_ output: inout Output) throws(OutputFailure) {
        if widths == nil, !row.labels.isEmpty { try release(to: &output) }
    }

    mutating func abandon(_ output: inout Output) throws(OutputFailure) {
        if widths == nil, !held.isEmpty { try release(to: &output) }
    }

    /// Prints what was held back: the columns are as wide as that.
    private mutating func release(to output: inout Output) throws(OutputFailure) {
        row.isLearning = false
        var header: [Cell] = []
        for label in row.labels { header.append(try heading(label)) }
        var widths = header.map(\.width)
        for cells in held {
            for (index, cell) in cells.enumerated() { widths[index] = max(widths[index], cell.width) }
        }
        self.widths = widths
        if held.isEmpty { isNumeric = widths.map { _ in false } }
        try write(header, to: &output)
        for cells in held { try write(cells, to: &output) }
        held = []
    }

    private func write(_ cells: [Cell], to output: inout Output) throws(OutputFailure) {
        let widths = widths ?? []
        // Blanks alone are not printed at the end of a line; what has no width still is an item.
        let last = cells.lastIndex { !$0.text.isEmpty } ?? 0
        for (index, cell) in cells.enumerated() where index <= last {
            if index > 0 { try output.append("  ") }
            let blanks = max(0, widths[index] - cell.width)
            if isNumeric[index] {
                try output.append(String(repeating: " ", count: blanks))
                try output.append(cell.text)
            } else {
                try output.append(cell.text)
                if index < last { try output.append(String(repeating: " ", count: blanks)) }
            }
        }
        try output.append("\n")
    }

    private mutating func cell(_ value: RawSpan) throws(OutputFailure) -> Cell {
        scratch.removeAll(keepingCapacity: true)
        try value.withUnsafeBytes { (value) throws(OutputFailure) in try scratch.append(value: value) }
        return measured
    }

    private mutating func heading(_ label: String) throws(OutputFailure) -> Cell {
        scratch.removeAll(keepingCapacity: true)
        try Array(label.utf8).span.bytes.withUnsafeBytes { (label) throws(OutputFailure) in
            try scratch.append(text: label)
        }
        return measured
    }

    private var measured: Cell {
        let text = String(decoding: scratch, as: UTF8.self)
        return Cell(text: text, width: DisplayWidth.of(text))
    }

    private static func isNumber(_ value: RawSpan) -> Bool {
        guard let first = value.withUnsafeBytes(\.first) else { return false }
        return first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    }

    private static let mostHeld = 1_000
    private static let mostHeldBytes = 1 << 20

    var remarks: [Remark] { row.remarks }
}
