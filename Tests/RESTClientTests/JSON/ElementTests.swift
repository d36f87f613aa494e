@testable import RESTClient
import Testing

@Suite struct ElementTests {
    private func string(_ element: String) -> String? {
        ListScanner.string(ArraySlice(element.utf8).span.bytes)
    }

    @Test(arguments: [
        (#""""#, ""), (#""tea""#, "tea"),
        (
            #""a long string that fills more than one vector""#,
            "a long string that fills more than one vector"
        ),
        (#""é語😀""#, "é語😀"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u8A9e""#, "é語"),
        (#""\uD83D\uDE00!""#, "😀!"), (#""a\u0000b""#, "a\u{0}b"), (#""before é\n後""#, "before é\n後"),
        (#""\uffff""#, "\u{FFFF}"), (#""\ud800\udc00""#, "\u{10000}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
    ])
    func `a string element has a text`(element: String, text: String) {
        #expect(string(element) == text)
        #expect(string(element).map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }

    @Test(arguments: [0x80, 0x90, 0xA0, 0xB0, 0xC0, 0xD0, 0xE0, 0xF0] as [UInt8])
    func `UTF-8 validation agrees with the standard library`(first: UInt8) {
        let ends: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        // Each byte that begins a rule, and one of those with the same rule.
        let rules: Set<UInt8> = [0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF]
        for first in first...first + 15 where first >= 0xF0 || rules.contains(first) {
            for second in ends {
                for third in ends where third < 0x90 || third > 0x9F {
                    for last: [UInt8] in [[], [0x80], [0xBF], [0xC0], [0x41, 0x41, 0x41]] {
                        let text = [first, second, third] + last
                        let element = [0x22] + text + [0x22]
                        #expect(
                            (ListScanner.string(ArraySlice(element).span.bytes) != nil)
                                == (String(validating: text, as: UTF8.self) != nil), "\(text)")
                    }
                }
            }
        }
    }
}
