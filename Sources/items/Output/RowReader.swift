import RESTClient

/// Splits items into the cells of a row.
struct RowReader {
    /// A column.
    private struct Column {
        let label: String
        /// The names of the path as UTF-8; empty for the item itself.
        let path: [[UInt8]]
        var isEmpty = true
    }

    private var columns: [Column] = []
    private let isFixed: Bool
    private var count = 0
    /// The names of the members of the first item.
    private var firstNames: [String] = []
    /// The number of items with members that have no column, and the first such name.
    private var unmatchedCount = 0
    private var unmatchedName: String?

    /// `true` if a new member adds a column.
    var addsColumns = false

    /// The ranges of the cells in the current item; `nil` for an empty cell.
    private(set) var cells: [Range<Int>?] = []

    /// Creates rows of the members at `fields`. Without fields, the members of the first item define the columns, and
    /// an item that is not an object is one cell.
    init(fields: [String]) {
        isFixed = !fields.isEmpty
        columns = fields.map { field in
            Column(label: field, path: MemberPath(field).names.map { Array($0.utf8) })
        }
    }

    /// The column headers; empty until the first item.
    var headers: [String] { columns.map(\.label) }

    /// Finds the cells of `item`, which is valid JSON.
    mutating func read(_ item: RawSpan) {
        count += 1
        if count == 1 { readFirst(item) }
        cells.removeAll(keepingCapacity: true)
        if isFixed {
            for index in columns.indices {
                let place = ListScanner.value(at: columns[index].path, in: item)
                cells.append(place)
                if place != nil { columns[index].isEmpty = false }
            }
        } else if columns.first?.path.isEmpty ?? true {
            cells.append(0..<item.byteCount)
        } else {
            readMembers(of: item)
        }
    }

    private mutating func readFirst(_ item: RawSpan) {
        ListScanner.forEachMember(of: item) { key, _ in
            firstNames.append(ListScanner.string(item.extracting(key)) ?? "")
        }
        guard !isFixed else { return }
        var known: Set<String> = []
        columns = firstNames.filter { known.insert($0).inserted }.map { name in
            Column(label: name, path: [Array(name.utf8)])
        }
        if columns.isEmpty { columns = [Column(label: "item", path: [])] }
    }

    private mutating func readMembers(of item: RawSpan) {
        for _ in columns { cells.append(nil) }
        // Most items have their members in the same order.
        var next = 0
        var found = 0
        var unmatchedName: String?
        ListScanner.forEachMember(of: item) { key, value in
            let key = item.extracting(key)
            if next >= columns.count || !ListScanner.key(key, equals: columns[next].path[0]) {
                if let index = columns.firstIndex(where: { ListScanner.key(key, equals: $0.path[0]) }) {
                    next = index
                } else if addsColumns {
                    next = addColumn(ListScanner.string(key) ?? "")
                } else {
                    unmatchedName = unmatchedName ?? ListScanner.string(key) ?? ""
                    return
                }
            }
            if cells[next] == nil { cells[next] = value }
            found += 1
            next += 1
        }
        let isObject = item.withUnsafeBytes { $0.first == UInt8(ascii: "{") }
        if unmatchedName != nil || found == 0 && !isObject { unmatchedCount += 1 }
        self.unmatchedName = self.unmatchedName ?? unmatchedName
    }

    private mutating func addColumn(_ name: String) -> Int {
        columns.append(Column(label: name, path: [Array(name.utf8)]))
        cells.append(nil)
        return columns.count - 1
    }

    /// Warnings about columns or members that were not printed.
    var warnings: [Warning] {
        guard count > 0 else { return [] }
        if isFixed {
            let names = firstNames.prefix(8).map { TerminalEscaping.quoted($0, limit: 40) }.joined(
                separator: ", ")
            return columns.filter { $0.isEmpty && !$0.path.isEmpty }.map { column in
                Warning(
                    message: "no item has \(TerminalEscaping.quoted(column.label, limit: 80))",
                    hint: names.isEmpty ? "the items are not objects" : "the first item has \(names)")
            }
        }
        guard unmatchedCount > 0 else { return [] }
        let items = unmatchedCount == 1 ? "one item has" : "\(unmatchedCount.grouped) items have"
        let what = unmatchedName.map {
            "members without a column, such as \(TerminalEscaping.quoted($0, limit: 80))"
        }
        return [
            Warning(
                message: "\(items) \(what ?? "no members for the columns")",
                hint: "specify the columns with --field")
        ]
    }
}

/// A warning about data that was not printed, and a hint.
struct Warning: Equatable, Sendable {
    let message: String
    let hint: String
}
