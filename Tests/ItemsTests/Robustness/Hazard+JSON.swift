import Foundation
import RESTClientTestSupport

extension Hazard {
    /// A document and what becomes of it.
    private static func document(
        _ input: String, _ code: Int32, _ body: String, says: String = "", prints: String? = nil,
        _ arguments: String...
    ) -> Self {
        Self(
            topic: .json, input: input, code: code, trial: .wire(arguments) { _ in Wire.reply(body) },
            says: says,
            prints: prints)
    }

    private static func bytes(_ input: String, _ body: Data, says: String) -> Self {
        Self(topic: .json, input: input, code: 8, trial: .wire([]) { _ in Wire.reply(body) }, says: says)
    }

    private static let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)

    static let json: [Self] = [
        document("an empty body", 8, "", says: "the reply is empty"),
        document("`{}`", 8, "{}", says: "found an empty object"),
        document("`items` is null", 8, #"{"items":null}"#, says: "found null"),
        document("`items` is an object", 8, #"{"items":{"a":1}}"#, says: "found an object"),
        document("`items` is a number", 8, #"{"items":7}"#, says: "found a number"),
        document("an array at the top", 8, #"["a"]"#, says: "try --at ."),
        document("an array at the top, with `--at .`", 0, #"["a"]"#, prints: "a\n", "--at", "."),
        document("a trailing comma", 8, #"{"items":["a",]}"#, says: "byte 14"),
        document("a comment", 8, #"{"items":["a"/*x*/]}"#, says: "byte 13"),
        document("single quotes", 8, "{'items':['a']}", says: "byte 1"),
        document("NaN", 8, #"{"items":[NaN]}"#, says: "byte 10"),
        document("a leading zero", 8, #"{"items":[01]}"#, says: "leading zero"),
        document("`+1`", 8, #"{"items":[+1]}"#, says: "byte 10"),
        document("a bare control character in a string", 8, "{\"items\":[\"a\u{1}\"]}", says: "0x01"),
        document("the list's key twice", 8, #"{"items":["a"],"items":["b"]}"#, says: "occurs twice"),
        document("a key written with escapes", 0, #"{"\u0069tems":["a"]}"#, prints: "a\n"),
        document("a byte order mark", 0, "\u{FEFF}\(Wire.list)", prints: "a\n"),
        bytes("UTF-16", Wire.list.data(using: .utf16LittleEndian) ?? Data(), says: "UTF-16LE"),
        bytes(
            "UTF-16, the other way round", Wire.list.data(using: .utf16BigEndian) ?? Data(), says: "UTF-16BE"),
        bytes("UTF-32", Wire.list.data(using: .utf32LittleEndian) ?? Data(), says: "UTF-32LE"),
        bytes(
            "UTF-32, the other way round", Wire.list.data(using: .utf32BigEndian) ?? Data(), says: "UTF-32BE"),
        bytes(
            "a byte of Latin-1", Data(#"{"items":[""#.utf8) + [0xE9] + Data(#""]}"#.utf8), says: "byte 12"),
        bytes(
            "an overlong form", Data(#"{"items":[""#.utf8) + [0xC0, 0xAF] + Data(#""]}"#.utf8),
            says: "byte 11"),
        bytes(
            "surrogates in UTF-8",
            Data(#"{"items":[""#.utf8) + [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80] + Data(#""]}"#.utf8),
            says: "byte 12"),
        document("half of a surrogate escape", 8, #"{"items":["\ud800"]}"#, says: "surrogate"),
        document("`\\u0000` in an item", 0, #"{"items":["a\u0000b"]}"#, prints: "\"a\\u0000b\"\n"),
        Self(
            topic: .json, input: "cut at every byte, in framing that is whole", code: 8,
            trial: .test("a list that is cut at any byte is an error")),
        document("two documents", 8, Wire.list + Wire.list, says: "the document has ended"),
        document("junk behind the document", 8, Wire.list + "x", says: "the document has ended"),
        document("a NUL behind the document", 8, Wire.list + "\0", says: "0x00"),
        document(
            "100,000 levels beside the list", 8, "{\"x\":\(deep),\"items\":[]}", says: "more than 512 levels"),
        document("100,000 levels in the list", 8, "{\"items\":[\(deep)]}", says: "more than 512 levels"),
        document(
            "a number of 100,000 digits beside the list", 0,
            "{\"x\":\(String(repeating: "1", count: 100_000)),\"items\":[\"a\"]}", prints: "a\n"),
        document("`1e999999` beside the list", 0, #"{"x":1e999999,"items":["a"]}"#, prints: "a\n"),
        Self(
            topic: .json, input: "one string of a gigabyte", code: 9,
            trial: .wire([]) { _ in
                [.send("HTTP/1.1 200 OK\r\n\r\n{\"items\":[\""), .times(1 << 14, Data(count: 0) + filler)]
            }, says: "larger than 16,777,216 bytes"),
        Self(
            topic: .json, input: "the list behind 64 MB of other members", code: 0,
            trial: .wire([]) { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"x\":[\"\""),
                    .times(1 << 10, Data(("," + "\"" + String(repeating: "x", count: 65_533) + "\"").utf8)),
                    .send("],\"items\":[\"a\"]}"), .close,
                ]
            }, prints: "a\n"),
        Self(
            topic: .json, input: "a million empty strings", code: 0,
            trial: .wire(["--count"]) { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"items\":[\"\""),
                    .times(999, Data(String(repeating: ",\"\"", count: 1_000).utf8)),
                    .send(String(repeating: ",\"\"", count: 999) + "]}"), .close,
                ]
            }, prints: "1000000\n"),
        Self(
            topic: .json, input: "one byte at a time, escapes and UTF-8 in pieces", code: 0,
            trial: .wire([]) { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
                    .drip(#"{"items":["é🍵\u00e9\ud83c\udf75"]}"#, pause: 1), .close,
                ]
            }, prints: "é🍵é🍵\n"),
        Self(
            topic: .json, input: "a number or null among the strings that `getAvailableItems()` wants",
            code: 8,
            trial: .test("an item of another kind is named with its place")),
    ]

    private static let filler = Data(repeating: UInt8(ascii: "x"), count: 1 << 16)
}
