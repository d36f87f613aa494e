import RESTClientHTTP

extension ByteSink where Self: ~Copyable {
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
            index = TerminalEscaping.endOfPlain(in: value, from: index)
            guard index < value.count else { break }
            switch value[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default:
                if let scalar = TerminalEscaping.unsafeScalar(at: index, in: value) {
                    try append(UnsafeRawBufferPointer(rebasing: value[start..<index]))
                    try append(escapeOf: scalar)
                    index += UTF8.width(scalar)
                    start = index
                } else {
                    index += 1
                }
            }
        }
        return min(index, value.count)
    }

    /// Adds text that is valid UTF-8 as a JSON string, with what is unsafe escaped.
    mutating func append(literalOf text: UnsafeRawBufferPointer) throws(OutputFailure) {
        try append(UInt8(ascii: "\""))
        var index = 0
        while index < text.count {
            if let scalar = TerminalEscaping.unsafeScalar(at: index, in: text) {
                try append(escapeOf: scalar)
                index += UTF8.width(scalar)
                continue
            }
            let byte = text[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { try append(UInt8(ascii: "\\")) }
            try append(byte)
            index += 1
        }
        try append(UInt8(ascii: "\""))
    }

    private mutating func append(escapeOf scalar: Unicode.Scalar) throws(OutputFailure) {
        for byte in TerminalEscaping.escape(scalar).utf8 { try append(byte) }
    }
}
