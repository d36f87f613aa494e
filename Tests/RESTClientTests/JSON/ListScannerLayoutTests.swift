import Testing

@testable import RESTClient

@Suite struct ListScannerLayoutTests {
    private func elements(_ text: String, _ layout: ListScanner.Layout, chunk: Int = 1) throws -> [String] {
        var scanner = ListScanner(layout: layout)
        var elements: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            let piece = Array(bytes[start..<min(start + chunk, bytes.count)])
            try scanner.scan(ArraySlice(piece).span.bytes) { element in
                elements.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            }
        }
        _ = try scanner.finish()
        return elements
    }

    @Test(arguments: [1, 2, 7, 100])
    func `a document can be the list itself`(chunk: Int) throws {
        #expect(
            try elements(#" ["a", 1, {"items": [2]}] "#, .pathOrDocument, chunk: chunk) == [
                "\"a\"", "1", #"{"items": [2]}"#,
            ])
        #expect(try elements(#"{"items": ["a"]}"#, .pathOrDocument, chunk: chunk) == ["\"a\""])
        #expect(throws: ListScanner.Failure.self) { try elements("[1", .pathOrDocument, chunk: chunk) }
        #expect(throws: ListScanner.Failure.self) { try elements("[1] 2", .pathOrDocument, chunk: chunk) }
        #expect(throws: ListScanner.Failure.self) { try elements("[1]", .path, chunk: chunk) }
    }

    @Test func `the path of an error is that of the document`() throws {
        let failure = try #require(throws: ListScanner.Failure.self) {
            try elements("[1, x]", .pathOrDocument)
        }
        #expect(failure.path == "$[1]")
    }

    @Test(arguments: [1, 2, 7, 100])
    func `a sequence contains all values of the text`(chunk: Int) throws {
        let text = "\u{FEFF}{\"items\": [1]}\n\n[2]\r\n\"a\" \n\u{1E}\"b\"\n\u{1E}12\n"
        #expect(
            try elements(text, .sequence, chunk: chunk) == [
                #"{"items": [1]}"#, "[2]", "\"a\"", "\"b\"", "12",
            ])
        #expect(try elements("", .sequence, chunk: chunk) == [])
        #expect(try elements(" \n", .sequence, chunk: chunk) == [])
        #expect(try elements("\u{1E}\u{1E}1\n\u{1E}", .sequence, chunk: chunk) == ["1"])
    }

    @Test(arguments: ["1,2\n", "[1]]\n", "1\n{", "12", "\"a", "x\n", "\"a\",\"b\"\n", "]\n", "1\n\u{1E}{"])
    func `an invalid or incomplete sequence is an error`(text: String) {
        #expect(throws: ListScanner.Failure.self) { try elements(text, .sequence) }
    }

    private func endedSequence(_ text: String, _ layout: ListScanner.Layout = .sequence) throws -> [String] {
        var scanner = ListScanner(layout: layout)
        var elements: [String] = []
        func add(_ element: RawSpan) {
            elements.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        try scanner.scan(ArraySlice(text.utf8).span.bytes, add)
        try scanner.endSequence(add)
        _ = try scanner.finish()
        return elements
    }

    @Test(arguments: [
        ("1\n23", ["1", "23"]), ("-1.5e3", ["-1.5e3"]), ("1\n", ["1"]), ("[1]", ["[1]"]), ("", []),
        ("\"a\"\nnull", ["\"a\"", "null"]), ("\u{1E}", []),
    ])
    func `a sequence can end with a number without a line break`(text: String, expected: [String]) throws {
        #expect(try endedSequence(text) == expected)
    }

    @Test(arguments: [
        #"{"a":"b"#, #"{"a":1"#, #"{"a"#, "\"a", "tru", "-", "1.", "1e", "[1]\n[3", "\u{1E}1\n\u{1E}23",
    ])
    func `a sequence that ends inside a value ends early`(text: String) throws {
        let failure = try #require(throws: ListScanner.Failure.self) {
            try endedSequence(text)
        }
        #expect(failure.reason == .incomplete)
    }

    @Test func `the end of a sequence has no effect on a document`() throws {
        #expect(try endedSequence(#"{"items": [1]}"#, .path) == ["1"])
        let failure = try #require(throws: ListScanner.Failure.self) {
            try endedSequence(#"{"items": [1"#, .path)
        }
        #expect(failure.reason == .incomplete)
    }

    @Test(arguments: [1, 2, 7, 100])
    func `the members of an object are elements`(chunk: Int) throws {
        #expect(
            try elements(
                #"{"n": 1, "items": { "a" : {"b": [1]}, "c\"":2 ,"d":"x"} }"#, .members, chunk: chunk) == [
                    #""a" : {"b": [1]}"#, #""c\"":2"#, #""d":"x""#,
                ])
        #expect(try elements(#"{"items": {}}"#, .members, chunk: chunk) == [])
    }

    @Test(arguments: [
        #"{"items": {"a": 1,}}"#, #"{"items": {"a" 1}}"#, #"{"items": {"a": 1]}"#, #"{"items": {1: 1}}"#,
        #"{"items": {"a": 1"#, #"{"items": ["a"]}"#, #"{"items": {"a"}}"#, #"{"items": {"a": }}"#,
    ])
    func `an invalid object, or another value, has no members`(text: String) {
        #expect(throws: ListScanner.Failure.self) { try elements(text, .members) }
    }

    @Test(arguments: [1, 2, 7, 100])
    func `lists of objects are suggested first, and those that describe the response last`(chunk: Int) throws
    {
        let text = #"{"schemas": ["x"], "meta": {"tags": [ ]}, "Resources": [ {"a": 1}], "other": [[{}]]}"#
        let failure = try #require(throws: ListScanner.Failure.self) {
            try elements(text, .path, chunk: chunk)
        }
        guard case .wrongShape(_, _, _, let lists) = failure.reason else { throw failure }
        #expect(lists.map { "\($0)" } == ["Resources", "meta.tags", "other", "schemas"])
    }
}
