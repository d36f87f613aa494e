import RESTClientHTTP
import RESTClient

/// Takes items apart into the cells of a row.
struct RowReader {
    /// One column.
    private struct Column {
        let label: String
        /// Names from the outside in, as UTF-8; none is the item itself.
        let path: [[UInt8]]
        var isEmpty = true
    }

    private var columns: [Column] = []
    private let isFixed: Bool
    private var count = 0
    /// The members of the first item.
    private var firstNames: [String] = []
    /// Items with something in them that has no column, and the name of the first such thing.
    private var strays = 0
    private var stray: String?

    /// Whether a member without a column gets one.
    var isLearning = false

    /// Where the cells of the item at hand are in it; `nil` for an empty one.
    private(set) var places: [Range<Int>?] = []

    /// Rows of the members at `fields`, as member paths are written; of none, the members of the first item give the
    /// columns, and what is no object is one cell.
    init(fields: [String]) {
        isFixed = !fields.isEmpty
        columns = fields.map { field in
            Column(label: field, path: MemberPath(field).names.map { Array($0.utf8) })
        }
    }

    /// The headings; empty as long as they are not known.
    var labels: [String] { columns.map(\.label) }

    /// Finds the cells of `item`, which is valid JSON.
    mutating func read(_ item: RawSpan) {
        count += 1
        if count == 1 { readFirst(item) }
        places.removeAll(keepingCapacity: true)
        if isFixed {
            for index in columns.indices {
                let place = ListScanner.value(at: columns[index].path, in: item)
                places.append(place)
                if place != nil { columns[index].isEmpty = false }
            }
        } else if columns.first?.path.isEmpty ?? true {
            places.append(0..<item.byteCount)
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
        for _ in columns { places.append(nil) }
        // Most items have their members in the same order.
        var next = 0
        var found = 0
        var stray: String?
        ListScanner.forEachMember(of: item) { key, value in
            let key = item.extracting(key)
            if next >= columns.count || !ListScanner.key(key, equals: columns[next].path[0]) {
                if let index = columns.firstIndex(where: { ListScanner.key(key, equals: $0.path[0]) }) {
                    next = index
                } else if isLearning {
                    next = addColumn(ListScanner.string(key) ?? "")
                } else {
                    stray = stray ?? ListScanner.string(key) ?? ""
                    return
                }
            }
            if places[next] == nil { places[next] = value }
            found += 1
            next += 1
        }
        if found == 0, stray == nil, item.byteCount > 0, item.withUnsafeBytes({ $0[0] != UInt8(ascii: "{") })
        {
            strays += 1
        } else if let stray {
            strays += 1
            self.stray = self.stray ?? stray
        }
    }

    private mutating func addColumn(_ name: String) -> Int {
        columns.append(Column(label: name, path: [Array(name.utf8)]))
        places.append(nil)
        return columns.count - 1
    }

    /// What somebody should know who takes the rows for all there is.
    var remarks: [Remark] {
        guard count > 0 else { return [] }
        if isFixed {
            let names = firstNames.prefix(8).map { TerminalEscaping.quoted($0, limit: 40) }.joined(
                separator: ", ")
            return columns.filter { $0.isEmpty && !$0.path.isEmpty }.map { column in
                Remark(
                    "no item has \(TerminalEscaping.quoted(column.label, limit: 80))",
                    hint: names.isEmpty ? "the items are no objects" : "the first one has \(names)")
            }
        }
        guard strays > 0 else { return [] }
        let items = strays == 1 ? "one item has" : "\(strays.grouped) items have"
        let what = stray.map { "members without a column, such as \(TerminalEscaping.quoted($0, limit: 80))" }
        return [
            Remark(
                "\(items) \(what ?? "no members to fill the columns with")",
                hint: "name the columns with --field")
        ]
    }
}

/// Something about the items that somebody should know, who sees only what was printed of them.
struct Remark: Equatable, Sendable {
    let message: String
    let hint: String

    init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
