import Foundation
import RESTClient
import RESTClientHTTP
import Testing

@testable import items

@Suite struct LineWriterTests {
    @Test(arguments: [
        (#""tea""#, "tea"), (#""""#, ""), (#""-rf""#, "-rf"), (#""a b""#, "a b"), (#""é 茶 🍵""#, "é 茶 🍵"),
        (#""\u00e9\/\u8336\ud83c\udf75""#, "é/茶🍵"), (#""a\"b""#, #"a"b"#), (#""a\\b""#, #"a\b"#),
        ("\"a\u{A0}b\"", "a\u{A0}b"), ("\"—“”\u{2030}\"", "—“”\u{2030}"),
        (#""[1]""#, "[1]"), (#""null""#, "null"),
    ])
    func `a plain string is printed as it is`(json: String, line: String) throws {
        #expect(try printed([json], by: LineWriter()) == line + "\n")
    }

    @Test(arguments: [
        (#""a\nb""#, #""a\nb""#), (#""a\tb""#, #""a\tb""#), (#""\r""#, #""\r""#),
        (#""\u001b[2J""#, #""\u001b[2J""#), (#""\u0000""#, #""\u0000""#), (#""\b\f""#, #""\u0008\u000c""#),
        ("\"\u{7F}\"", #""\u007f""#), ("\"\u{9B}31m\"", #""\u009b31m""#), (#""\u009b31m""#, #""\u009b31m""#),
        ("\"\u{2028}\"", #""\u2028""#), ("\"a\u{202E}b\"", #""a\u202eb""#), (#""\u2067""#, #""\u2067""#),
        (#""\"a\"""#, #""\"a\"""#), (#""\u0022a""#, #""\"a""#), (#""a\n\"\\\/é""#, #""a\n\"\\/é""#),
        (#""\n\u00e9""#, #""\né""#),
        ("\"sixteen letters. \u{1B}\"".replacing("\u{1B}", with: "\u{85}"), #""sixteen letters. \u0085""#),
    ])
    func `a string with control characters is printed as JSON`(json: String, line: String) throws {
        #expect(try printed([json], by: LineWriter()) == line + "\n")
    }

    @Test(arguments: [
        ("1e999999", "1e999999"), ("-0.10", "-0.10"), ("true", "true"), ("null", "null"), ("[ ]", "[]"),
        ("{ \"b\" : 1 ,\n\t\"a\" : [ 1.0 , { } ], \"b\": 2 }", #"{"b":1,"a":[1.0,{}],"b":2}"#),
        (#"{"a": "x  \" \\", "\u0062": "\/"}"#, #"{"a":"x  \" \\","\u0062":"\/"}"#),
        ("[\"\u{7F}\u{9B}\u{202E}\"]", #"["\u007f\u009b\u202e"]"#), ("{\"\u{2066}\": 1}", #"{"\u2066":1}"#),
        ("[\"é 茶\"]", "[\"é 茶\"]"), (#"["\n"]"#, #"["\n"]"#), (#"["\\", " "]"#, #"["\\"," "]"#),
    ])
    func `a value other than a string is printed as compact JSON`(json: String, line: String) throws {
        #expect(try printed([json], by: LineWriter()) == line + "\n")
    }

    @Test(arguments: [63, 64, 65, 1000])
    func `an item larger than the buffer is printed whole`(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let safe = try printed(["\"\(text)\"", "\"\(text)\""], by: LineWriter(), capacity: 64)
        #expect(safe == "\(text)\n\(text)\n")
        let quoted = try printed(["\"\(text)\\n\"", "[\"\(text)\u{7F}\"]"], by: LineWriter(), capacity: 64)
        #expect(quoted == "\"\(text)\\n\"\n[\"\(text)\\u007f\"]\n")
    }

    @Test(arguments: [64, 100, 64 << 10])
    func `plain strings of every length are printed whole from chunks of any size`(capacity: Int) throws {
        let lengths = Array(0...300)
        let strings = lengths.map { length in
            String(
                decoding: (0..<length).map { UInt8(ascii: "a") + UInt8(($0 + length) % 26) }, as: UTF8.self)
        }
        let document = Array("[\(strings.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
        for size in [7, 64, 1000, document.count] {
            let scratch = try TemporaryFile()
            var sink = ItemSink(
                output: Output(descriptor: scratch.descriptor, capacity: capacity), writer: LineWriter(),
                limit: nil)
            var scanner = ListScanner(at: .root)
            for start in stride(from: 0, to: document.count, by: size) {
                let piece = document[start..<min(start + size, document.count)]
                try scanner.scanParts(of: ArraySlice(piece).span.bytes) { try sink.write($0, $1, &$2) }
            }
            try sink.finish(isComplete: true)
            #expect(try scratch.text() == strings.map { $0 + "\n" }.joined())
        }
    }

    @Test func `any string is printed as one safe line that can be parsed back`() throws {
        let scalars = Unicode.Scalar.tricky
        var random = SystemRandomNumberGenerator()
        let strings = (0..<2000).map { _ in
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...40)).map { _ in
                        scalars.randomElement(using: &random) ?? "x"
                    }))
        }
        let encoder = JSONEncoder()
        let items = try strings.map { String(decoding: try encoder.encode($0), as: UTF8.self) }

        let lines = try printed(items, by: LineWriter()).split(
            separator: Character("\n"), omittingEmptySubsequences: false
        ).dropLast()

        #expect(lines.count == strings.count)
        for (line, string) in zip(lines, strings) {
            #expect(!line.unicodeScalars.contains(where: TerminalEscaping.isUnsafe))
            let isQuoted = line.utf8.first == UInt8(ascii: "\"")
            let value = isQuoted ? try JSONDecoder().decode(String.self, from: Data(line.utf8)) : String(line)
            #expect(Array(value.unicodeScalars) == Array(string.unicodeScalars))
        }
    }
}

extension Unicode.Scalar {
    /// Scalars on both sides of everything that the line rule tells apart.
    fileprivate static let tricky: [Unicode.Scalar] =
        Array("aB \"\\/\u{0}\u{1}\n\r\t\u{1B}\u{1F} ~\u{7F}\u{80}\u{85}\u{9B}\u{9F}\u{A0}é".unicodeScalars)
        + Array(
            "\u{61B}\u{61C}\u{61D}\u{200D}\u{200E}\u{200F}\u{2010}\u{2027}\u{2028}\u{202A}".unicodeScalars)
        + Array("\u{202E}\u{202F}\u{2065}\u{2066}\u{2069}\u{206A}茶\u{D7FF}\u{E000}\u{FFFF}🍵".unicodeScalars)
}

@Suite struct JSONWriterTests {
    @Test(arguments: [
        ([], true, "[]\n"), ([], false, ""), (["1"], true, "[\n1\n]\n"), (["1"], false, "[\n1\n"),
        ([#""a""#, "{ \"b\" : [ 1 ] }", "null"], true, "[\n\"a\",\n{\"b\":[1]},\nnull\n]\n"),
        (
            [#""\u00e9\/""#, "\"\u{9B}\u{202E}\"", #""\u001b""#], true,
            "[\n" + [#""\u00e9\/""#, #""\u009b\u202e""#, #""\u001b""#].joined(separator: ",\n") + "\n]\n"
        ),
    ])
    func `--json prints an array with one item per line, which has an end if it is complete`(
        items: [String], isComplete: Bool, output: String
    ) throws {
        #expect(try printed(items, by: JSONWriter(), isComplete: isComplete) == output)
    }

    @Test(arguments: [([], "0\n"), (["1", "[2, 3]", #""4""#], "3\n")])
    func `--count prints a number`(items: [String], output: String) throws {
        #expect(try printed(items, by: CountWriter()) == output)
    }
}

@Suite struct TableWriterTests {
    private static let nulls = [#"{"n": 1, "a": null}"#, #"{"n": null, "a": "x"}"#, #"{"n": 100, "a": ""}"#]

    @Test(arguments: [
        // The last of several members with the same key.
        ([#"{"a": 1, "a": 2}"#, #"{"a": 3, "a": 4}"#], "", "a\n2\n4\n"),
        // Items without members.
        (["{}"], "", "item\n\n"),
        (
            Array(repeating: "{}", count: 1_000) + ["7"], "",
            "item\n" + String(repeating: "\n", count: 1_000) + "7\n"
        ),
        // Numbers are aligned on the right, even negative ones and with null in their column.
        ([#"{"n":-1,"a":1}"#, #"{"n":100,"a":2}"#], "", "  n  a\n -1  1\n100  2\n"),
        (nulls, "", "  n  a\n  1\n     x\n100\n"), (nulls, "-", "  n  a\n  1  -\n  -  x\n100\n"),
    ])
    func `a table has aligned columns`(items: [String], nullValue: String, table: String) throws {
        #expect(try printed(items, by: TableWriter(RowReader(fields: []), nullValue: nullValue)) == table)
    }

    @Test(arguments: [(true, "a\n"), (false, "")])
    func `a table of a list without rows has a header only if the list is complete`(
        isComplete: Bool, table: String
    ) throws {
        let writer = TableWriter(RowReader(fields: [FieldPath(name: Array("a".utf8))]))
        #expect(try printed([], by: writer, isComplete: isComplete) == table)
    }

    /// Rows after the first thousand are written at once.
    @Test(arguments: [64, 65, 100, 1_000])
    func `a table is the same for buffers of any size`(capacity: Int) throws {
        let texts = (0..<1_100).map { String(repeating: "é", count: $0 % 90) }
        let items = texts.map { #"{"text": "\#($0)", "end": 1}"# }
        let rows = texts.map { $0.padding(toLength: 93, withPad: " ", startingAt: 0) + "1\n" }
        let table = try printed(items, by: TableWriter(RowReader(fields: [])), capacity: capacity)
        let header = "text".padding(toLength: 91, withPad: " ", startingAt: 0) + "end\n"
        #expect(table == header + rows.joined())
    }

    /// The columns are those of the buffered rows, so an error shows that the rows were printed.
    @Test func `a table buffers a limited number of bytes of cells, also of empty ones`() throws {
        let members = (0..<150).map { "\"k\($0)\":1" }.joined(separator: ",")
        let items = ["{\(members)}"] + Array(repeating: "{}", count: 75) + [#"{"new":1}"#]
        let error = try #require(throws: CommandError.self) {
            try printed(items, by: TableWriter(RowReader(fields: []), maxPendingBytes: 16 << 13))
        }
        #expect(error.message == "item 77 has a value without a column: \"new\"")
    }
}

@Suite struct DelimitedWriterTests {
    private func csv(
        _ items: [String], fields: String? = nil, cells: CellWriter = CellWriter(.csv),
        isComplete: Bool = true
    ) throws -> String {
        let fields = try fields.map { try FieldPath.list($0) } ?? []
        let writer = DelimitedWriter(RowReader(fields: fields), cells)
        return try printed(items, by: writer, isComplete: isComplete)
    }

    /// The first row is larger than the buffer, or the last row reaches the limit.
    @Test(arguments: [1, 64, 1_000, 100_000, 1 << 20], [1, 10, 5_000])
    func `rows are the same however many of them are buffered`(maxPendingBytes: Int, length: Int) throws {
        let text = String(repeating: "x", count: length)
        let items = (1...300).map { #"{"id": \#($0), "text": "\#(text)"}"# }
        let writer = DelimitedWriter(
            RowReader(fields: []), CellWriter(.csv), maxPendingBytes: maxPendingBytes)
        let rows = (1...300).map { "\($0),\(text)\r\n" }.joined()
        #expect(try printed(items, by: writer, capacity: 64) == "id,text\r\n" + rows)
    }

    /// Short texts are compared as words, longer ones as blocks.
    @Test func `a character that needs quotes or an escape is found at every place`() throws {
        for length in 1...40 {
            let plain = String(repeating: "~", count: length)
            var items = [#"{"a":"\#(plain)","b":1}"#]
            var (csv, tsv) = ("a,b\r\n\(plain),1\r\n", "a\tb\n\(plain)\t1\n")
            for place in 0..<length {
                let start = String(repeating: "~", count: place)
                let end = String(repeating: "é", count: length - place - 1)
                items.append(#"{"a":"\#(start),\#(end)","b":1}"#)
                csv += "\"\(start),\(end)\",1\r\n"
                tsv += "\(start),\(end)\t1\n"
                items.append(#"{"a":"\#(start)\t\#(end)","b":1}"#)
                csv += "\"\(start)\t\(end)\",1\r\n"
                tsv += "\(start)\\t\(end)\t1\n"
                items.append(#"{"a":"\#(start)\"\#(end)","b":1}"#)
                csv += "\"\(start)\"\"\(end)\",1\r\n"
                tsv += "\(start)\"\(end)\t1\n"
            }
            #expect(try self.csv(items) == csv)
            #expect(try self.csv(items, cells: CellWriter(.tsv)) == tsv)
        }
    }

    @Test(arguments: [
        (#""tea""#, "tea"), (#""""#, #""""#), (#""a,b""#, #""a,b""#), (#""say \"hi\"""#, #""say ""hi""""#),
        (#""a\nb""#, "\"a\nb\""), (#""a\r\nb""#, "\"a\r\nb\""), (#""a\tb""#, "\"a\tb\""),
        (#""\u001b[2J""#, "\"\u{1B}[2J\""), (#""a\\b""#, #"a\b"#), (#""\u00e9""#, "é"), (#"" a ""#, " a "),
        ("1.50", "1.50"), (#""null""#, "null"), ("\"#a\"", "\"#a\""), ("[1, \"a\"]", #""[1,""a""]""#),
        ("{ }", "{}"), (#""=1+1""#, "=1+1"), (#""\"""#, "\"\"\"\""),
    ])
    func `a cell of CSV is the value, quoted if needed`(json: String, cell: String) throws {
        #expect(try csv([#"{"a": \#(json)}"#]) == "a\r\n\(cell)\r\n")
        #expect(try csv([#"{"a": \#(json), "b": 1}"#], fields: "b,a") == "b,a\r\n1,\(cell)\r\n")
    }

    @Test(arguments: [
        (#""tea""#, "tea"), (#""""#, ""), (#""a,\"b\"""#, #"a,"b""#), (#""a\tb\nc\rd\\""#, #"a\tb\nc\rd\\"#),
        ("[1, 2]", "[1,2]"), (#""a\u0000b""#, #"a\0b"#),
    ])
    func `a cell of TSV escapes tabs, line breaks and backslashes`(json: String, cell: String) throws {
        #expect(try csv([#"{"a": \#(json), "b": 1}"#], cells: CellWriter(.tsv)) == "a\tb\n\(cell)\t1\n")
    }

    @Test(arguments: [
        // The columns are the members of all items.
        (
            [#"{"a": 1}"#, #"{"b": "", "a": null}"#, "{}", "[7]", "null", #""text""#], nil,
            "a,b,item|1,,|,\"\",|,,|,,[7]|,,|,,text|"
        ),
        // Keys that differ only in their bytes are separate columns.
        (
            ["{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":3,\"\u{E9}\":4}"], nil,
            "\u{E9},e\u{301}|1,2|4,3|"
        ),
        // A row is never an empty line.
        ([#"{"a": 1}"#, #"{"a": null}"#], nil, "a|1|\"\"|"), (["{}", "{}"], nil, "item|\"\"|\"\"|"),
        ([#"{"a": 1}"#, #"{"a": null}"#], "a", "a|1|\"\"|"), (["{}", #"{"a": 1}"#], nil, "a|\"\"|1|"),
        (["1", "null"], nil, "item|1|\"\"|"), (["{}", #"{"a": 1}"#], "a", "a|\"\"|1|"),
        // A header cell is quoted like other cells, and so is a byte order mark.
        ([#"{"": 1, "a\"b": 2, "c,d": 3}"#], nil, "\"\",\"a\"\"b\",\"c,d\"|1,2,3|"),
        (["{\"\u{FEFF}a\": 1}"], nil, "\"\u{FEFF}a\"|1|"), ([], nil, ""), ([], "a", "a|"),
    ])
    func `CSV has a header and a line for each item`(
        items: [String], fields: String?, lines: String
    ) throws {
        #expect(try csv(items, fields: fields) == lines.replacing("|", with: "\r\n"))
    }

    @Test func `a header is printed for a list that is not complete only with a row`() throws {
        #expect(try csv([], fields: "a", isComplete: false) == "")
        #expect(try csv([#"{"a": 1}"#], isComplete: false) == "a\r\n1\r\n")
    }

    @Test(arguments: [nil, "a", "a,l[]"])
    func `a cell of CSV is empty for null, unlike for an empty string`(fields: String?) throws {
        let items = [#"{"a": null, "l": ["x", null]}"#, #"{"a": "", "l": null}"#, "{}", #"{"a": "NULL"}"#]
        let lists = fields == nil ? [#"["x",null]"#, "null"] : ["x,", ""]
        func rows(_ cells: [String], _ lists: [String]) -> String {
            guard fields != "a" else { return "a\r\n" + cells.map { "\($0)\r\n" }.joined() }
            let lists = lists.map { $0.contains(",") ? "\"\($0.replacing("\"", with: "\"\""))\"" : $0 }
            return "a,l\(fields == nil ? "" : "[]")\r\n"
                + zip(cells, lists + ["", ""]).map { "\($0),\($1)\r\n" }.joined()
        }
        let empty = fields == "a" ? "\"\"" : ""
        #expect(try csv(items, fields: fields) == rows([empty, "\"\"", empty, "NULL"], [lists[0], ""]))
        // A text that equals that of null is quoted.
        #expect(
            try csv(items, fields: fields, cells: CellWriter(.csv, nullValue: "NULL"))
                == rows(
                    ["NULL", "\"\"", empty, "\"NULL\""],
                    fields == nil ? [lists[0], "NULL"] : ["x,NULL", ""]))
        for cells in [CellWriter(.csv, escapesControls: true), CellWriter(.csv, escapesFormulas: true)] {
            #expect(try csv(items, fields: fields, cells: cells) == csv(items, fields: fields))
        }
    }

    @Test func `a row of null after the buffered ones is no empty line`() throws {
        let many = Array(repeating: "\"\(String(repeating: "x", count: 1 << 20))\"", count: 17)
        #expect(try csv(many + ["null", "2"]).hasSuffix("x\r\n\"\"\r\n2\r\n"))
    }

    /// More rows than are buffered: the columns are those of the first rows.
    @Test func `a value without a column is an error`() throws {
        let text = String(repeating: "x", count: 1 << 20)
        let rows = (0..<17).map { _ in "{\"a\":\"\(text)\"}" }
        let error = try #require(throws: CommandError.self) { try csv(rows + [#"{"a": 1, "b": 2}"#]) }
        #expect(error.code == .missingColumn)
        #expect(error.message == "item 18 has a value without a column: \"b\"")
        let scalar = try #require(throws: CommandError.self) { try csv(rows + ["1"]) }
        #expect(scalar.message == "item 18 has a value without a column: \"item\"")
        #expect(try csv([#"{"a": 1, "b": 2}"#, "3"], fields: "a").hasSuffix("a\r\n1\r\n\"\"\r\n"))
    }

    @Test func `cells with quotes and line breaks are kept when their rows get more columns`() throws {
        let widening = Widening(
            header: Array("a,b\r\n".utf8), rows: [(count: 3, columns: 1)], columns: 2, format: .csv)
        let scratch = try TemporaryFile()
        let rows = ["\"x\r\ny\"", "\"\"\"\n\"", "z"]
        let file = "a\r\n" + rows.map { $0 + "\r\n" }.joined() + "1,2\r\n"
        try Array(file.utf8).withUnsafeBytes { try widening.copy($0, to: scratch.descriptor) }
        #expect(try scratch.text() == "a,b\r\n" + rows.map { $0 + ",\r\n" }.joined() + "1,2\r\n")
    }

    @Test(arguments: ["=1", "+1", "-1", "@a", "\\t=1", "\\r1", "\\n1", "＝1"])
    func `text that starts a formula gets an apostrophe`(text: String) throws {
        let cells = CellWriter(.csv, escapesFormulas: true)
        let plain = try csv([#"{"a": "\#(text)"}"#]).replacing("a\r\n", with: "")
        let escaped = try csv([#"{"a": "\#(text)"}"#], cells: cells).replacing("a\r\n", with: "")
        #expect(escaped == (plain.hasPrefix("\"") ? "\"'\(plain.dropFirst())" : "'\(plain)"))
        #expect(try csv([#"{"a": -1, "b": "x=1"}"#], cells: cells) == "a,b\r\n-1,x=1\r\n")
    }

    @Test func `cells on a terminal are escaped`() throws {
        let items = [#"{"a": "\u001b[2J", "b": "x\ny"}"#]
        #expect(
            try csv(items, cells: CellWriter(.csv, escapesControls: true))
                == "a,b\r\n\"\"\"\\u001b[2J\"\"\",\"\"\"x\\ny\"\"\"\r\n")
        #expect(
            try csv(items, cells: CellWriter(.tsv, escapesControls: true))
                == "a\tb\n\"\\u001b[2J\"\t\"x\\ny\"\n")
    }

    @Test func `several values of a path are joined`() throws {
        let items = [#"{"t": [{"n": "a"}, {"n": "b,c"}, {}]}"#, #"{"t": []}"#, #"{"t": 1}"#]
        #expect(try csv(items, fields: "t[].n,t[0].n") == "t[].n,t[0].n\r\n\"a,b,c\",a\r\n\"\",\r\n,\r\n")
        let paths = try FieldPath.list("t[].n")
        #expect(
            try printed(items, by: JSONWriter(fields: paths, isArray: false))
                == "{\"t[].n\":[\"a\",\"b,c\"]}\n{\"t[].n\":[]}\n{}\n")
        let cells = CellWriter(.fields(terminator: UInt8(ascii: "\n"), .displayed))
        #expect(
            try printed(items, by: DelimitedWriter(RowReader(fields: paths), cells, hasHeader: false))
                == "a,b,c\n\n\n")
    }
}
