import Foundation
import RESTClient

extension HTTPHeaders {
    /// Creates the fields of all `-H`: `NAME:VALUE`, `NAME;` for an empty value, `@FILE` for one field per line. As in curl, only
    /// the bytes LF and CR end a line.
    init(arguments: [String]) throws {
        self.init()
        for text in arguments {
            if text.hasPrefix("@") {
                try addFields(inFile: String(text.dropFirst()))
            } else {
                try addField(text)
            }
        }
    }

    private mutating func addFields(inFile path: String) throws {
        let file = try FileInput(path: path, of: "-H")
        let text = try file.bytes(limit: 1 << 20, of: "header fields")
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
        for (number, line) in lines {
            for line in line.split(separator: 0x0D) {
                do {
                    guard let line = String(validating: line, as: UTF8.self) else {
                        throw CommandError.usage("a header field is not UTF-8")
                    }
                    try addField(line)
                } catch let error as CommandError {
                    throw CommandError.usage(
                        "\(file.name), line \((number + 1).groupedText): \(error.message)", hint: error.hint)
                }
            }
        }
    }

    private mutating func addField(_ text: String) throws(CommandError) {
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
        guard value.isFieldValue else {
            throw .usage("the value of -H \(name.quoted()) contains a control character")
        }
        add(Name(String(name)), value)
    }
}

extension String {
    /// `false` if the text contains a control character that a header field cannot have.
    var isFieldValue: Bool {
        !unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }
    }
}
