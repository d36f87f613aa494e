import HTTPCore

/// One JSON array, an item a line; left open when the list is not complete, so that nobody takes it for the whole.
struct JSONWriter: ItemWriter {
    private var isEmpty = true

    mutating func write(_ item: RawSpan, to output: inout Output) throws(OutputFailure) {
        try output.append(isEmpty ? "[\n" : ",\n")
        isEmpty = false
        try item.withUnsafeBytes { (item) throws(OutputFailure) in try output.append(json: item) }
    }

    mutating func end(_ output: inout Output) throws(OutputFailure) {
        try output.append(isEmpty ? "[]\n" : "\n]\n")
    }
}

extension Output {
    /// Adds a valid JSON value on one line: without the white space between its parts, and with unsafe characters in
    /// its strings escaped. The order of keys, duplicates and the text of numbers stay.
    mutating func append(json value: UnsafeRawBufferPointer) throws(OutputFailure) {
        // What has been read and not been added yet begins here.
        var start = 0
        var index = 0
        while index < value.count {
            let byte = value[index]
            if byte == UInt8(ascii: "\"") {
                index = try skipString(at: index, of: value, notAddedFrom: &start)
            } else if byte <= 0x20 {
                try append(UnsafeRawBufferPointer(rebasing: value[start..<index]))
                index += 1
                start = index
            } else {
                index += 1
            }
        }
        try append(UnsafeRawBufferPointer(rebasing: value[start...]))
    }

    /// Where the string ends that begins at `index`; what is unsafe in it is added as an escape, with all before it.
    private mutating func skipString(
        at index: Int, of value: UnsafeRawBufferPointer, notAddedFrom start: inout Int
    ) throws(OutputFailure) -> Int {
        var index = index + 1
        while index < value.count {
            index = SafeText.endOfPlain(in: value, from: index)
            guard index < value.count else { break }
            switch value[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default:
                if let scalar = SafeText.unsafeScalar(at: index, in: value) {
                    try append(UnsafeRawBufferPointer(rebasing: value[start..<index]))
                    try append(SafeText.escape(scalar))
                    index += UTF8.width(scalar)
                    start = index
                } else {
                    index += 1
                }
            }
        }
        return min(index, value.count)
    }
}
