import Foundation
import Testing

@testable import RESTClientHTTP

/// Compares the builder of `JSONLiteral` with `JSONDecoder`.
@Suite struct JSONLiteralParsingTests {
    /// The result of the builder alone, or `nil` if it leaves the text to a `JSONDecoder`.
    private static func parsed(_ text: String) -> JSONLiteral? {
        LiteralBuilder.value(of: Data(text.utf8).bytes)
    }

    private static func decoded(_ data: Data) -> JSONLiteral? {
        try? JSONDecoder().decode(JSONLiteral.self, from: data)
    }

    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("\t\r\nfalse\n", "false"), ("0", "0"), ("-0", "0"),
        ("-17", "-17"),
        ("9223372036854775807", "9223372036854775807"), ("1.0", "1"), ("1e3", "1000"), ("-2.5E-1", "-0.25"),
        (#""""#, #""""#), (#""tea""#, #""tea""#), (#""日本 👍🏽""#, #""日本 👍🏽""#),
        (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\n\r\t""#), (#""a\u00e9\uD83D\ude00z""#, #""aé😀z""#),
        ("[]", "[]"), ("[ ]", "[]"), ("[1, [2], {}]", "[1,[2],{}]"), ("{ }", "{}"),
        (#"{"b": 1, "a" : [null, true]}"#, #"{"a":[null,true],"b":1}"#),
    ])
    func `valid text is parsed without a decoder`(text: String, expected: String) throws {
        #expect(try #require(Self.parsed(text)).description == expected)
        #expect(Self.decoded(Data(text.utf8))?.description == expected)
    }

    @Test(arguments: [
        "", " ", "tru", "truex", "nul", "+1", "-", "01", "-01", "1.", ".5", "1e", "1e+", "1e400", "1e16",
        "0x1",
        "NaN",
        "\"", "\"a", "\"\n\"", #""\x""#, #""\u12""#, #""\u+123""#, #""\ud800""#, #""\ud800\u0041""#,
        #""\udc00""#,
        "[", "[1", "[1,]", "[,1]", "[1 2]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}",
        #"{"a":1,"a":2}"#,
        "1 2", "[] x", "// note\n1", "\u{FEFF}1",
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ])
    func `other text is left to the decoder`(text: String) {
        #expect(Self.parsed(text) == nil)
        let result = try? JSONLiteral(parsing: Data(text.utf8))
        #expect(result?.description == Self.decoded(Data(text.utf8))?.description)
    }

    @Test func `bytes that are not UTF-8 are left to the decoder`() {
        #expect(LiteralBuilder.value(of: Data([0x22, 0xC3, 0x28, 0x22]).bytes) == nil)
        let utf16 = "[1]".data(using: .utf16BigEndian) ?? Data()
        #expect((try? JSONLiteral(parsing: utf16))?.description == Self.decoded(utf16)?.description)
    }

    @Test func `random documents give the values of the decoder`() {
        var random = SeededGenerator(seed: 7)
        var parsedCount = 0
        for _ in 0..<2_000 {
            var bytes = Array(Self.document(&random, depth: 3).utf8)
            if Bool.random(using: &random), let index = bytes.indices.randomElement(using: &random) {
                bytes[index] = Array("\"\\{}[],:0-1.e uD8x\u{1}".utf8).randomElement(using: &random) ?? 0x20
            }
            guard let value = LiteralBuilder.value(of: Data(bytes).bytes) else { continue }
            parsedCount += 1
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(value.description == Self.decoded(Data(bytes))?.description, "\(text)")
        }
        #expect(parsedCount > 500)
    }

    private static func document(_ random: inout SeededGenerator, depth: Int) -> String {
        let space = ["", "", " ", "\n\t"].randomElement(using: &random) ?? ""
        let count = Int.random(in: 0...3, using: &random)
        switch Int.random(in: depth > 0 ? 0...7 : 2...7, using: &random) {
        case 0:
            let elements = (0..<count).map { _ in document(&random, depth: depth - 1) }
            return "[\(space)\(elements.joined(separator: "\(space),"))\(space)]"
        case 1:
            let members = (0..<count).map { _ in
                "\(string(&random))\(space):\(document(&random, depth: depth - 1))"
            }
            return "{\(space)\(members.joined(separator: ",\(space)"))}"
        case 2: return "\(space)\(Int.random(in: -1_000...1_000, using: &random))"
        case 3: return "\(Double.random(in: -1e20...1e20, using: &random))"
        case 4:
            return
                "\(Int64.random(in: .min ... .max, using: &random))e\(Int.random(in: -5...5, using: &random))"
        case 5: return ["true", "false", "null"].randomElement(using: &random) ?? "null"
        default: return string(&random)
        }
    }

    private static func string(_ random: inout SeededGenerator) -> String {
        let parts = [
            "a", "b", "é", "e\u{301}", "日", "👍🏽", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u0041"#, #"\u0000"#,
        ]
        let count = Int.random(in: 0...4, using: &random)
        let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        return "\"\(text)\""
    }
}
