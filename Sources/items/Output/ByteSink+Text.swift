import RESTClientHTTP
import RESTClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The rule of a line, which is that of a cell, too: a string as it is, any other value as compact JSON.
///
/// A string that would drive the terminal, break the line, or be taken for JSON because it starts with a quote is
/// printed as a JSON string, so that `wc -l` counts items and nothing a server sends is acted upon.
extension ByteSink where Self: ~Copyable {
    /// Adds a valid JSON value by the rule.
    mutating func append(value: UnsafeRawBufferPointer) throws(OutputFailure) {
        guard value.first == UInt8(ascii: "\"") else { return try append(json: value) }
        try append(string: value) { (sink: inout Self, text) throws(OutputFailure) in
            try sink.append(text: text)
        }
    }

    /// Adds text that is valid UTF-8 by the rule.
    mutating func append(text: UnsafeRawBufferPointer) throws(OutputFailure) {
        if text.first != UInt8(ascii: "\""), TerminalEscaping.firstUnsafe(in: text) == nil {
            try append(text)
        } else {
            try append(literalOf: text)
        }
    }

    /// Adds a valid JSON value for a reader whose items end with a null byte: a string may hold anything but that.
    mutating func append(unguarded value: UnsafeRawBufferPointer) throws(OutputFailure) {
        guard value.first == UInt8(ascii: "\"") else { return try append(json: value) }
        try append(string: value) { (sink: inout Self, text) throws(OutputFailure) in
            if text.first == UInt8(ascii: "\"") || text.contains(0) {
                try sink.append(literalOf: text)
            } else {
                try sink.append(text)
            }
        }
    }

    /// Adds the text of a valid JSON string with `add`.
    private mutating func append(
        string literal: UnsafeRawBufferPointer,
        _ add: (inout Self, UnsafeRawBufferPointer) throws(OutputFailure) -> Void
    ) throws(OutputFailure) {
        let inner = UnsafeRawBufferPointer(rebasing: literal.dropFirst().dropLast())
        let isEscaped = inner.baseAddress.map { memchr($0, 0x5C, inner.count) } != nil
        guard isEscaped else { return try add(&self, inner) }
        // The scanner has seen to it that this is a string.
        guard let text = ListScanner.utf8(of: literal.bytes) else { return try append(json: literal) }
        try text.span.bytes.withUnsafeBytes { (text) throws(OutputFailure) in try add(&self, text) }
    }
}
