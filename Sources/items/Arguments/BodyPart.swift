/// The value of `--data` or of one of its variants, which have the meaning of those of curl. Several are joined with `&`.
struct BodyPart: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// Text, or a file after `@` without its line breaks.
        case data
        /// Text.
        case raw
        /// Text, or a file after `@`.
        case binary
        /// Text to encode for a form: `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`.
        case urlEncoded
    }

    let kind: Kind
    let text: String

    /// The path of the file that contains the content. As in curl, a text to encode that contains `=` names no file.
    var file: String? {
        let (name, file) = text.divided(at: "@")
        return switch kind {
        case .raw: nil
        case .data, .binary: name.isEmpty ? file : nil
        case .urlEncoded: text.unicodeScalars.contains("=") ? nil : file
        }
    }

    var isStandardInput: Bool { file == "-" }
}
