/// A JSON array with one item per line. The array of an incomplete list is left open, so that it does not parse.
struct JSONWriter: ItemWriter {
    private var item: JSONItem
    private var isEmpty = true

    init(fields: [String] = []) { item = JSONItem(fields: fields) }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        try output.append(isEmpty ? "[\n" : ",\n")
        isEmpty = false
        try self.item.write(item, to: &output)
    }

    mutating func finish(_ output: inout Output) throws(OutputError) {
        try output.append(isEmpty ? "[]\n" : "\n]\n")
    }

    mutating func finishIncomplete(_ output: inout Output) throws(OutputError) {
        // An error message follows on a terminal.
        if !isEmpty { try output.append("\n") }
    }

    var warnings: [Warning] { item.warnings }
}

/// Each item as JSON on its own line.
struct JSONLinesWriter: ItemWriter {
    private var item: JSONItem

    init(fields: [String] = []) { item = JSONItem(fields: fields) }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        try self.item.write(item, to: &output)
        try output.append(UInt8(ascii: "\n"))
    }

    var warnings: [Warning] { item.warnings }
}

/// An item as compact JSON: whole, or an object of the selected members that it has.
private struct JSONItem {
    private var row: RowReader?
    private var keys: [[UInt8]] = []

    init(fields: [String]) {
        guard !fields.isEmpty else { return }
        row = RowReader(fields: fields)
        keys = fields.map { field in
            var key: [UInt8] = []
            Array(field.utf8).withUnsafeBytes { try? key.append(quoting: $0) }
            return key
        }
    }

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputError) {
        guard row != nil else {
            return try item.withUnsafeBytes { (item) throws(OutputError) in try output.append(json: item) }
        }
        row?.read(item)
        try output.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, place) in zip(keys, row?.cells ?? []) {
            guard let place else { continue }
            if !isFirst { try output.append(UInt8(ascii: ",")) }
            isFirst = false
            try key.span.bytes.withUnsafeBytes { (key) throws(OutputError) in try output.append(key) }
            try output.append(UInt8(ascii: ":"))
            try item.extracting(place).withUnsafeBytes { (value) throws(OutputError) in
                try output.append(json: value)
            }
        }
        try output.append(UInt8(ascii: "}"))
    }

    var warnings: [Warning] { row?.warnings ?? [] }
}
