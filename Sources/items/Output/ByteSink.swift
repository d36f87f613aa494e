import Foundation
import RESTClient

/// A destination for bytes: the output, or an array for text that has to be measured first.
protocol ByteSink: ~Copyable {
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OutputError)
    mutating func append(_ byte: UInt8) throws(OutputError)
}

extension Output: ByteSink {}

extension [UInt8]: ByteSink {
    mutating func append(_ bytes: UnsafeRawBufferPointer) { append(contentsOf: bytes) }

    /// Replaces the bytes with `text` by the rule.
    mutating func set(text: String) throws(OutputError) {
        removeAll(keepingCapacity: true)
        try ArraySlice(text.utf8).span.bytes.withUnsafeBytes { (text) throws(OutputError) in
            try append(text: text)
        }
    }

    /// Replaces the bytes with the text of the value at `path`: a string without quotes, any other value as compact JSON,
    /// or several values separated by commas.
    mutating func set(textOf value: RawSpan, at path: FieldPath) throws(OutputError) {
        removeAll(keepingCapacity: true)
        let ranges = path.isJoined ? path.ranges(inList: value) : [0..<value.byteCount]
        for (index, range) in ranges.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            try append(textOf: value.extracting(range))
        }
    }
}

/// The format of lines and cells: a string is printed unchanged, any other value as compact JSON.
///
/// A string that contains control characters or line breaks, or starts with a quote, is printed as a JSON string. So
/// `wc -l` counts items, and text from a server cannot control the terminal.
extension ByteSink where Self: ~Copyable {
    mutating func append(_ bytes: RawSpan) throws(OutputError) {
        try bytes.withUnsafeBytes { (bytes) throws(OutputError) in try append(bytes) }
    }

    /// Adds a valid JSON value in the format of lines and cells.
    mutating func append(value: RawSpan) throws(OutputError) {
        try append(value) { (sink: inout Self, text) throws(OutputError) in try sink.append(text: text) }
    }

    /// Adds valid UTF-8 text in the format of lines and cells.
    mutating func append(text: UnsafeRawBufferPointer) throws(OutputError) {
        if text.first != UInt8(ascii: "\""), TerminalEscaping.firstUnsafe(in: text) == nil {
            try append(text)
        } else {
            try append(quoting: text)
        }
    }

    /// Adds a valid JSON value for items separated by null bytes: a string is printed as it is unless it contains
    /// one.
    mutating func append(raw value: RawSpan) throws(OutputError) {
        try append(value) { (sink: inout Self, text) throws(OutputError) in
            if text.first == UInt8(ascii: "\"") || text.contains(0) {
                try sink.append(quoting: text)
            } else {
                try sink.append(text)
            }
        }
    }

    /// Adds a cell in the format of cells.
    mutating func append(cell value: RawSpan, of column: RowReader.Column) throws(OutputError) {
        guard column.isJoined else { return try append(value: value) }
        var text: [UInt8] = []
        try text.set(textOf: value, at: column.path)
        try ArraySlice(text).span.bytes.withUnsafeBytes { (text) throws(OutputError) in try append(text: text)
        }
    }

    /// Adds the text of a valid JSON string, and any other value as compact JSON.
    mutating func append(textOf value: RawSpan) throws(OutputError) {
        try append(value) { (sink: inout Self, text) throws(OutputError) in try sink.append(text) }
    }

    /// Adds the text of a valid JSON string with `addText`, and any other value as compact JSON.
    private mutating func append(
        _ value: RawSpan, _ addText: (inout Self, UnsafeRawBufferPointer) throws(OutputError) -> Void
    ) throws(OutputError) {
        try value.withUnsafeBytes { (bytes) throws(OutputError) in
            guard bytes.first == UInt8(ascii: "\"") else { return try append(json: value) }
            let inner = UnsafeRawBufferPointer(rebasing: bytes.dropFirst().dropLast())
            let isEscaped = inner.baseAddress.map { memchr($0, 0x5C, inner.count) } != nil
            guard isEscaped else { return try addText(&self, inner) }
            // The scanner has validated the string.
            guard let text = ListScanner.utf8(of: value) else { return try append(json: value) }
            try ArraySlice(text).span.bytes.withUnsafeBytes { (text) throws(OutputError) in
                try addText(&self, text)
            }
        }
    }

    /// Adds a valid JSON value on one line, without white space between tokens and with unsafe characters escaped.
    /// Keeps the order of keys, duplicates and the text of numbers.
    mutating func append(json value: RawSpan) throws(OutputError) {
        try value.withUnsafeBytes { (value) throws(OutputError) in try append(json: value) }
    }

    private mutating func append(json value: UnsafeRawBufferPointer) throws(OutputError) {
        // The start of the bytes that have been read but not added.
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

    /// Returns the end of the string at `index`. Adds unsafe characters as escapes, after all bytes before them.
    private mutating func skipString(
        at index: Int, of value: UnsafeRawBufferPointer, notAddedFrom start: inout Int
    ) throws(OutputError) -> Int {
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
                    try append(escaping: scalar)
                    index += UTF8.width(scalar)
                    start = index
                } else {
                    index += 1
                }
            }
        }
        return min(index, value.count)
    }

    /// Adds valid UTF-8 text as a JSON string with unsafe characters escaped.
    mutating func append(quoting text: UnsafeRawBufferPointer) throws(OutputError) {
        try append(UInt8(ascii: "\""))
        var index = 0
        while index < text.count {
            if let scalar = TerminalEscaping.unsafeScalar(at: index, in: text) {
                try append(escaping: scalar)
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

    private mutating func append(escaping scalar: Unicode.Scalar) throws(OutputError) {
        for byte in TerminalEscaping.escape(scalar).utf8 { try append(byte) }
    }
}
