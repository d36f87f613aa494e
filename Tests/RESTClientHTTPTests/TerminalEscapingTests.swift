import RESTClientHTTP
import Testing

@Suite struct TerminalEscapingTests {
    @Test func `the byte search finds the same unsafe scalars as isUnsafe`() {
        let all =
            Array(0...0x3200 as ClosedRange<UInt32>) + Array(0xFE00...0xFFFF) + Array(0xE0000...0xE0100)
            + Array(stride(from: 0x3201, to: 0x11_0000, by: 997))
        // Alone, and on both sides of a vector's edge.
        for pad in ["", "0123456789abcde", "0123456789abcdef"] {
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
        ("a\u{200B}\u{FEFF}\u{AD}\u{206A}\u{3164}b", #"a\u200b\ufeff\u00ad\u206a\u3164b"#),
        ("\u{1160}\u{FFA0}\u{180E}\u{FFFA}", #"\u1160\uffa0\u180e\ufffa"#),
        // Joiners and variation selectors belong to the text.
        (
            "می\u{200C}خواهم क्\u{200D}ष 👩\u{200D}👩\u{200D}👧 ❤\u{FE0F}",
            "می\u{200C}خواهم क्\u{200D}ष 👩\u{200D}👩\u{200D}👧 ❤\u{FE0F}"
        ),
        (Self.flag("gbsct"), Self.flag("gbsct")),
        ("a\(Self.flag("hidden"))", #"a🏴"# + Self.escapes("hidden")),
        ("\u{E0041}", #"\udb40\udc41"#),
    ])
    func `unsafe scalars are escaped`(text: String, escaped: String) {
        #expect(TerminalEscaping.escaped(text) == escaped)
    }

    @Test(arguments: ["gbeng", "gbsct", "gbwls"])
    func `the byte search finds no unsafe scalar in a flag`(name: String) {
        for text in [
            Self.flag(name), "0123456789abcdef\(Self.flag(name))x", "\(Self.flag(name))\(Self.flag(name))",
        ] {
            #expect(Array(text.utf8).withUnsafeBytes { TerminalEscaping.firstUnsafe(in: $0) }?.index == nil)
        }
        let cut = String(Self.flag(name).unicodeScalars.dropLast())
        #expect(Array(cut.utf8).withUnsafeBytes { TerminalEscaping.firstUnsafe(in: $0) }?.index == 4)
    }

    private static func tags(_ name: String) -> [Unicode.Scalar] {
        name.unicodeScalars.compactMap { Unicode.Scalar(0xE0000 + $0.value) } + ["\u{E007F}"]
    }

    private static func flag(_ name: String) -> String {
        "🏴" + String(String.UnicodeScalarView(tags(name)))
    }

    private static func escapes(_ name: String) -> String { tags(name).map(TerminalEscaping.escape).joined() }

    @Test func `a quote in quoted text is escaped`() {
        #expect(TerminalEscaping.quoted(#"a"b"#) == #""a\"b""#)
    }

    @Test func `long text is cut`() {
        #expect(TerminalEscaping.quoted("abcdef", limit: 3) == "\"abc…\"")
        #expect(TerminalEscaping.quoted("abc", limit: 3) == "\"abc\"")
    }
}
