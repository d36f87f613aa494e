import RESTClient

/// Items as compact JSON: one item per line, or an array with one item per line. The array of an incomplete list is
/// left open, so that it does not parse.
///
/// An item is whole, or an object of the selected members that it has.
struct JSONWriter: ItemWriter {
    private let isArray: Bool
    private let hasColor: Bool
    private var row: RowReader
    /// The selected keys, each with its colon. Empty for whole items.
    private var keys: [[UInt8]] = []
    private var isEmpty = true

    init(fields: [FieldPath] = [], isArray: Bool = true, hasColor: Bool = false) {
        self.isArray = isArray
        self.hasColor = hasColor
        row = RowReader(fields: fields)
        keys = fields.map { field in
            var key: [UInt8] = []
            Array(field.label.utf8).withUnsafeBytes { try? key.append(quoting: $0) }
            return key + ":".utf8
        }
    }

    var usesMembers: Bool { !keys.isEmpty }

    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws {
        if isArray { try output.append(isEmpty ? "[\n" : ",\n") }
        isEmpty = false
        if keys.isEmpty {
            try append(item, traits, to: &output)
        } else {
            try writeMembers(of: item, traits, &members, to: &output)
        }
        if !isArray { try output.append(UInt8(ascii: "\n")) }
    }

    private func append(
        _ value: RawSpan, _ traits: ElementTraits = [], to output: inout Output
    ) throws(OutputError) {
        if hasColor { try output.append(coloredJSON: value) } else { try output.append(json: value, traits) }
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
            let key = keys[index]
            let bytes = ArraySlice(key).span.bytes
            if hasColor { try output.append(coloredKey: key) } else { try output.append(bytes) }
            let value = item.extracting(place)
            if row.hasJoined, row.columns[index].isJoined {
                try append(row.columns[index].path.ranges(inList: value), of: value, to: &output)
            } else {
                try append(value, traits, to: &output)
            }
        }
        try output.append(UInt8(ascii: "}"))
    }

    private func append(
        _ ranges: [Range<Int>], of value: RawSpan, to output: inout Output
    ) throws(OutputError) {
        try output.append(UInt8(ascii: "["))
        for (index, range) in ranges.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: ",")) }
            try append(value.extracting(range), to: &output)
        }
        try output.append(UInt8(ascii: "]"))
    }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        guard isArray, isComplete || !isEmpty else { return }
        try output.append(isEmpty ? "[]\n" : isComplete ? "\n]\n" : "\n")
    }

    var failure: CommandError? { row.failure }
}
