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
        var isInString = false
        // What has been read and not been added yet begins here.
        var start = 0
        var index = 0
        while index < value.count {
            let byte = value[index]
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    index += 1
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                } else if let scalar = SafeText.unsafeScalar(at: index, in: value) {
                    try append(UnsafeRawBufferPointer(rebasing: value[start..<index]))
                    try append(SafeText.escape(scalar))
                    index += UTF8.width(scalar)
                    start = index
                    continue
                }
            } else if byte <= 0x20 {
                try append(UnsafeRawBufferPointer(rebasing: value[start..<index]))
                start = index + 1
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            }
            index += 1
        }
        try append(UnsafeRawBufferPointer(rebasing: value[start...]))
    }
}
