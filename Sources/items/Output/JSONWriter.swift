import RESTClient

/// Items as compact JSON: one item per line, or an array with one item per line. The array of an incomplete
/// list is left open, so that it does not parse. An item is whole, or an object of the selected members that
/// it has.
struct JSONWriter: RowWriter {
    private let isArray: Bool
    private let style: TerminalEscaping.TokenStyle?
    private(set) var row: RowReader
    /// The selected keys, each with its style and its colon. Empty for whole items.
    private var keys: [[UInt8]] = []
    private var isEmpty = true
    /// A buffer for the line of a value.
    private var line: [UInt8] = []

    init(fields: [FieldPath] = [], isArray: Bool = true, hasColor: Bool = false) {
        self.isArray = isArray
        style = hasColor ? Color.tokens : nil
        row = RowReader(fields: fields)
        keys = fields.map { field in
            var key = Array((style?.key ?? "").utf8)
            Array(field.label.utf8).withUnsafeBytes { TerminalEscaping.append(quoting: $0, to: &key) }
            return key + "\(style?.end ?? ""):".utf8
        }
    }

    var usedParts: ElementMembers.Parts { keys.isEmpty ? .none : .members }

    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws {
        if isArray { try output.append(isEmpty ? "[\n" : ",\n") }
        isEmpty = false
        if keys.isEmpty {
            try output.append(json: item, traits, style: style, using: &line)
        } else {
            try writeMembers(of: item, traits, &members, to: &output)
        }
        if !isArray { try output.append(UInt8(ascii: "\n")) }
    }

    private mutating func writeMembers(
        of item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws {
        try row.read(item, &members)
        try output.append(UInt8(ascii: "{"))
        var isFirst = true
        for (index, place) in row.cells.enumerated() {
            guard !place.isEmpty else { continue }
            if !isFirst { try output.append(UInt8(ascii: ",")) }
            isFirst = false
            try output.append(keys[index])
            let value = item.extracting(place)
            if row.hasJoined, row.columns[index].isJoined {
                try append(row.columns[index].path.ranges(inList: value), of: value, to: &output)
            } else {
                try output.append(json: value, traits, style: style, using: &line)
            }
        }
        try output.append(UInt8(ascii: "}"))
    }

    private mutating func append(
        _ ranges: [Range<Int>], of value: RawSpan, to output: inout Output
    ) throws(OutputError) {
        try output.append(UInt8(ascii: "["))
        for (index, range) in ranges.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: ",")) }
            try output.append(json: value.extracting(range), [], style: style, using: &line)
        }
        try output.append(UInt8(ascii: "]"))
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        guard isArray, isComplete || !isEmpty else { return }
        try output.append(isEmpty ? "[]\n" : isComplete ? "\n]\n" : "\n")
    }
}
