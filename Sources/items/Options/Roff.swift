/// A writer of roff with the macros of man(7).
struct Roff {
    private(set) var text = ""

    /// Adds a macro. The arguments are already roff.
    mutating func macro(_ name: String, _ arguments: String...) {
        let quoted = arguments.map { "\"\($0)\"" }
        text += ([".\(name)"] + quoted).joined(separator: " ") + "\n"
    }

    mutating func section(_ title: String) { macro("SH", Self.plain(title)) }

    mutating func subsection(_ title: String) { macro("SS", Self.plain(title)) }

    /// Adds a paragraph of filled text.
    mutating func paragraph(_ words: String) {
        macro("PP")
        line(words)
    }

    /// Adds a tagged paragraph. The tag is already roff.
    mutating func entry(_ tag: String, _ meaning: String) {
        macro("TP")
        raw(tag)
        line(meaning)
    }

    /// Adds a line without filling.
    mutating func example(_ line: String) {
        macro("PP")
        raw(".RS 4\n.nf\n\(Self.plain(line))\n.fi\n.RE")
    }

    /// Adds a line that is already roff.
    mutating func raw(_ line: String) { text += line + "\n" }

    /// Adds filled text, wrapped here as well so that the source is readable.
    mutating func line(_ words: String) {
        var line = ""
        for word in words.split(separator: " ") {
            if !line.isEmpty, line.count + word.count >= Self.width {
                raw(Self.plain(line))
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        raw(Self.plain(line))
    }

    private static let width = 66

    static func bold(_ words: String) -> String { "\\fB\(plain(words))\\fR" }

    static func italic(_ words: String) -> String { "\\fI\(plain(words))\\fR" }

    /// Escapes `words` so that a dash stays a dash and no line is a macro.
    static func plain(_ words: some StringProtocol) -> String {
        let safe = words.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "\"": "\\(dq"
            case "'": "\\(aq"
            case "^": "\\(ha"
            case "~": "\\(ti"
            default: "\(character)"
            }
        }.joined()
        return safe.hasPrefix(".") ? "\\&\(safe)" : safe
    }
}
