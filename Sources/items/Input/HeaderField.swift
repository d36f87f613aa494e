import Foundation
import RESTClient

/// A header field in the syntax of `-H`.
struct HeaderField: Equatable, Sendable {
    let name: String
    let value: String

    /// Returns the fields of one `-H`: `NAME:VALUE`, `NAME;` for an empty value, `@FILE` for one field per line. As in curl, only
    /// the bytes LF and CR end a line.
    static func fields(_ text: String) throws -> [HeaderField] {
        guard text.hasPrefix("@") else { return [try HeaderField(text)] }
        let file = try FileInput(path: String(text.dropFirst()), of: "-H")
        let text = try file.bytes(
            limit: 1 << 20, orThrow: .usage("\(file.name) is too large for header fields (limit: 1 MB)"))
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
        return try lines.flatMap { number, line in
            try line.split(separator: 0x0D).map { line in
                do {
                    guard let line = String(validating: line, as: UTF8.self) else {
                        throw CommandError.usage("a header field is not UTF-8")
                    }
                    return try HeaderField(line)
                } catch let error as CommandError {
                    throw CommandError.usage(
                        "\(file.name), line \((number + 1).groupedText): \(error.message)", hint: error.hint)
                }
            }
        }
    }

    private init(_ text: String) throws(CommandError) {
        guard let mark = text.utf8.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") })
        else { throw .usage("-H requires NAME:VALUE, such as 'Accept: text/csv'; the colon is missing") }
        let name = text[..<mark]
        let value = text[text.utf8.index(after: mark)...]
            .trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        let isEmpty = text.utf8[mark] == UInt8(ascii: ";")
        if isEmpty, !value.isEmpty { throw .usage("-H requires NAME:VALUE, or NAME; for an empty value") }
        if !isEmpty, value.isEmpty {
            throw .usage(
                "-H \(name.quoted()) has no value", hint: "use a semicolon to send an empty value: NAME;")
        }
        // The value may be a secret, so the message does not contain it.
        guard !name.isEmpty,
            !name.unicodeScalars.contains(where: { $0.value <= 0x20 || TerminalEscaping.isUnsafe($0) })
        else { throw .usage("-H \(name.quoted()): invalid header name") }
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F })
        else { throw .usage("the value of -H \(name.quoted()) contains a control character") }
        self.name = String(name)
        self.value = value
    }
}
