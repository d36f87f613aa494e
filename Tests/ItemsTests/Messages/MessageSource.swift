import Foundation
import Testing

/// The texts in the source code of the program, and in that of the libraries that it uses.
enum MessageSource {
    private static let modules = ["items", "RESTClient", "RESTClientHTTP"]

    /// Files whose texts are no messages.
    private static let others: Set = [
        "items/Completion", "items/Demo", "items/ExitCode", "items/GeneratedList", "items/Help",
        "items/ListRequest", "items/Manual", "items/Option+All", "items/Roff", "items/Scenario",
        "items/SentHeaders", "items/Version",
        // Names in lists, reason phrases and media types, and the errors of a build for another platform.
        "RESTClient/PaginationNames", "RESTClientHTTP/HTTPTypes", "RESTClientHTTP/Exports",
    ]

    /// A string literal with a null character for each interpolated value.
    struct Literal: CustomStringConvertible {
        let file: String
        let text: String

        /// The text with `<*>` for each interpolated value.
        var shown: String { text.replacing("\0", with: "<*>") }
        var description: String { "\(file): \(shown)" }

        /// `true` for a text of at least two words.
        fileprivate var isMessage: Bool {
            text.split(separator: "\0").contains { part in
                let text = part.trimmingCharacters(in: .whitespaces)
                return text.contains(" ") && text.contains(/[a-z]{2}/)
            }
        }

        /// The texts between the interpolated values.
        fileprivate var parts: [String] { text.split(separator: "\0").map(String.init) }
    }

    /// A text in which messages are looked for.
    struct SearchText {
        private let text: [UInt8]

        init(_ text: String) { self.text = Array(text.utf8) }

        /// Returns `true` if the texts between the interpolated values of `literal` occur in order, on one line.
        func contains(_ literal: Literal) -> Bool {
            let parts = literal.parts.map { Array($0.utf8) }
            guard let first = parts.first else { return true }
            return text.withUnsafeBytes { text in
                var start = 0
                while let found = Self.find(first, in: text[start...]) {
                    var rest = text[found...].prefix { $0 != UInt8(ascii: "\n") }
                    let isFound = parts.dropFirst().allSatisfy { part in
                        guard let end = Self.find(part, in: rest) else { return false }
                        rest = rest[end...]
                        return true
                    }
                    if isFound { return true }
                    start = found
                }
                return false
            }
        }

        /// Returns the index after the first occurrence of `part`.
        private static func find(_ part: [UInt8], in text: Slice<UnsafeRawBufferPointer>) -> Int? {
            let bytes = UnsafeRawBufferPointer(rebasing: text)
            guard let base = bytes.baseAddress, let first = part.first else { return nil }
            var start = 0
            while start + part.count <= bytes.count,
                let found = memchr(base + start, Int32(first), bytes.count - part.count - start + 1)
            {
                start = UnsafeRawPointer(found) - base
                if memcmp(found, part, part.count) == 0 { return text.startIndex + start + part.count }
                start += 1
            }
            return nil
        }
    }

    /// The texts of at least two words.
    static let messages: [Literal] = modules.flatMap { module in
        swiftFiles(in: "Sources/\(module)").flatMap { file, source in
            let name = "\(module)/\(file)"
            return others.contains(name)
                ? [] : LiteralScanner.literals(in: source).map { Literal(file: name, text: $0) }
        }
    }.filter(\.isMessage)

    /// Returns the literals of the files that contain the test `name`, one a line.
    static func literals(ofTest name: String) -> String {
        tests.filter { $0.names.contains(name) }.flatMap(\.literals).joined(separator: "\n")
    }

    /// The names of the tests of each file, and its literals.
    private static let tests = swiftFiles(in: "Tests").map { file in
        let lines = file.source.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        let names = lines.compactMap { line in
            line.contains("func `") ? line.split(separator: "`").dropFirst().first.map(String.init) : nil
        }
        return (names: Set(names), literals: LiteralScanner.literals(in: file.source))
    }

    /// Returns the names and the contents of the Swift files in `folder`.
    private static func swiftFiles(in folder: String) -> [(name: String, source: Data)] {
        let files = FileManager.default.enumerator(
            at: Repository.file(folder), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.compactMap {
            file in
            guard let source = try? Data(contentsOf: file) else { return nil }
            return (file.deletingPathExtension().lastPathComponent, source)
        }
    }
}

/// Finds string literals in Swift source code.
private struct LiteralScanner {
    private let source: [UInt8]
    private var index = 0
    private var literals: [String] = []

    private init(_ source: Data) { self.source = Array(source) }

    /// Returns the literals in `source`, with a null character for each interpolated value.
    static func literals(in source: Data) -> [String] {
        var scanner = Self(source)
        scanner.scan()
        return scanner.literals
    }

    private func starts(with text: [UInt8]) -> Bool {
        guard index + text.count <= source.count else { return false }
        for offset in text.indices where source[index + offset] != text[offset] { return false }
        return true
    }

    private static let quote = UInt8(ascii: "\"")
    private static let slash = UInt8(ascii: "/")
    private static let newline = UInt8(ascii: "\n")

    private mutating func scan() {
        let (quote, slash) = (Self.quote, Self.slash)
        while index < source.count {
            let byte = source[index]
            if byte == slash, starts(with: [slash, slash]) {
                index = source[index...].firstIndex(of: Self.newline) ?? source.count
            } else if byte == quote {
                scanLiteral()
            } else {
                index += 1
            }
        }
    }

    private mutating func scanLiteral() {
        let hashes = source[..<index].reversed().prefix { $0 == UInt8(ascii: "#") }
        let isMultiline = starts(with: [Self.quote, Self.quote, Self.quote])
        let quotes = [UInt8](repeating: Self.quote, count: isMultiline ? 3 : 1)
        let (end, escape) = (quotes + hashes, [UInt8(ascii: "\\")] + hashes)
        let interpolation = escape + [UInt8(ascii: "(")]
        index += quotes.count
        var text: [UInt8] = []
        while index < source.count, !starts(with: end) {
            let byte = source[index]
            if byte != escape[0] || !starts(with: escape) || index + escape.count == source.count {
                text.append(byte)
                index += 1
            } else if starts(with: interpolation) {
                index += interpolation.count
                skipInterpolation()
                text.append(0)
            } else {
                let letter = source[index + escape.count]
                index += escape.count + 1
                switch letter {
                case Self.newline:
                    while index < source.count, source[index] == UInt8(ascii: " ") { index += 1 }
                case UInt8(ascii: "n"): text.append(Self.newline)
                // A line break of a test can be written without it.
                case UInt8(ascii: "r"): break
                default: text.append(letter)
                }
            }
        }
        index += end.count
        let literal = String(decoding: text, as: UTF8.self)
        literals.append(isMultiline ? Self.unindented(literal) : literal)
    }

    /// Returns the value of a multi-line literal: without the indentation of its end, and the first and the last line break.
    private static func unindented(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 2, let last = lines.popLast() else { return text }
        return lines.dropFirst().map { $0.hasPrefix(last) ? $0.dropFirst(last.count) : $0 }
            .joined(separator: "\n")
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while depth > 0, index < source.count {
            switch source[index] {
            case Self.quote:
                scanLiteral()
                continue
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            index += 1
        }
    }
}
