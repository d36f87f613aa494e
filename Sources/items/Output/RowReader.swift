import RESTClient

/// Splits items into the cells of a row. The columns are the selected members or, without a selection, all
/// members of the items until `fixColumns()` is called. An item that is not an object is in the column
/// `item`.
struct RowReader {
    /// A column. A class, because it is used for each cell.
    final class Column: Sendable {
        let path: FieldPath
        var label: String { path.label }
        /// `true` if a cell can have several values.
        let isJoined: Bool
        /// The path in the member with the first name, if there is more than that name.
        fileprivate let rest: FieldPath?

        fileprivate init(_ path: FieldPath) {
            self.path = path
            isJoined = path.isJoined
            rest = path.divided?.rest
        }
    }

    private(set) var columns: [Column] = []
    /// `true` if a column can have several values in a cell.
    let hasJoined: Bool
    private let isSelection: Bool
    /// `true` if a new member adds a column even after `fixColumns()`.
    let addsLateColumns: Bool
    /// `true` if a new member adds a column.
    private(set) var isOpen: Bool
    /// The ranges of the cells in the current item. The range of an empty cell is empty.
    private(set) var cells: [Range<Int>] = []
    /// One column for each first name of the paths. Two strings can be equal although their bytes differ.
    private var indices: [[UInt8]: Int] = [:]
    /// For each column, another one whose path has the same first name.
    private var nextWithSameName: [Int?] = []
    /// The columns whose paths do not start with a name.
    private var unnamed: [Int] = []
    /// For the number of each key, one of its columns, or `nil` if that is unknown.
    private var columnOfKey: [Int??] = []
    /// The number of first keys whose numbers are those of their columns.
    private var keyColumns = 0
    /// `true` for each column for which an item had a value, if members are selected.
    private var hasValues: [Bool]
    /// The column of items that are not objects, if one was found.
    private var itemColumn: Int?
    private var count = 0
    /// The number of items with several members for one column.
    private var repeatedCount = 0
    /// The first item, which names the members in hints.
    private var first: [UInt8] = []

    /// Creates rows of the values at `fields`, or of all members if there are none. With `addsLateColumns`, a
    /// value without a column adds one instead of being an error.
    init(fields: [FieldPath], addsLateColumns: Bool = false) {
        self.addsLateColumns = addsLateColumns && fields.isEmpty
        hasValues = fields.map { _ in false }
        hasJoined = fields.contains { $0.isJoined }
        isSelection = !fields.isEmpty
        isOpen = fields.isEmpty
        for path in fields { add(path) }
    }

    /// Finds the cells of `item`, which is valid JSON. `members` is always the same variable.
    mutating func read(_ item: RawSpan, _ members: inout ElementMembers) throws(CommandError) {
        count += 1
        let isObject = item.withUnsafeBytes { $0.first == UInt8(ascii: "{") }
        let found = isObject ? members.members(of: item) : []
        if isObject, readColumns(found) { return }
        cells.withUnsafeMutableBufferPointer { $0.update(repeating: Self.unread) }
        var extra: [UInt8]?
        if isObject {
            readMembers(found, of: item, extra: &extra)
        } else if !isSelection {
            if itemColumn == nil { itemColumn = column(named: Self.itemName) }
            if let itemColumn { cells[itemColumn] = 0..<item.byteCount } else { extra = Self.itemName }
        }
        if isSelection { readSelection(of: item) }
        guard let extra else { return }
        let name = String(decoding: extra, as: UTF8.self).quoted()
        throw CommandError(
            .missingColumn, "item \(count.groupedText) has a value without a column: \(name)",
            hint: "name the columns with --field, or write --csv or --tsv to a file with -o")
    }

    /// `true` if items that are not objects have the only column, and no more are added.
    private var hasOnlyItems = false

    /// Returns `true` if the only cell of the row is the item itself.
    @inline(__always) func isOnlyCell(_ item: RawSpan) -> Bool {
        hasOnlyItems && item.withUnsafeBytes { $0.first != UInt8(ascii: "{") }
    }

    /// Counts an item whose only cell is the item itself.
    mutating func skip() { count += 1 }

