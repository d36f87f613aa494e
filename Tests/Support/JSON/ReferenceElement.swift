import RESTClient

/// The content of a valid element, read one character after another, to compare the fast functions with.
struct ReferenceElement {
    /// The characters of a string, or `nil` for any other element.
    private(set) var string: [Unicode.Scalar]?
    /// The properties that the element has.
    private(set) var traits = ElementTraits.plain
    /// The keys and values of an object, or the elements of a list, as written.
    private(set) var parts: [String] = []
    /// The first unsafe character of the JSON text, and its index in bytes.
    private(set) var firstUnsafe: (index: Int, scalar: Unicode.Scalar)?

    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ json: String) {
        scalars = Array(json.unicodeScalars)
        var depth = 0
        var part = String.UnicodeScalarView()
        while index < scalars.count {
            let scalar = scalars[index]
            let start = index
            index += 1
            switch scalar {
            case "\"":
                let text = readString()
                if start == 0 { string = text }
            case " ", "\n", "\r", "\t": traits.remove(.isCompact)
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            default: break
            }
            let isSeparator = scalar == "," || scalar == ":"
            let isBoundary = depth == 1 && (isSeparator || start == 0) || depth == 0
            if !isBoundary {
                part.append(contentsOf: scalars[start..<index])
            } else if start > 0 {
                endPart(&part)
            }
        }
        var bytes = 0
        for scalar in scalars where firstUnsafe == nil {
            if TerminalEscaping.isUnsafe(scalar) { firstUnsafe = (bytes, scalar) }
            bytes += UTF8.width(scalar)
        }
    }

    private mutating func endPart(_ part: inout String.UnicodeScalarView) {
        let isBlank = { (scalar: Unicode.Scalar) in " \n\r\t".unicodeScalars.contains(scalar) }
        while part.last.map(isBlank) == true { part.removeLast() }
        let text = String(part.drop(while: isBlank))
        if !text.isEmpty { parts.append(text) }
        part.removeAll()
    }

    /// Reads the rest of a string, and its closing quote.
    private mutating func readString() -> [Unicode.Scalar] {
        var units: [UInt16] = []
        while scalars[index] != "\"" {
            if scalars[index] == "\\" {
                traits.remove(.hasNoEscapes)
                units.append(readEscape())
            } else {
                units += UTF16.encode(scalars[index]) ?? .init()
                index += 1
            }
        }
        index += 1
        let text = Array(String(decoding: units, as: UTF16.self).unicodeScalars)
        if text.contains(where: TerminalEscaping.isUnsafe) { traits.remove(.isDisplayable) }
        return text
    }

    private mutating func readEscape() -> UInt16 {
        let letter = scalars[index + 1]
        index += 2
        guard letter == "u" else {
            let meanings: [Unicode.Scalar: UInt16] = ["b": 8, "f": 12, "n": 10, "r": 13, "t": 9]
            return meanings[letter] ?? UInt16(truncatingIfNeeded: letter.value)
        }
        let digits = String(String.UnicodeScalarView(scalars[index..<index + 4]))
        index += 4
        return UInt16(digits, radix: 16) ?? 0
    }
}
