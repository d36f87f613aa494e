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

    var isStandardInput: Bool {
        kind != .raw && text == "@-" || kind == .urlEncoded && text.hasSuffix("@-") && !text.contains("=")
    }
}
