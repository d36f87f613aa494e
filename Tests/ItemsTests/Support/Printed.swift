@testable import items

/// What `writer` makes of a list of `items`, each given as JSON.
func printed(_ items: [String], by writer: some ItemWriter, capacity: Int = 64 << 10) throws -> String {
    let scratch = try Scratch()
    var sink = ItemSink(
        output: Output(descriptor: scratch.descriptor, capacity: capacity), writer: writer, limit: nil)
    for item in items { try sink.take(Array(item.utf8).span.bytes) }
    try sink.end()
    return try scratch.text()
}
