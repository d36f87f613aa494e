import RESTClient

/// A header field in the syntax of `-H`.
struct HeaderField: Equatable, Sendable {
    let name: String
    let value: String

    /// Returns the fields of one `-H`: `NAME:VALUE`, `NAME;` for an empty value, `@FILE` for one field per line.
    static func fields(_ text: String) throws -> [HeaderField] {
        guard text.hasPrefix("@") else { return [try HeaderField(text)] }
        var bytes: [UInt8] = []
        let file = try FileInput(path: String(text.dropFirst()))
        try file.read { piece in
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            guard bytes.count <= 1 << 20 else {
                throw UsageError("\(file.name) is too large for header fields (limit: 1 MB)")
            }
        }
        return try String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            try HeaderField(String($0))
        }
    }

    private init(_ text: String) throws(UsageError) {
        guard let mark = text.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw UsageError("-H requires NAME:VALUE; the colon is missing")
        }
        let name = text[..<mark]
        let value = text[text.index(after: mark)...].trimmed
        if text[mark] == ";", !value.isEmpty {
            throw UsageError("-H requires NAME:VALUE, or NAME; for an empty value")
        }
        if text[mark] == ":", value.isEmpty {
            throw UsageError(
                "-H \(TerminalEscaping.quoted(name, limit: 80)) has no value",
                hint: "use a semicolon to send an empty value: NAME;")
        }
        // The value may be a secret, so the message does not contain it.
        guard !name.isEmpty,
            !name.unicodeScalars.contains(where: { $0.value <= 0x20 || TerminalEscaping.isUnsafe($0) })
        else { throw UsageError("-H \(TerminalEscaping.quoted(name, limit: 80)): invalid header name") }
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F })
        else {
            throw UsageError(
                "the value of -H \(TerminalEscaping.quoted(name, limit: 80)) contains a control character")
        }
        self.name = String(name)
        self.value = String(value)
    }
}

extension Substring {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmed: Substring {
        var text = self.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
