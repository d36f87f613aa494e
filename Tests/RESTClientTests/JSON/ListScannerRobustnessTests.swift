import RESTClient
import RESTClientTestSupport
import Testing

/// Hostile and broken documents, and their expected results.
@Suite struct ListScannerRobustnessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let outcome: Outcome

        var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self).debugDescription }

        init(_ text: String, _ outcome: Outcome) { (bytes, self.outcome) = (Array(text.utf8), outcome) }

        init(_ bytes: [UInt8], _ outcome: Outcome) { (self.bytes, self.outcome) = (bytes, outcome) }
    }

    enum Outcome: Sendable {
        case elements([String])
        case malformed(at: Int64, String)
        case failure(ListScanner.Failure.Reason)
        case incomplete
    }

    private static let deep = String(repeating: "[", count: 100_000)
    private static let tooDeep = Outcome.failure(.malformed(.tooDeep(limit: 512)))

    /// Valid JSON without the list.
    private static let shapes: [Row] = [
        Row("", .failure(.notJSON(found: ""))),
        Row(" \r\n", .failure(.notJSON(found: ""))),
        Row("\u{FEFF}", .failure(.notJSON(found: ""))),
        Row("{}", wrong(.keys([]))),
        Row(#"{"items":null}"#, wrong(.null)),
        Row(#"{"items":{"edges":[]}}"#, wrong(.object, lists: ["items.edges"])),
        Row(#"{"items":7}"#, wrong(.number)),
        Row(#"{"items":"a"}"#, wrong(.string)),
        Row(#"{"items":false}"#, wrong(.boolean)),
        Row(#"["a"]"#, wrong(.topLevelList, lists: [.root])),
        Row(#""items""#, wrong(.string)),
        Row("42", wrong(.number)),
        Row("0", wrong(.number)),
        Row("-1.5", wrong(.number)),
        Row("1e5", wrong(.number)),
        Row(" null ", wrong(.null)),
        Row(#"{"concepts":["a"]}"#, wrong(.keys(["concepts"]), lists: ["concepts"])),
        Row(
            #"{"data":{"results":[1],"n":1},"total":2}"#,
            wrong(.keys(["data", "total"]), lists: ["data.results"])),
    ]

    /// Violations of the grammar.
    private static let grammar: [Row] = [
        bad(#"{"items":["a",]}"#, 14, "a comma before the end of a list"),
        bad(#"{"items":[[1,]]}"#, 13, "a comma before the end of a list"),
        bad(#"{"items":["a"],}"#, 15, "a comma before the end of an object"),
        bad(#"{"items":[{"a":1,}]}"#, 17, "a comma before the end of an object"),
        bad(#"{"items":[,"a"]}"#, 10, #"expected a value, found ",""#),
        bad(#"{"items":[/* no */]}"#, 10, #"expected a value, found "/""#),
        bad("{// no\n}", 1, #"expected a key in double quotes, found "/""#),
        bad("{'items':[]}", 1, #"expected a key in double quotes, found "'""#),
        bad("{\"items\":['a']}", 10, #"expected a value, found "'""#),
        bad(#"{"items":[NaN]}"#, 10, #"expected a value, found "N""#),
        bad(#"{"items":[-Infinity]}"#, 11, #"expected a digit, found "I""#),
        bad(#"{"items":[01]}"#, 11, "a number with a leading zero"),
        bad(#"{"items":[+1]}"#, 10, #"expected a value, found "+""#),
        bad(#"{"items":[1.]}"#, 12, #"expected a digit, found "]""#),
        bad(#"{"items":[.5]}"#, 10, #"expected a value, found ".""#),
        bad("{\"items\":[1,\u{B}2]}", 12, "expected a value, found the byte 0x0B"),
        bad(#"{"items":[1e+]}"#, 13, #"expected a digit, found "]""#),
    ]

    /// Characters and escapes in strings, and keys.
    private static let strings: [Row] = [
        bad("{\"items\":[\"a\u{1}\"]}", 12, "a control character in a string: the byte 0x01"),
        bad("{\"items\":[\"a\n\"]}", 12, "a control character in a string: the byte 0x0A"),
        good("{\"items\":[\"\u{7F}\"]}", ["\"\u{7F}\""]),
        bad(#"{"items":["\x41"]}"#, 12, #"an invalid escape: a backslash and "x""#),
        bad(
            #"{"items":["\u12"]}"#, 15, #"expected four hexadecimal digits after \u, found a quotation mark"#),
        bad(#"{"items":["a"],"items":["b"]}"#, 21, #"the key "items" occurs twice"#),
        bad(#"{"\u0069tems":[],"items":[]}"#, 23, #"the key "items" occurs twice"#),
        good(#"{"\u0069tem\u0073":["a"]}"#, [#""a""#]),
    ]

    /// Halves of surrogate pairs, the first and the last ones included.
    private static let surrogates: [Row] = [
        bad(#"{"items":["\ud800"]}"#, 17, "a surrogate escape without its other half"),
        bad(#"{"items":["\ud800\n"]}"#, 18, "a surrogate escape without its other half"),
        bad(#"{"items":["\ud800\ud800"]}"#, 22, "a surrogate escape without its other half"),
        bad(#"{"items":["\udc00"]}"#, 16, "a surrogate escape without its other half"),
        bad(#"{"\udead":1,"items":[]}"#, 7, "a surrogate escape without its other half"),
        good(#"{"items":["\ud800\udc00","\uDBFF\uDFFF"]}"#, [#""\ud800\udc00""#, #""\uDBFF\uDFFF""#]),
        bad(#"{"items":["\udfff"]}"#, 16, "a surrogate escape without its other half"),
        bad(#"{"items":["\udbff"]}"#, 17, "a surrogate escape without its other half"),
    ]

    /// Marks, prefixes, and other encodings than UTF-8.
    private static let encodings: [Row] = [
        good("\u{FEFF}{\"items\":[1]}", ["1"]),
        good(")]}'\n{\"items\":[1]}", ["1"]),
        good(")]}',\n{\"items\":[1]}", ["1"]),
        Row(")]}'\n", .failure(.notJSON(found: ""))),
        Row(")]{\"items\":[1]}", .failure(.notJSON(found: ")]{\"items\":[1]}"))),
        Row("\u{FEFF}\u{FEFF}{\"items\":[1]}", .failure(.notJSON(found: "\u{FEFF}{\"items\":[1]}"))),
        bad(wide("{\"items\":[]}", [1, 0]), 1, "the text is UTF-16LE, not UTF-8"),
        bad(wide("{\"items\":[]}", [0, 1]), 0, "the text is UTF-16BE, not UTF-8"),
        bad(wide(" {}", [1, 0]), 1, "the text is UTF-16LE, not UTF-8"),
        bad(wide("12", [1, 0]), 0, "the text is UTF-16LE, not UTF-8"),
        bad([0xFF, 0xFE] + wide("{}", [1, 0]), 0, "the text is UTF-16LE, not UTF-8"),
        bad([0xFE, 0xFF] + wide("{}", [0, 1]), 0, "the text is UTF-16BE, not UTF-8"),
        bad(wide("{}", [1, 0, 0, 0]), 1, "the text is UTF-32LE, not UTF-8"),
        bad(wide("{}", [0, 0, 0, 1]), 0, "the text is UTF-32BE, not UTF-8"),
        bad([0xFF, 0xFE, 0, 0] + wide("{}", [1, 0, 0, 0]), 0, "the text is UTF-32LE, not UTF-8"),
        bad([0xFF, 0xFE, 0, 0x41], 0, "the text is UTF-16LE, not UTF-8"),
        bad([0x7B, 0, 0, 0x41], 1, "the text is UTF-16LE, not UTF-8"),
        Row([0, 0], .failure(.notJSON(found: "\u{0}\u{0}"))),
        bad(item([0xE9]), 12, "invalid UTF-8: a quotation mark inside a multi-byte character"),
        bad(item([0x80]), 11, "invalid UTF-8: the byte 0x80"),
        bad(item([0xC0, 0xAF]), 11, "invalid UTF-8: the byte 0xC0"),
        bad(item([0xE0, 0x9F, 0xBF]), 12, "invalid UTF-8: the byte 0x9F inside a multi-byte character"),
        bad(
            item([0xF0, 0x8F, 0xBF, 0xBF]), 12, "invalid UTF-8: the byte 0x8F inside a multi-byte character"),
        bad(item([0xED, 0xA0, 0x80]), 12, "invalid UTF-8: the byte 0xA0 inside a multi-byte character"),
        bad(
            item([0xF4, 0x90, 0x80, 0x80]), 12, "invalid UTF-8: the byte 0x90 inside a multi-byte character"),
        bad(item([0xFF]), 11, "invalid UTF-8: the byte 0xFF"),
        good(#"{"items":["\u0000"]}"#, [#""\u0000""#]),
    ]

    /// The end of the text, extreme sizes, and texts that are not JSON.
    private static let ends: [Row] = [
        Row(#"{"items":["a","b"#, .incomplete),
        Row(#"{"n":12"#, .incomplete),
        Row("[[1", .incomplete),
        bad(#"{"items":[]}{"items":[]}"#, 12, #"expected the end of the document, found "{""#),
        bad(#"{"items":[]} ;"#, 13, #"expected the end of the document, found ";""#),
        bad("{\"items\":[]}\u{0}", 12, "expected the end of the document, found the byte 0x00"),
        bad("\u{0}{\"items\":[]}", 0, "the text is UTF-16BE, not UTF-8"),
        bad(#"{"items":[]}}"#, 12, #"expected the end of the document, found "}""#),
        bad(#"{"items":["a"}"#, 13, #"expected a comma or the end of the list, found "}""#),
        bad(#"{"items" []}"#, 9, #"expected a colon after the key, found "[""#),
        bad(#"{"items":}"#, 9, #"expected a value, found "}""#),
        bad(#"{"items":[truth]}"#, 13, #"expected true, found "t""#),
        Row(#"{"a":\#(deep)"#, tooDeep),
        Row(#"{"items":\#(deep)"#, tooDeep),
        Row(#"{"items":[\#(String(repeating: #"{"a":"#, count: 100_000))"#, tooDeep),
        Row(deep, tooDeep),
        good(#"{"n":\#(String(repeating: "7", count: 100_000)),"items":[1]}"#, ["1"]),
        good(#"{"n":1e999999,"items":[-1e-999999]}"#, ["-1e-999999"]),
        Row("GARBAGE", .failure(.notJSON(found: "GARBAGE"))),
        Row(String(repeating: " ", count: 500) + "GARBAGE", .failure(.notJSON(found: "GARBAGE"))),
        Row(String(repeating: "😀", count: 50), .failure(.notJSON(found: String(repeating: "😀", count: 40)))),
        Row(
            "\n<!doctype html><html><head><title>Sign in</title>",
            .failure(.notJSON(found: "<!doctype html><html><head><title>Sign i", isHTML: true))),
        Row("not found", .failure(.notJSON(found: "not found"))),
        Row("404 page not found", .failure(.notJSON(found: "404 page not found"))),
        Row("---\nitems: []", .failure(.notJSON(found: "---\nitems: []"))),
        Row("callback({});", .failure(.notJSON(found: "callback({});"))),
    ]

    /// Characters beside the hexadecimal digits.
    private static let digits = ["G", "g", "/", ":", "@", "`", "\u{E9}"].map { digit in
        let found = digit == "\u{E9}" ? "the byte 0xC3" : "\"\(digit)\""
        return bad(
            #"{"items":["\u00\#(digit)0"]}"#, 15, "expected four hexadecimal digits after \\u, found \(found)"
        )
    }

    @Test(arguments: shapes + grammar + strings + digits + surrogates + encodings + ends)
    func `a broken document has the expected result`(row: Row) {
        let sizes = row.bytes.count > 1_000 ? [4_096] : [1, 3]
        let whole = Scan(row.bytes)
        switch row.outcome {
        case .elements(let elements):
            #expect(whole.elements == elements)
            #expect(whole.failure == nil)
        case .malformed(let offset, let message):
            guard case .malformed(let error) = whole.reason else {
                Issue.record("\(whole)")
                return
            }
            #expect("\(error)" == message)
            #expect(whole.failure?.offset == offset)
        case .failure(let reason): #expect(whole.reason == reason)
        case .incomplete: #expect(whole.reason == .incomplete)
        }
        for size in sizes {
            #expect(Scan(row.bytes, cuts: Array(stride(from: size, to: row.bytes.count, by: size))) == whole)
        }
    }

    // MARK: Rows

    private static func good(_ text: String, _ elements: [String]) -> Row { Row(text, .elements(elements)) }

    private static func bad(_ text: String, _ offset: Int64, _ message: String) -> Row {
        Row(text, .malformed(at: offset, message))
    }

    private static func bad(_ bytes: [UInt8], _ offset: Int64, _ message: String) -> Row {
        Row(bytes, .malformed(at: offset, message))
    }

    private static func wrong(_ found: FoundJSON, lists: [MemberPath] = []) -> Outcome {
        .failure(.wrongShape(path: "items", expected: .list, found: found, lists: lists))
    }

    private static func item(_ bytes: [UInt8]) -> [UInt8] {
        Array(#"{"items":[""#.utf8) + bytes + Array(#""]}"#.utf8)
    }

    /// ASCII text in units of several bytes. `1` marks the position of the character.
    private static func wide(_ text: String, _ unit: [UInt8]) -> [UInt8] {
        text.utf8.flatMap { byte in unit.map { $0 * byte } }
    }
}
