public import RESTClientHTTP

extension TerminalEscaping {
    /// Returns the index of the first byte at or after `start` that is a quote, a backslash or not printable ASCII, or the
    /// end of `text`.
    public static func endOfPlain(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
        text.bytes.endOfPlainText(from: start)
    }
}
