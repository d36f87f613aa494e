/// The words of a command line, as a shell splits it.
struct CommandLineWords {
    private(set) var words: [String] = []
    /// A Boolean value that indicates whether the line needs a shell: it has another variable than `$URL` and `$DIR`, or a
    /// character such as `|` outside quotes.
    private(set) var needsShell = false

    /// Splits a line into words in single or double quotes; `\xNN` in double quotes is a character.
    init(_ line: some StringProtocol) {
        var word: String?
        var quote: Character?
        var rest = Substring(line)
        while let character = rest.popFirst() {
            switch character {
            case quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil:
                quote = character
                word = word ?? ""
            case "\\" where quote == "\"" && rest.hasPrefix("x"):
                let code = UInt32(rest.dropFirst().prefix(2), radix: 16).flatMap(Unicode.Scalar.init)
                rest = rest.dropFirst(3)
                if let code { word = (word ?? "") + String(Character(code)) }
            case " " where quote == nil:
                if let word { words.append(word) }
                word = nil
            default:
                if quote != "'", "$`\\".contains(character), !rest.hasPrefix("URL"), !rest.hasPrefix("DIR") {
                    needsShell = true
                }
                if quote == nil, "|<>;&()*~#{\n".contains(character) { needsShell = true }
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
    }
}
