import HTTPCore
import Testing

@Suite struct `Text made safe` {
    @Test func `bytes and scalars agree on what is unsafe`() {
        // In front, alone, behind and on both sides of a vector's edge.
        for pad in ["", "x", "0123456789abcde", "0123456789abcdef"] {
            for scalar in (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init)
            where pad.isEmpty || scalar.value < 0x3000 {
                let text = Array("\(pad)\(scalar)0123456789abcdef".utf8)
                let found = text.withUnsafeBytes { SafeText.firstUnsafe(in: $0) }
                if SafeText.isUnsafe(scalar) {
                    if found?.scalar != scalar || found?.index != pad.utf8.count {
                        Issue.record("U+\(String(scalar.value, radix: 16)) is not found behind \"\(pad)\"")
                    }
                } else if found != nil {
                    Issue.record("U+\(String(scalar.value, radix: 16)) is safe")
                }
            }
        }
    }

    @Test func `the search begins where it is told`() {
        let text = Array("\u{1B}abc\u{7F}".utf8)
        #expect(text.withUnsafeBytes { SafeText.firstUnsafe(in: $0, from: 1)?.index } == 4)
        #expect(text.withUnsafeBytes { SafeText.firstUnsafe(in: $0, from: 5)?.index } == nil)
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", #"a\u001b[2Jb"#), ("\n\r\t", #"\n\r\t"#),
        ("\u{9B}\u{202E}\u{7F}", #"\u009b\u202e\u007f"#),
        ("é茶🍵", "é茶🍵"),
    ])
    func `what is unsafe is escaped`(text: String, escaped: String) {
        #expect(SafeText.escaped(text) == escaped)
    }

    @Test func `what is long is cut`() {
        #expect(SafeText.quoted("abcdef", limit: 3) == "\"abc…\"")
        #expect(SafeText.quoted("abc", limit: 3) == "\"abc\"")
    }
}
