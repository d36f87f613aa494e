/// A word of a POSIX shell.
enum ShellWord {
    /// `text` so that a shell takes it as it is.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte >= 0x80 || "._-/:@%+,".utf8.contains(byte) || Character(UnicodeScalar(byte)).isLetter
                    || Character(UnicodeScalar(byte)).isNumber
            }
        guard !isPlain else { return text }
        return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
