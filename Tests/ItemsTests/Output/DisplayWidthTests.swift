import Testing

@testable import items

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("tea", 3), ("é", 1), ("e\u{301}", 1), ("Ünïcödé", 7), ("ﾊﾟ", 2), ("Привет", 6), ("„—“", 3),
    ])
    func `most letters take one column`(text: String, width: Int) { #expect(DisplayWidth.of(text) == width) }

    @Test(arguments: [
        ("茶", 2), ("李小龍", 6), ("カタカナ", 8), ("ｆｕｌｌ", 8), ("한국어", 6), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("、。", 4),
        ("𠮷", 2),
    ])
    func `those of East Asia two`(text: String, width: Int) { #expect(DisplayWidth.of(text) == width) }

    @Test(arguments: [
        ("🍵", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2), ("🇯🇵", 2), ("❤️", 2), ("❤", 1), ("1", 1), ("🍵x🍵", 5),
    ])
    func `a picture two, of however many parts`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(arguments: [("a\u{200B}b", 2), ("\u{FEFF}", 0), ("ก็", 1), ("a\u{20DD}", 1)])
    func `what stands on another one none`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }
}