    /// Ends the addition of columns.
    mutating func fixColumns() {
        if columns.isEmpty { _ = column(named: Self.itemName) }
        isOpen = false
        hasOnlyItems = columns.count == 1 && itemColumn == 0
    }

    private mutating func readMembers(
        _ members: [ElementMembers.Member], of item: RawSpan, extra: inout [UInt8]?
    ) {
        var isRepeated = false
        for member in members {
            var column = column(of: member, in: item)
            if column == nil, !isSelection, extra == nil { extra = Self.name(member, in: item) }
            while let index = column {
                column = nextWithSameName[index]
                // The last of several members with the same key counts, as in other readers of JSON.
                if cells[index] != Self.unread { isRepeated = true }
                cells[index] = cell(at: member.value, of: index, in: item)
            }
        }
        if isRepeated { repeatedCount += 1 }
    }

    /// Reads members that are the columns in their order, as most objects have them. Returns `false` for other members.
    private mutating func readColumns(_ members: [ElementMembers.Member]) -> Bool {
        guard !isSelection, keyColumns == cells.count, members.count == cells.count else { return false }
        return cells.withUnsafeMutableBufferPointer { cells in
            for index in cells.indices {
                guard members[index].number == index else { return false }
                cells[index] = members[index].value
            }
            return true
        }
    }

    private func cell(at range: Range<Int>, of column: Int, in item: RawSpan) -> Range<Int> {
        guard isSelection, let path = columns[column].rest else { return range }
        guard let part = path.range(in: item.extracting(range)) else { return Self.missing }
        return range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
    }

    private mutating func readSelection(of item: RawSpan) {
        if count == 1 { first = item.sample }
        for index in unnamed { cells[index] = columns[index].path.range(in: item) ?? Self.missing }
        for index in cells.indices where !cells[index].isEmpty { hasValues[index] = true }
    }

    private mutating func column(of member: ElementMembers.Member, in item: RawSpan) -> Int? {
        guard let number = member.number else { return column(named: Self.name(member, in: item)) }
        while columnOfKey.count <= number { columnOfKey.append(nil) }
        if let column = columnOfKey[number] { return column }
        // A key without a column has none later either: columns are added as long as they are open.
        let column = column(named: Self.name(member, in: item))
        columnOfKey[number] = .some(column)
        if number == keyColumns, column == number { keyColumns += 1 }
        return column
    }

    private static func name(_ member: ElementMembers.Member, in item: RawSpan) -> [UInt8] {
        ListScanner.utf8(of: item.extracting(member.key)) ?? []
    }

    /// Returns a column of a member, which is added while columns are open.
    private mutating func column(named name: [UInt8]) -> Int? {
        if let index = indices[name] { return index }
        guard isOpen || addsLateColumns else { return nil }
        add(FieldPath(name: name))
        return columns.count - 1
    }

    private mutating func add(_ path: FieldPath) {
        let name = path.divided?.name
        if name == nil { unnamed.append(columns.count) }
        nextWithSameName.append(name.flatMap { indices[$0] })
        if let name { indices[name] = columns.count }
        hasOnlyItems = false
        columns.append(Column(path))
        cells.append(Self.unread)
    }

    /// A warning about items with several members for one column.
    var warning: String? {
        guard repeatedCount > 0 else { return nil }
        let verb = repeatedCount == 1 ? "has" : "have"
        return "warning: \(repeatedCount.text(of: "item")) \(verb) a member twice; the last value was printed"
    }

    /// An error if no item has a value for a selected column.
    var failure: CommandError? {
        guard isSelection, count > 0, let index = hasValues.firstIndex(of: false) else { return nil }
        let missing = columns[index]
        return CommandError(
            .missingColumn, "no item has \(missing.path.name.quoted())", hint: missing.path.hint(for: first))
    }

    /// The name of the column of items that are not objects.
    private static let itemName = Array("item".utf8)
    /// The cell of a member that was not found yet.
    private static let unread = 0..<0
    /// The empty cell of a member that was found, but not the value in it. No member of an object starts at 1 and is empty.
    private static let missing = 1..<1
}
