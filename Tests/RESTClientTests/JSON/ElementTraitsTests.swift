import Foundation
import RESTClientHTTP
import Testing

@testable import RESTClient

/// The traits that the scanner reports for elements, compared with their characters.
@Suite struct ElementTraitsTests {
    /// Letters, unsafe characters, and letters whose first bytes are those of unsafe characters.
    private static let alphabet: [Unicode.Scalar] = [
        "a", " ", "é", "ß", "\u{A0}", "\u{AD}", "\u{AE}", "\u{85}", "\u{7F}", "م", "\u{61C}", "،", "ი", "ᅟ",
        "ᄀ", "ờ",
        "\u{180E}", "\u{1160}", "\u{200B}", "\u{200D}", "\u{200E}", "\u{200F}", "’", "“", "…", "€", "™", "❤",
        "\u{2028}",
        "\u{202E}", "\u{2060}", "\u{206F}", "⁰", "茶", "の", "ㄱ", "\u{3164}", "한", "\u{FE0F}", "\u{FEFF}", "ﷺ",
        "ｱ",
        "\u{FFA0}", "\u{FFFA}", "\u{FFFD}", "😀", "👩", "🏴", "\u{E0041}", "\u{E0100}", "𠮷",
    ]

    @Test(arguments: 0..<8)
    func `a displayable element has no unsafe characters`(shard: Int) throws {
        var random = SeededGenerator(seed: UInt64(shard))
        var displayable = 0
        for _ in 0..<60 {
            let unsafe = Self.alphabet.filter(TerminalEscaping.isUnsafe)
            let safe = Self.alphabet.filter { !TerminalEscaping.isUnsafe($0) }
            var texts: [String] = []
            var json: [String] = []
            for _ in 0..<40 {
                var text = String.UnicodeScalarView()
                var escaped = ""
                let isSafe = Bool.random(using: &random)
                for _ in 0..<Int.random(in: 0...50, using: &random) {
                    // Mostly safe, so that one unsafe character is at any offset in a block.
                    let isLetter = isSafe || Int.random(in: 0..<20, using: &random) > 0
                    guard let scalar = (isLetter ? safe : unsafe).randomElement(using: &random) else {
                        continue
                    }
                    text.append(scalar)
                    let isEscaped = Int.random(in: 0..<12, using: &random) == 0
                    escaped += isEscaped ? TerminalEscaping.escape(scalar) : String(scalar)
                }
                texts.append(String(text))
                json.append("\"\(escaped)\"")
            }
            var scanner = PageScanner(ListScanner(at: .root))
            var batch = ElementBatch()
            try scanner.scan(Data("[\(json.joined(separator: ","))]".utf8), into: &batch)
            var found: [ElementTraits] = []
            batch.forEachElement { found.append($1) }
            #expect(found.count == texts.count)
            for (text, traits) in zip(zip(texts, json), found) {
                let isSafe = !text.0.unicodeScalars.contains(where: TerminalEscaping.isUnsafe)
                if traits.contains(.isDisplayable) {
                    #expect(isSafe, "\(text.1.debugDescription)")
                    displayable += 1
                }
                #expect(!traits.contains(.hasNoEscapes) || !text.1.contains("\\"), "\(text.1)")
            }
        }
        // Not all safe texts, because many of these letters are hard to tell from unsafe characters.
        #expect(displayable > 150, "\(displayable)")
    }
    /// The ranges that are not told from unsafe characters in a block (`TerminalEscaping.suspects`).
    private static let suspects: [ClosedRange<UInt32>] = [
        0x7F...0xAD, 0x61C...0x61C, 0x1140...0x117F, 0x1800...0x183F, 0x200B...0x200B, 0x200E...0x200F,
        0x2028...0x207F, 0x3140...0x317F, 0xFEC0...0xFEFF, 0xFF80...0xFFFF, 0xE0000...0xE0FFF,
    ]

    @Test func `the display-safety of well-formed text is determined in blocks`() {
        let edges: [UInt32] = [
            0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF,
            0x40000,
            0xFFFFF, 0x100000, 0x10FFFF,
        ]
        let ends = Self.suspects.flatMap {
            [$0.lowerBound - 1, $0.lowerBound, $0.upperBound, $0.upperBound &+ 1]
        }
        let others =
            stride(from: UInt32(0xC0), to: 0x3200, by: 61).map { $0 }
            + stride(from: 0x3200, to: 0x110000, by: 9_973)
        for scalar in (edges + ends + others).compactMap(Unicode.Scalar.init) {
            let text = String(repeating: String(scalar), count: 17)
            let bytes = Array("abc\(text)\" and the rest of the document".utf8)
            let found = ArraySlice(bytes).span.bytes.endOfText(from: 3)
            #expect(found.end == 3 + text.utf8.count, "U+\(String(scalar.value, radix: 16))")
            #expect(
                found.isDisplayable == !Self.suspects.contains { $0.contains(scalar.value) },
                "U+\(String(scalar.value, radix: 16))")
        }
    }
}
