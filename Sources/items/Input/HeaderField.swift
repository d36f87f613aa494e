import RESTClientHTTP

/// A header field as `-H` takes it.
struct HeaderField: Equatable, Sendable {
    let name: String
    let value: String

    /// The fields of one `-H`: `NAME:VALUE`, `NAME;` for an empty value, `@FILE` for one from each line.
    static func fields(_ text: String) throws -> [HeaderField] {
        guard text.hasPrefix("@") else { return [try HeaderField(text)] }
        var bytes: [UInt8] = []
        let file = try FileInput(path: String(text.dropFirst()))
        try file.read { piece in
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            guard bytes.count <= 1 << 20 else {
                throw UsageError("\(file.name) is larger than 1 MB, too large for header fields")
            }
        }
        return try String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            try HeaderField(String($0))
        }
    }

    private init(_ text: String) throws(UsageError) {
        guard let mark = text.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw UsageError("-H takes NAME:VALUE, and there is no colon in it")
        }
        let name = text[..<mark]
        let value = text[text.index(after: mark)...].trimmed
        if text[mark] == ";", !value.isEmpty {
            throw UsageError("-H takes NAME:VALUE, or NAME; for an empty value")
        }
        if text[mark] == ":", value.isEmpty {
            throw UsageError(
                "-H \(TerminalEscaping.quoted(name, limit: 80)) has no value",
                hint: "write it with a semicolon to send it empty")
        }
        // What belongs to the value is not known here: nothing of it is shown.
        guard !name.isEmpty,
            !name.unicodeScalars.contains(where: { $0.value <= 0x20 || TerminalEscaping.isUnsafe($0) })
        else { throw UsageError("-H \(TerminalEscaping.quoted(name, limit: 80)): this is no header name") }
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F })
        else {
            throw UsageError(
                "the value of -H \(TerminalEscaping.quoted(name, limit: 80)) has a control character in it")
        }
        self.name = String(name)
        self.value = String(value)
    }
}

extension Substring {
    /// Without the spaces and tabs around it.
    fileprivate var trimmed: Substring {
        var text = self.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
