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
            var scanner = ListScanner(at: .root)
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
}
