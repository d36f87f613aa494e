extension ByteSink where Self: ~Copyable {
    /// Adds a valid JSON value on one line, as `append(json:)`, with colors for keys, strings and other values.
    mutating func append(coloredJSON value: RawSpan) throws(OutputError) {
        let bytes = value.withUnsafeBytes { Array($0) }
        var index = 0
        while index < bytes.count {
            let end = Self.endOfToken(at: index, in: bytes)
            let token = bytes[index..<end]
            index = end
            switch token[token.startIndex] {
            case 0...0x20: continue
            case UInt8(ascii: "\""):
                let next = bytes[end...].first { $0 > 0x20 }
                try append(token, color: next == UInt8(ascii: ":") ? Color.key : Color.string)
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: ","),
                UInt8(ascii: ":"):
                try append(token[token.startIndex])
            default: try append(token, color: Color.scalar)
            }
        }
    }

    /// Adds a key of an object with its colon.
    mutating func append(coloredKey key: [UInt8]) throws(OutputError) {
        try append(key.dropLast(), color: Color.key)
        try append(UInt8(ascii: ":"))
    }

    private mutating func append(_ token: ArraySlice<UInt8>, color: String) throws(OutputError) {
        try append(ArraySlice(color.utf8).span.bytes)
        try append(json: token.span.bytes)
        try append(ArraySlice(Color.end.utf8).span.bytes)
    }

    /// Returns the end of the string, the other value, the separator or the white space at `start`.
    private static func endOfToken(at start: Int, in bytes: [UInt8]) -> Int {
        var index = start + 1
        switch bytes[start] {
        case UInt8(ascii: "\""):
            while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            return min(index + 1, bytes.count)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
            while index < bytes.count, bytes[index] > 0x20, !",]}".utf8.contains(bytes[index]) { index += 1 }
            return index
        default: return index
        }
    }
}
