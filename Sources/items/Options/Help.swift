import Foundation

/// The texts of `--help`, `--help all` and `--man`. They are files of the folder Texts, in which marks such as `@OPTIONS@` stand
/// for what is made from the table of options.
enum Help {
    /// One screen: the most common options, and examples.
    static var short: String { filled(PackageResources.help_txt) }

    /// All options, the environment and the exit codes.
    static var text: String {
        let groups = Option.groups.map { "\($0.title)\n" + $0.options.map(\.helpEntry).joined() }
        return filled(PackageResources.help_all_txt, ["OPTIONS": groups.joined(separator: "\n")])
    }

    /// The manual page, in roff with the macros of man(7).
    static var manual: String {
        let groups = Option.groups.map {
            ".SS \"\(roff($0.title))\"\n" + $0.options.map(\.manualEntry).joined()
        }
        return filled(
            PackageResources.items_1,
            ["OPTIONS": groups.joined(), "DATE": Version.date, "VERSION": Version.current])
    }

    /// Returns a file of the folder with the given texts in the place of its marks.
    static func filled(_ file: [UInt8], _ texts: [String: String] = [:]) -> String {
        texts.reduce(String(decoding: file, as: UTF8.self)) { $0.replacing("@\($1.key)@", with: $1.value) }
    }

    /// Escapes `words` for roff, so that a dash stays a dash and no line is a macro.
    static func roff(_ words: String) -> String {
        let safe = words.replacing([
            "\\": "\\e", "-": "\\-", "\"": "\\(dq", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti",
        ])
        return safe.hasPrefix(".") ? "\\&\(safe)" : safe
    }
}

extension Option {
    fileprivate var helpEntry: String {
        let head = "  \(short.map { "-\($0), " } ?? "    ")\(usage)"
        let indent = "\n" + String(repeating: " ", count: 24)
        let start = head.count > 22 ? head + indent : head.padding(toLength: 24, withPad: " ", startingAt: 0)
        return start + help.wrapped(to: 56).joined(separator: indent) + "\n"
    }

    fileprivate var manualEntry: String {
        let letter = short.map { "\\fB\\-\($0)\\fR, " } ?? ""
        let bold = "\\fB\(Help.roff("--\(name)"))\\fR"
        let usage = value.map {
            valueUsage.replacing($0.placeholder, with: "\\fI\(Help.roff($0.placeholder))\\fR")
        }
        let text = help.prefix(1).uppercased() + help.dropFirst().replacing("\n", with: " ") + "."
        // Wrapped here as well, so that the source is readable.
        return ".TP\n\(letter)\(bold)\(usage ?? "")\n"
            + text.wrapped(to: 66).map { Help.roff($0) + "\n" }.joined()
    }
}

extension String {
    /// Returns the words of each line on lines of at most `width` characters.
    fileprivate func wrapped(to width: Int) -> [String] {
        split(separator: "\n").flatMap { line in
            line.split(separator: " ").reduce(into: []) { (lines: inout [String], word) in
                if let last = lines.last, last.count + word.count < width {
                    lines[lines.count - 1] += " \(word)"
                } else {
                    lines.append(String(word))
                }
            }
        }
    }

    /// Returns the text with the given texts in the place of characters.
    func replacing(_ escapes: [Character: String]) -> String { map { escapes[$0] ?? String($0) }.joined() }
}
