import RESTClient

/// One item per line, or items that another byte ends.
struct LineWriter: ItemWriter {
    let usesMembers = false
    private let terminator: UInt8
    private let form: TextForm

    /// - Parameters:
    ///   - terminator: The byte after each item. Defaults to a line break.
    ///   - form: The form of strings. Defaults to one that fits into a line and is safe for a terminal.
    init(terminator: UInt8 = UInt8(ascii: "\n"), form: TextForm = .displayed) {
        self.terminator = terminator
        self.form = form
    }

    @inline(__always)
    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws(OutputError) {
        try item.withUnsafeBytes { (bytes) throws(OutputError) in
            let isString = bytes.first == UInt8(ascii: "\"")
            if traits.contains(.plain) {
                let text = isString ? UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]) : bytes
                return try output.append(text, terminator)
            }
            try output.append(bytes, isString: isString, traits, form)
            try output.append(terminator)
        }
    }
}

/// The selected members of each item, separated by tabs.
struct FieldWriter: ItemWriter {
    private var row: RowReader
    private let terminator: UInt8

    init(fields: [FieldPath], terminator: UInt8 = UInt8(ascii: "\n")) {
        row = RowReader(fields: fields)
        self.terminator = terminator
    }

    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws {
        try row.read(item, &members)
        for (index, place) in row.cells.enumerated() {
            if index > 0 { try output.append(UInt8(ascii: "\t")) }
            guard !place.isEmpty else { continue }
            try output.append(cell: item.extracting(place), of: row.columns[index], traits)
        }
        try output.append(terminator)
    }

    var failure: CommandError? { row.failure }
}

/// The number of items only.
struct CountWriter: ItemWriter {
    let usesMembers = false
    private var count = 0

    mutating func write(
        _ item: RawSpan, _ traits: ElementTraits, _ members: inout ElementMembers, to output: inout Output
    ) throws(OutputError) { count += 1 }

    mutating func finish(_ output: inout Output, isComplete: Bool) throws(OutputError) {
        if isComplete { try output.append("\(count)\n") }
    }
}
