@testable import items

/// What a writer of `form` makes of a list of `items`, each given as JSON.
func printed(_ items: [String], as form: Options.Form, capacity: Int = 64 << 10) throws -> String {
    let scratch = try Scratch()
    var sink = ItemSink(
        output: Output(descriptor: scratch.descriptor, capacity: capacity), form: form, limit: nil)
    for item in items { try sink.take(Array(item.utf8).span.bytes) }
    try sink.end()
    return try scratch.text()
}
