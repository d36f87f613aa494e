/// Items as compact JSON: one item per line, or an array with one item per line. The array of an incomplete list is
/// left open, so that it does not parse.
///
/// An item is whole, or an object of the selected members that it has.
struct JSONWriter: ItemWriter {
    private let isArray: Bool
    private var row: RowReader?
    /// The selected keys, each with its colon.
    private var keys: [[UInt8]] = []
    private var isEmpty = true

    init(fields: [String] = [], isArray: Bool = true) {
        self.isArray = isArray
        guard !fields.isEmpty else { return }
        row = RowReader(fields: fields)
        keys = fields.map { field in
            var key: [UInt8] = []
            Array(field.utf8).withUnsafeBytes { try? key.append(quoting: $0) }
            return key + ":".utf8
        }
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        if isArray { try output.append(isEmpty ? "[\n" : ",\n") }
        isEmpty = false
        if row == nil { try output.append(json: item) } else { try writeMembers(of: item, to: &output) }
        if !isArray { try output.append(UInt8(ascii: "\n")) }
    }

    private mutating func writeMembers(of item: RawSpan, to output: inout Output) throws(OutputError) {
        row?.read(item)
        try output.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, place) in zip(keys, row?.cells ?? []) {
            guard let place else { continue }
            if !isFirst { try output.append(UInt8(ascii: ",")) }
            isFirst = false
            try output.append(key.span.bytes)
            try output.append(json: item.extracting(place))
        }
        try output.append(UInt8(ascii: "}"))
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        guard isArray, isComplete || !isEmpty else { return }
        try output.append(isEmpty ? "[]\n" : isComplete ? "\n]\n" : "\n")
    }

    var warnings: [Warning] { row?.warnings ?? [] }
}
