import RESTClient

/// Splits items into the cells of a row.
///
/// The columns are the selected members or, without a selection, all members of the items until `fixColumns()` is called.
/// An item that is not an object is in the column `item`.
struct RowReader {
    /// A column. A class, because it is used for each cell.
    final class Column: Sendable {
        let path: FieldPath
        var label: String { path.label }
        /// `true` if a cell can have several values.
        let isJoined: Bool
        /// The name of the member in UTF-8, if no members are selected.
        fileprivate let member: [UInt8]

        fileprivate init(_ path: FieldPath, member: [UInt8] = []) {
            self.path = path
            isJoined = path.isJoined
            self.member = member
        }

        fileprivate convenience init(member: [UInt8]) {
            self.init(FieldPath(name: String(decoding: member, as: UTF8.self)), member: member)
        }
    }

    private(set) var columns: [Column]
    private let isSelection: Bool
    private let dropsExtra: Bool
    /// `true` if a new member adds a column.
    private(set) var isOpen: Bool
    /// The columns by their names in UTF-8, if no members are selected. Two strings can be equal although their bytes
    /// differ.
    private var indices: [[UInt8]: Int] = [:]
    /// `true` for each column for which an item had a value, if members are selected.
    private var hasValues: [Bool]
    /// The column of items that are not objects, if one was found.
    private var itemColumn: Int?
    private var count = 0
    /// The first item, which names the members in hints.
    private var first: [UInt8] = []

    /// The ranges of the cells in the current item; `nil` for an empty cell.
    private(set) var cells: [Range<Int>?] = []

    /// Creates rows of the values at `fields`, or of all members if there are none.
    ///
    /// - Parameter dropsExtra: `true` to ignore values without a column, instead of throwing an error.
    init(fields: [FieldPath], dropsExtra: Bool = false) {
        columns = fields.map { Column($0) }
        hasValues = fields.map { _ in false }
        isSelection = !fields.isEmpty
        isOpen = fields.isEmpty
        self.dropsExtra = dropsExtra
    }

    /// Finds the cells of `item`, which is valid JSON.
    ///
    /// - Throws: `CommandError` for a value without a column.
    mutating func read(_ item: RawSpan) throws(CommandError) {
        count += 1
        cells.removeAll(keepingCapacity: true)
        guard isSelection else { return try readMembers(of: item) }
        if count == 1, item.byteCount <= Self.maxFirstBytes {
            item.withUnsafeBytes { first.append(contentsOf: $0) }
        }
        for index in columns.indices {
            let place = columns[index].path.range(in: item)
            cells.append(place)
            if place != nil { hasValues[index] = true }
        }
    }

    /// Ends the addition of columns.
    mutating func fixColumns() {
        if columns.isEmpty { _ = column(Self.itemColumn) }
        isOpen = false
    }

    private mutating func readMembers(of item: RawSpan) throws(CommandError) {
        for _ in columns { cells.append(nil) }
        var extra: [UInt8]?
        if item.withUnsafeBytes({ $0.first == UInt8(ascii: "{") }) {
            // Most items have their members in the same order.
            var next = 0
            ListScanner.forEachMember(of: item) { key, value in
                let key = item.extracting(key)
                if next >= columns.count || !ListScanner.key(key, equals: columns[next].member) {
                    let name = Array((ListScanner.string(key) ?? "").utf8)
                    guard let index = column(name) else {
                        extra = extra ?? name
                        return
                    }
                    next = index
                }
                if cells[next] == nil { cells[next] = value }
                next += 1
            }
        } else if let index = itemColumn ?? column(Self.itemColumn) {
            itemColumn = index
            cells[index] = 0..<item.byteCount
        } else {
            extra = Self.itemColumn
        }
        guard let extra, !dropsExtra else { return }
        let name = TerminalEscaping.quoted(String(decoding: extra, as: UTF8.self), limit: 80)
        throw CommandError(
            .missingColumn,
            "item \(count.grouped) has a value without a column: \(name)",
            hint: "name the columns with --field, or drop other values with --drop-extra")
    }

    /// Returns the index of the column of a member, which is added while columns are open.
    private mutating func column(_ name: [UInt8]) -> Int? {
        if let index = indices[name] { return index }
        guard isOpen else { return nil }
        indices[name] = columns.count
        columns.append(Column(member: name))
        cells.append(nil)
        return columns.count - 1
    }

    /// An error if no item has a value for a selected column.
    var failure: CommandError? {
        guard isSelection, count > 0, let index = hasValues.firstIndex(of: false) else { return nil }
        let missing = columns[index]
        return CommandError(
            .missingColumn, "no item has \(TerminalEscaping.quoted(missing.label, limit: 80))",
            hint: first.isEmpty ? nil : missing.path.hint(for: ArraySlice(first).span.bytes))
    }

    /// The name of the column of items that are not objects.
    private static let itemColumn = Array("item".utf8)
    private static let maxFirstBytes = 64 << 10
}
