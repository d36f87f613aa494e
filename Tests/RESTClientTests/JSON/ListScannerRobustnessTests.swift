import RESTClient
import RESTClientTestSupport
import Testing

/// Hostile and broken documents, and their expected results.
@Suite struct ListScannerRobustnessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let outcome: Outcome
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ outcome: Outcome) {
            self.init(name, Array(text.utf8), outcome)
        }

        init(_ name: String, _ bytes: [UInt8], _ outcome: Outcome) {
            self.name = name
            self.bytes = bytes
            self.outcome = outcome
        }
    }

    enum Outcome: Sendable {
        case elements([String])
        case malformed(at: Int64, String)
        case failure(ListScanner.Failure.Reason)
        case incomplete
    }

    static let deep = String(repeating: "[", count: 100_000)

    static let rows = shapes + grammar + strings + encodings + ends

    static let shapes: [Row] = [
        Row("an empty body", "", .failure(.notJSON(found: ""))),
        Row("white space", " \r\n", .failure(.notJSON(found: ""))),
        Row("a byte order mark alone", "\u{FEFF}", .failure(.notJSON(found: ""))),
        Row("an empty object", "{}", wrong(.keys([]))),
        Row("null", #"{"items":null}"#, wrong(.null)),
        Row("an object", #"{"items":{"edges":[]}}"#, wrong(.object, lists: ["items.edges"])),
        Row("a number", #"{"items":7}"#, wrong(.number)),
        Row("a string", #"{"items":"a"}"#, wrong(.string)),
        Row("a boolean", #"{"items":false}"#, wrong(.boolean)),
        Row("a top-level list", #"["a"]"#, wrong(.topLevelList, lists: [.root])),
        Row("a top-level string", #""items""#, wrong(.string)),
        Row("a top-level number", "42", wrong(.number)),
        Row("a top-level zero", "0", wrong(.number)),
        Row("a top-level fraction", "-1.5", wrong(.number)),
        Row("a top-level exponent", "1e5", wrong(.number)),
        Row("a top-level null", " null ", wrong(.null)),
        Row(
            "another key", #"{"concepts":["a"]}"#,
            wrong(.keys(["concepts"]), lists: ["concepts"])),
        Row(
            "a list further in", #"{"data":{"results":[1],"n":1},"total":2}"#,
            wrong(.keys(["data", "total"]), lists: ["data.results"])),
    ]

    static let grammar: [Row] = [
        Row("a trailing comma", #"{"items":["a",]}"#, .malformed(at: 14, "a comma before the end of a list")),
        Row(
            "a trailing comma in an item", #"{"items":[[1,]]}"#,
            .malformed(at: 13, "a comma before the end of a list")),
        Row(
            "a trailing comma in an object", #"{"items":["a"],}"#,
            .malformed(at: 15, "a comma before the end of an object")),
        Row(
            "a trailing comma in an object in an item", #"{"items":[{"a":1,}]}"#,
            .malformed(at: 17, "a comma before the end of an object")),
        Row("a leading comma", #"{"items":[,"a"]}"#, .malformed(at: 10, #"expected a value, found ",""#)),
        Row(
            "a comment", #"{"items":[/* no */]}"#, .malformed(at: 10, #"expected a value, found "/""#)),
        Row(
            "a comment between members", "{// no\n}",
            .malformed(at: 1, #"expected a key in double quotes, found "/""#)),
        Row(
            "single quotes", "{'items':[]}", .malformed(at: 1, #"expected a key in double quotes, found "'""#)
        ),
        Row(
            "single quotes in the list", "{\"items\":['a']}",
            .malformed(at: 10, #"expected a value, found "'""#)),
        Row("NaN", #"{"items":[NaN]}"#, .malformed(at: 10, #"expected a value, found "N""#)),
        Row("Infinity", #"{"items":[-Infinity]}"#, .malformed(at: 11, #"expected a digit, found "I""#)),
        Row("a leading zero", #"{"items":[01]}"#, .malformed(at: 11, "a number with a leading zero")),
        Row("a plus", #"{"items":[+1]}"#, .malformed(at: 10, #"expected a value, found "+""#)),
        Row(
            "no digit behind the point", #"{"items":[1.]}"#,
            .malformed(at: 12, #"expected a digit, found "]""#)),
        Row(
            "no digit before the point", #"{"items":[.5]}"#,
            .malformed(at: 10, #"expected a value, found ".""#)),
        Row(
            "a vertical tab between items", "{\"items\":[1,\u{B}2]}",
            .malformed(at: 12, "expected a value, found the byte 0x0B")),
        Row("no exponent", #"{"items":[1e+]}"#, .malformed(at: 13, #"expected a digit, found "]""#)),
    ]

    static let strings: [Row] =
        ["G", "g", "/", ":", "@", "`", "\u{E9}"].map { digit in
            Row(
                "\(digit) as a hexadecimal digit", #"{"items":["\u00\#(digit)0"]}"#,
                .malformed(
                    at: 15,
                    "expected four hexadecimal digits after \\u, found "
                        + (digit == "\u{E9}" ? "the byte 0xC3" : "\"\(digit)\"")))
        } + oddStrings

    private static let oddStrings: [Row] = [
        Row(
            "a control character", "{\"items\":[\"a\u{1}\"]}",
            .malformed(at: 12, "a control character in a string: the byte 0x01")),
        Row(
            "a line feed in a string", "{\"items\":[\"a\n\"]}",
            .malformed(at: 12, "a control character in a string: the byte 0x0A")),
        Row("DEL in a string", "{\"items\":[\"\u{7F}\"]}", .elements(["\"\u{7F}\""])),
        Row(
            "an unknown escape", #"{"items":["\x41"]}"#,
            .malformed(at: 12, #"an invalid escape: a backslash and "x""#)),
        Row(
            "a short hexadecimal escape", #"{"items":["\u12"]}"#,
            .malformed(at: 15, #"expected four hexadecimal digits after \u, found a quotation mark"#)),
        Row(
            "the list twice", #"{"items":["a"],"items":["b"]}"#,
            .malformed(at: 21, #"the key "items" occurs twice"#)),
        Row(
            "the list twice, once with an escape", #"{"\u0069tems":[],"items":[]}"#,
            .malformed(at: 23, #"the key "items" occurs twice"#)),
        Row("a key written with escapes", #"{"\u0069tem\u0073":["a"]}"#, .elements([#""a""#])),
    ]

    static let encodings: [Row] = [
        Row("a byte order mark", "\u{FEFF}{\"items\":[1]}", .elements(["1"])),
        Row("a prefix against scripts", ")]}'\n{\"items\":[1]}", .elements(["1"])),
        Row("a prefix against scripts with a comma", ")]}',\n{\"items\":[1]}", .elements(["1"])),
        Row("a prefix against scripts alone", ")]}'\n", .failure(.notJSON(found: ""))),
        Row("half of a prefix", ")]{\"items\":[1]}", .failure(.notJSON(found: ")]{\"items\":[1]}"))),
        Row(
            "two byte order marks", "\u{FEFF}\u{FEFF}{\"items\":[1]}",
            .failure(.notJSON(found: "\u{FEFF}{\"items\":[1]}"))),
        Row(
            "UTF-16LE", wide("{\"items\":[]}", [1, 0]),
            .malformed(at: 1, "the text is UTF-16LE, not UTF-8")),
        Row(
            "UTF-16BE", wide("{\"items\":[]}", [0, 1]),
            .malformed(at: 0, "the text is UTF-16BE, not UTF-8")),
        Row(
            "UTF-16LE, blank first", wide(" {}", [1, 0]),
            .malformed(at: 1, "the text is UTF-16LE, not UTF-8")),
        Row(
            "UTF-16LE, a number", wide("12", [1, 0]), .malformed(at: 0, "the text is UTF-16LE, not UTF-8")
        ),
        Row(
            "UTF-16LE with a mark", [0xFF, 0xFE] + wide("{}", [1, 0]),
            .malformed(at: 0, "the text is UTF-16LE, not UTF-8")),
        Row(
            "UTF-16BE with a mark", [0xFE, 0xFF] + wide("{}", [0, 1]),
            .malformed(at: 0, "the text is UTF-16BE, not UTF-8")),
        Row("UTF-32LE", wide("{}", [1, 0, 0, 0]), .malformed(at: 1, "the text is UTF-32LE, not UTF-8")),
        Row("UTF-32BE", wide("{}", [0, 0, 0, 1]), .malformed(at: 0, "the text is UTF-32BE, not UTF-8")),
        Row(
            "UTF-32LE with a mark", [0xFF, 0xFE, 0, 0] + wide("{}", [1, 0, 0, 0]),
            .malformed(at: 0, "the text is UTF-32LE, not UTF-8")),
        Row(
            "UTF-16LE with a mark, a NUL further on", [0xFF, 0xFE, 0, 0x41],
            .malformed(at: 0, "the text is UTF-16LE, not UTF-8")),
        Row(
            "UTF-16LE, a NUL further on", [0x7B, 0, 0, 0x41],
            .malformed(at: 1, "the text is UTF-16LE, not UTF-8")),
        Row("two NULs", [0, 0], .failure(.notJSON(found: "\u{0}\u{0}"))),
        Row(
            "a Latin-1 byte", item([0xE9]),
            .malformed(at: 12, "invalid UTF-8: a quotation mark inside a multi-byte character")),
        Row("a lone continuation", item([0x80]), .malformed(at: 11, "invalid UTF-8: the byte 0x80")),
        Row("an overlong form", item([0xC0, 0xAF]), .malformed(at: 11, "invalid UTF-8: the byte 0xC0")),
        Row(
            "an overlong form of three", item([0xE0, 0x9F, 0xBF]),
            .malformed(at: 12, "invalid UTF-8: the byte 0x9F inside a multi-byte character")),
        Row(
            "an overlong form of four", item([0xF0, 0x8F, 0xBF, 0xBF]),
            .malformed(at: 12, "invalid UTF-8: the byte 0x8F inside a multi-byte character")),
        Row(
            "a surrogate in UTF-8", item([0xED, 0xA0, 0x80]),
            .malformed(at: 12, "invalid UTF-8: the byte 0xA0 inside a multi-byte character")),
        Row(
            "behind the last character", item([0xF4, 0x90, 0x80, 0x80]),
            .malformed(at: 12, "invalid UTF-8: the byte 0x90 inside a multi-byte character")),
        Row("no start of UTF-8", item([0xFF]), .malformed(at: 11, "invalid UTF-8: the byte 0xFF")),
        Row(
            "a high surrogate alone", #"{"items":["\ud800"]}"#,
            .malformed(at: 17, "a surrogate escape without its other half")),
        Row(
            "a high surrogate before another escape", #"{"items":["\ud800\n"]}"#,
            .malformed(at: 18, "a surrogate escape without its other half")),
        Row(
            "two high surrogates", #"{"items":["\ud800\ud800"]}"#,
            .malformed(at: 22, "a surrogate escape without its other half")),
        Row(
            "a low surrogate alone", #"{"items":["\udc00"]}"#,
            .malformed(at: 16, "a surrogate escape without its other half")),
        Row(
            "a lone surrogate in a key elsewhere", #"{"\udead":1,"items":[]}"#,
            .malformed(at: 7, "a surrogate escape without its other half")),
        Row(
            "the first and the last pair of surrogates", #"{"items":["\ud800\udc00","\uDBFF\uDFFF"]}"#,
            .elements([#""\ud800\udc00""#, #""\uDBFF\uDFFF""#])),
        Row(
            "the last low surrogate alone", #"{"items":["\udfff"]}"#,
            .malformed(at: 16, "a surrogate escape without its other half")),
        Row(
            "the last high surrogate alone", #"{"items":["\udbff"]}"#,
            .malformed(at: 17, "a surrogate escape without its other half")),
        Row("an escaped NUL", #"{"items":["\u0000"]}"#, .elements([#""\u0000""#])),
    ]

    static let ends: [Row] = [
        Row("cut in the list", #"{"items":["a","b"#, .incomplete),
        Row("cut behind a digit", #"{"n":12"#, .incomplete),
        Row("cut behind a digit in another list", "[[1", .incomplete),
        Row(
            "two documents", #"{"items":[]}{"items":[]}"#,
            .malformed(at: 12, #"expected the end of the document, found "{""#)),
        Row(
            "trailing junk", #"{"items":[]} ;"#,
            .malformed(at: 13, #"expected the end of the document, found ";""#)),
        Row(
            "a trailing NUL", "{\"items\":[]}\u{0}",
            .malformed(at: 12, "expected the end of the document, found the byte 0x00")),
        Row("a NUL before", "\u{0}{\"items\":[]}", .malformed(at: 0, "the text is UTF-16BE, not UTF-8")),
        Row(
            "a brace too many", #"{"items":[]}}"#,
            .malformed(at: 12, #"expected the end of the document, found "}""#)),
        Row(
            "closed by the other bracket", #"{"items":["a"}"#,
            .malformed(at: 13, #"expected a comma or the end of the list, found "}""#)),
        Row("no colon", #"{"items" []}"#, .malformed(at: 9, #"expected a colon after the key, found "[""#)),
        Row("no value", #"{"items":}"#, .malformed(at: 9, #"expected a value, found "}""#)),
        Row("an unknown word", #"{"items":[truth]}"#, .malformed(at: 13, #"expected true, found "t""#)),
        Row("100,000 levels beside the list", #"{"a":\#(deep)"#, .failure(.malformed(.tooDeep(limit: 512)))),
        Row(
            "100,000 levels inside the list", #"{"items":\#(deep)"#,
            .failure(.malformed(.tooDeep(limit: 512)))),
        Row(
            "100,000 objects inside each other",
            #"{"items":[\#(String(repeating: #"{"a":"#, count: 100_000))"#,
            .failure(.malformed(.tooDeep(limit: 512)))),
        Row("100,000 levels of the document", deep, .failure(.malformed(.tooDeep(limit: 512)))),
        Row(
            "a number of 100,000 digits", #"{"n":\#(String(repeating: "7", count: 100_000)),"items":[1]}"#,
            .elements(["1"])),
        Row(
            "a number beyond all numbers", #"{"n":1e999999,"items":[-1e-999999]}"#, .elements(["-1e-999999"])),
        Row("plain text", "GARBAGE", .failure(.notJSON(found: "GARBAGE"))),
        Row(
            "plain text behind much white space", String(repeating: " ", count: 500) + "GARBAGE",
            .failure(.notJSON(found: "GARBAGE"))),
        Row(
            "text of the largest characters", String(repeating: "😀", count: 50),
            .failure(.notJSON(found: String(repeating: "😀", count: 40)))),
        Row(
            "a page", "\n<!doctype html><html><head><title>Sign in</title>",
            .failure(.notJSON(found: "<!doctype html><html><head><title>Sign i", isHTML: true))),
        Row("text that starts like a literal", "not found", .failure(.notJSON(found: "not found"))),
        Row(
            "text that starts like a number", "404 page not found",
            .failure(.notJSON(found: "404 page not found"))),
        Row("YAML", "---\nitems: []", .failure(.notJSON(found: "---\nitems: []"))),
        Row("a script around it", "callback({});", .failure(.notJSON(found: "callback({});"))),
    ]

    @Test(arguments: rows)
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

    // MARK: Documents

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
