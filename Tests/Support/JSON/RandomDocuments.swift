package import RESTClient

/// Random documents from a seed: valid ones, and copies with a few changed bytes.
package struct RandomDocuments: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    static let paths: [MemberPath] = ["items", "items", "data.results", ".", "a.b.c"]

    package mutating func path() -> MemberPath { pick(Self.paths) }

    /// Returns a document that usually has a list at `path`.
    package mutating func document(for path: MemberPath) -> [UInt8] {
        var text = chance(20) ? "\u{FEFF}" : ""
        text += blanks() + walk(path.names[...]) + blanks()
        return Array(text.utf8)
    }

    /// Returns ascending positions at which `count` bytes are split into chunks.
    package mutating func cuts(of count: Int) -> [Int] {
        let largest = pick([1, 2, 3, 8, 20, 64])
        var cuts: [Int] = []
        var position = Int.random(in: 0...largest, using: &self)
        while position < count {
            cuts.append(position)
            position += Int.random(in: 1...largest, using: &self)
        }
        return cuts
    }

    /// Returns `document` with some bytes removed, added, changed, moved, or cut off.
    package mutating func mutated(_ document: [UInt8]) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...3, using: &self) {
            let position = Int.random(in: 0...bytes.count, using: &self)
            switch Int.random(in: 0..<9, using: &self) {
            case 0: bytes = Array(bytes.prefix(position))
            case 1: bytes.insert(oddByte(), at: position)
            case 2 where position < bytes.count: bytes.remove(at: position)
            case 3 where position < bytes.count: bytes[position] = oddByte()
            case 4:
                let end = min(bytes.count, position + Int.random(in: 1...12, using: &self))
                bytes.insert(
                    contentsOf: bytes[position..<end], at: Int.random(in: 0...bytes.count, using: &self))
            case 5:
                let end = min(bytes.count, position + Int.random(in: 1...5, using: &self))
                bytes.removeSubrange(position..<end)
            default:
                // A byte of a character that is not ASCII.
                guard let index = bytes[position...].firstIndex(where: { $0 >= 0x80 }) else { continue }
                if chance(4) { bytes.remove(at: index) } else { bytes[index] = pick(Self.oddUTF8) }
            }
        }
        return bytes
    }

    // MARK: Parts

    private mutating func walk(_ names: ArraySlice<String>) -> String {
        if chance(30) { return value(depth: 3) }
        guard let name = names.first else {
            return list(depth: 3, count: Int.random(in: 0...6, using: &self))
        }
        var members = (0..<Int.random(in: 0...3, using: &self)).map { _ in member(depth: 3) }
        if !chance(15) {
            let text = blanks() + key(name) + blanks() + ":" + blanks() + walk(names.dropFirst()) + blanks()
            members.insert(text, at: Int.random(in: 0...members.count, using: &self))
        }
        return "{" + (members.isEmpty ? blanks() : members.joined(separator: ",")) + "}"
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &self) {
        case 0: pick(["true", "false", "null"])
        case 1, 2: number()
        case 3, 4, 5, 6: string()
        case 7: list(depth: depth - 1, count: Int.random(in: 0...3, using: &self))
        default: object(depth: depth - 1)
        }
    }

    private mutating func list(depth: Int, count: Int) -> String {
        "[" + (count == 0 ? blanks() : "")
            + (0..<count).map { _ in blanks() + value(depth: depth) + blanks() }.joined(separator: ",") + "]"
    }

    private mutating func object(depth: Int) -> String {
        let count = Int.random(in: 0...3, using: &self)
        return "{" + (count == 0 ? blanks() : "")
            + (0..<count).map { _ in member(depth: depth) }.joined(separator: ",") + "}"
    }

    private mutating func member(depth: Int) -> String {
        let key = chance(4) ? key(pick(["items", "data", "results", "a", "b", "c", "total"])) : string()
        return blanks() + key + blanks() + ":" + blanks() + value(depth: depth) + blanks()
    }

    private mutating func key(_ name: String) -> String {
        let escapes = chance(6)
        return "\""
            + name.utf8.map { byte in
                escapes && chance(2) ? Self.escape(UInt32(byte)) : String(Unicode.Scalar(byte))
            }.joined() + "\""
    }

    private mutating func number() -> String {
        var text = chance(3) ? "-" : ""
        text += chance(4) ? "0" : pick(["1", "42", "9007199254740993", "123456789012345678901234567890"])
        if chance(3) { text += "." + pick(["0", "5", "000", "12345678901"]) }
        if chance(3) {
            text += pick(["e", "E"]) + pick(["", "+", "-"]) + pick(["0", "00", "1", "308", "999999"])
        }
        return text
    }

    private static let pieces = [
        "", "a", "tea", "a longer piece of plain text, to fill a vector", "é", "語", "😀", "\u{7F}", "\u{202E}",
        "\\\"", "\\\\", "\\/", "\\b", "\\n", "\\u0000", "\\u00e9", "\\uD83D\\uDE00", "\\ud7ff", "\\uE000",
        "\\ud800\\udc00", "\\uDBFF\\udfff", "\\f", "\\r", "\\t",
        "\u{FFFF}", "\u{10FFFF}", "\u{800}", "{", "]", ",", ":",
    ]

    /// The first and the last characters of each length in UTF-8, and unsafe characters among similar ones.
    private static let characters =
        (pieces.filter { $0.utf8.count < 5 }
        + [
            "\u{80}", "\u{9B}", "\u{A0}", "\u{AD}", "\u{AE}", "\u{BF}", "\u{7FF}", "\u{61C}", "،", "ᄀ", "ờ",
            "ი",
            "\u{115F}", "\u{1160}", "\u{180E}", "\u{200B}", "\u{200D}", "\u{200E}", "\u{200F}", "’", "…", "€",
            "™",
            "\u{2028}", "\u{2060}", "\u{206F}", "⁰", "茶", "の", "ㄱ", "\u{3164}", "한", "\u{D7FF}", "\u{E000}",
            "\u{FE0F}", "\u{FEFF}", "ﷺ", "ｱ", "\u{FFA0}", "\u{FFFA}", "\u{FFFD}", "\u{10000}", "𠮷",
            "\u{E0041}",
            "\u{E0100}", "\u{FFFFF}", "\u{100000}",
        ]).filter { !$0.isEmpty }

    private mutating func string() -> String {
        if chance(8) { return longString() }
        return "\"" + (0..<Int.random(in: 0...3, using: &self)).map { _ in pick(Self.pieces) }.joined() + "\""
    }

    /// Returns a string of several blocks, most of whose characters have the same length.
    private mutating func longString() -> String {
        let length = Int.random(in: 1...4, using: &self)
        let usual = Self.characters.filter { $0.utf8.count == length && !$0.hasPrefix("\\") }
        let other = Int.random(in: 2...30, using: &self)
        return "\""
            + (0..<Int.random(in: 12...40, using: &self)).map { _ in
                pick(chance(other) ? Self.characters : usual)
            }.joined() + "\""
    }

    private mutating func blanks() -> String { chance(4) ? pick([" ", "\n", "\t", "\r\n", "    "]) : "" }

    /// The limits of the bytes in well-formed UTF-8.
    private static let oddUTF8: [UInt8] = [
        0x22, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
        0xEE,
        0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]

    private mutating func oddByte() -> UInt8 {
        let odd =
            Array("{}[]\",:\\u-+.eE0195tfndD8 \n/'".utf8) + [
                0, 0x0B, 0x1F, 0x7F, 0x80, 0xBF, 0xC0, 0xC3, 0xE0, 0xED,
            ]
        return chance(8)
            ? UInt8.random(in: 0...255, using: &self) : pick(odd + [0xEF, 0xF0, 0xF4, 0xF5, 0xFE, 0xFF])
    }

    private static func escape(_ unit: UInt32) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}
