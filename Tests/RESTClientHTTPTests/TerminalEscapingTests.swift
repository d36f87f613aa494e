import RESTClientHTTP
import Testing

@Suite struct TerminalEscapingTests {
    @Test func `the byte search finds the same unsafe scalars as isUnsafe`() {
        let all =
            Array(0...0x3000 as ClosedRange<UInt32>) + Array(stride(from: 0x3001, to: 0x11_0000, by: 97))
        // Alone, and on both sides of a vector's edge.
        for pad in ["", "0123456789abcd", "0123456789abcde", "0123456789abcdef"] {
            for scalar in all.compactMap(Unicode.Scalar.init) {
                let text = Array("\(pad)\(scalar)0123456789abcdef".utf8)
                let found = text.withUnsafeBytes { TerminalEscaping.firstUnsafe(in: $0) }
                let isFound = found?.scalar == scalar && found?.index == pad.utf8.count
                if TerminalEscaping.isUnsafe(scalar) ? !isFound : found != nil {
                    Issue.record("U+\(String(scalar.value, radix: 16)) behind \"\(pad)\"")
                }
            }
        }
    }

    @Test func `the search begins at the given index`() {
        let text = Array("\u{1B}abc\u{7F}".utf8)
        #expect(text.withUnsafeBytes { TerminalEscaping.firstUnsafe(in: $0, from: 1)?.index } == 4)
        #expect(text.withUnsafeBytes { TerminalEscaping.firstUnsafe(in: $0, from: 5)?.index } == nil)
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", #"a\u001b[2Jb"#), ("\n\r\t", #"\n\r\t"#),
        ("\u{9B}\u{202E}\u{7F}", #"\u009b\u202e\u007f"#),
        ("é茶🍵", "é茶🍵"),
    ])
    func `unsafe scalars are escaped`(text: String, escaped: String) {
        #expect(TerminalEscaping.escaped(text) == escaped)
    }

    @Test func `long text is cut`() {
        #expect(TerminalEscaping.quoted("abcdef", limit: 3) == "\"abc…\"")
        #expect(TerminalEscaping.quoted("abc", limit: 3) == "\"abc\"")
    }
}
