import Foundation
@testable import RESTClient
import Testing

@Suite struct ElementBatchTests {
    private func batches(_ text: String, pieces: Int = .max) throws -> [ElementBatch] {
        var scanner = PageScanner(ListScanner())
        var batches: [ElementBatch] = []
        let bytes = Data(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(pieces, bytes.count)) {
            let end = min(bytes.count, start + min(pieces, bytes.count))
            var batch = ElementBatch()
            try scanner.scan(bytes[start..<end], into: &batch)
            batches.append(batch)
        }
        _ = try scanner.finish()
        return batches
    }

    private func batch(_ text: String) throws -> ElementBatch { try batches(text)[0] }

    private func texts(_ batch: ElementBatch) -> [String] {
        var texts: [String] = []
        batch.forEach { element in
            texts.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        return texts
    }

    @Test(arguments: [1, 4, .max])
    func `forEach visits the scanned elements`(pieces: Int) throws {
        let batches = try batches(#"{"items":["tea", 1,[1,2] ,{"a":","},"é"]}"#, pieces: pieces)
        #expect(batches.flatMap(texts) == [#""tea""#, "1", "[1,2]", #"{"a":","}"#, #""é""#])
        #expect(batches.reduce(0) { $0 + $1.count } == 5)
        #expect(batches.contains { $0.isEmpty } == (pieces < .max))
    }

    @Test func `a new chunk replaces the elements of a batch`() throws {
        var scanner = PageScanner(ListScanner())
        var batch = ElementBatch()
        try scanner.scan(Data(#"{"items":["a","b","#.utf8), into: &batch)
        #expect(texts(batch) == [#""a""#, #""b""#])
        try scanner.scan(Data(#""c"]"#.utf8), into: &batch)
        #expect(texts(batch) == [#""c""#])
    }

    @Test(
        arguments: [
            (#""é""#, .plain), (#""l’été… 👩‍💻""#, .plain), (#""\n""#, .isCompact),
            ("\"\u{7F}\"", [.hasNoEscapes, .isCompact]),
            ("\"\u{7F} and a vector of others\"", [.hasNoEscapes, .isCompact]),
            (#""\u00e9é""#, [.isDisplayable, .isCompact]), (#""\"""#, [.isDisplayable, .isCompact]),
            (#""\ud83d\ude00""#, [.isDisplayable, .isCompact]), (#""\u202e""#, .isCompact),
            ("\"é\u{202E}\"", [.hasNoEscapes, .isCompact]), ("\"é\u{200B}\"", [.hasNoEscapes, .isCompact]),
            ("1", .plain), ("[]", .plain), (#"{"a":"b c"}"#, .plain), ("null", .plain),
            (#"{"a": "b"}"#, [.isDisplayable, .hasNoEscapes]),
            ("[ ]", [.isDisplayable, .hasNoEscapes]),
            (#"{"a":["é",1]}"#, .plain), (#"["\t", 1]"#, []),
        ] as [(String, ElementTraits)])
    func `the traits of an element are found`(element: String, traits: ElementTraits) throws {
        var found: [ElementTraits] = []
        // Long enough that the element is not in the last block.
        let document = #"{"items":["a",\#(element),"","b c"]                    }"#
        try batch(document).forEachElement { found.append($1) }
        #expect(found == [.plain, traits, .plain, .plain])
    }

    @Test func `deeply nested elements decode`() throws {
        indirect enum Nest: Decodable {
            case inside([Nest])
            init(from decoder: any Decoder) throws { self = .inside(try [Nest](from: decoder)) }
        }
        let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let (values, failure) = try batch(#"{"items":[\#(deep),[[]]]}"#).values(as: Nest.self)
        #expect(values.count == 2)
        #expect(failure == nil)
    }

    @Test(arguments: [false, true], [1, 9, 30, .max])
    func `members are the same whether the scanner looks for them or not`(finds: Bool, pieces: Int) throws {
        let pages = [
            #"{"items":[{"z":0},{"a":1,"b":[2]},{"b":3,"c":{}},{},[{"a":1}],{"a":"y","b":null}]}"#,
            #"{"items":[{"c":1,"b":2},{"\u0061":[]},{"a":{"b":1},"b":2},{"c":3}]}"#,
        ]
        var members = ElementMembers()
        var found: [String] = []
        for (page, text) in pages.enumerated() {
            var scanner = PageScanner(ListScanner())
            if finds { scanner.findMembers() }
            var skipped = 1 - page
            var batch = ElementBatch()
            let bytes = Data(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: min(pieces, bytes.count)) {
                try scanner.scan(
                    bytes[start..<min(bytes.count, start + min(pieces, bytes.count))], into: &batch)
                skipped -= batch.removeFirst(skipped)
                batch.forEachElement(&members) { element, _, members in
                    let text = element.withUnsafeBytes { Array($0) }
                    found.append(
                        members.members(of: element).map {
                            "\($0.number ?? -1)\(String(decoding: text[$0.key] + text[$0.value], as: UTF8.self))"
                        }.joined(separator: " "))
                }
            }
        }
        #expect(
            found == [
                #"0"a"1 1"b"[2]"#, #"1"b"3 2"c"{}"#, "", "", #"0"a""y" 1"b"null"#, #"2"c"1 1"b"2"#,
                #"3"\u0061"[]"#, #"0"a"{"b":1} 1"b"2"#, #"2"c"3"#,
            ])
    }
}
