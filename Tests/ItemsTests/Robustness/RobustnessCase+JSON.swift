import Foundation
import RESTClientTestSupport

extension RobustnessCase {
    /// A document as the response body.
    private static func document(
        _ input: String, _ code: Int32, _ body: String, message: String = "", output: String? = nil,
        _ arguments: String...
    ) -> Self {
        Self(
            input: input, code: code,
            method: .responses(arguments) { _ in RawResponse.reply(body) },
            message: message,
            output: output)
    }

    private static func bytes(_ input: String, _ body: Data, message: String) -> Self {
        Self(
            input: input, code: 8, method: .responses([]) { _ in RawResponse.reply(body) },
            message: message)
    }

    private static let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)

    static let json: [Self] = [
        document("an empty body", 8, "", message: "the response is empty"),
        document("`{}`", 8, "{}", message: "found an empty object"),
        document("`items` is null", 0, #"{"items":null}"#),
        document("`items` is an object", 8, #"{"items":{"a":1}}"#, message: "found an object"),
        document("`items` is a number", 8, #"{"items":7}"#, message: "found a number"),
        document("an array at the top", 0, #"["a"]"#, output: "a\n"),
        document(
            "an array at the top, with `--at items`", 8, #"["a"]"#, message: "try --at .", "--at", "items"),
        document("a trailing comma", 8, #"{"items":["a",]}"#, message: "byte 14"),
        document("a comment", 8, #"{"items":["a"/*x*/]}"#, message: "byte 13"),
        document("single quotes", 8, "{'items':['a']}", message: "byte 1"),
        document("NaN", 8, #"{"items":[NaN]}"#, message: "byte 10"),
        document("a leading zero", 8, #"{"items":[01]}"#, message: "leading zero"),
        document("`+1`", 8, #"{"items":[+1]}"#, message: "byte 10"),
        document(
            "an unescaped control character in a string", 8, "{\"items\":[\"a\u{1}\"]}", message: "0x01"),
        document(
            "a duplicate key of the list", 8, #"{"items":["a"],"items":["b"]}"#, message: "occurs twice"),
        document("a key with escapes", 0, #"{"\u0069tems":["a"]}"#, output: "a\n"),
        document("a byte order mark", 0, "\u{FEFF}\(RawResponse.list)", output: "a\n"),
        bytes("UTF-16", RawResponse.list.data(using: .utf16LittleEndian) ?? Data(), message: "UTF-16LE"),
        bytes(
            "UTF-16, big-endian", RawResponse.list.data(using: .utf16BigEndian) ?? Data(), message: "UTF-16BE"
        ),
        bytes("UTF-32", RawResponse.list.data(using: .utf32LittleEndian) ?? Data(), message: "UTF-32LE"),
        bytes(
            "UTF-32, big-endian", RawResponse.list.data(using: .utf32BigEndian) ?? Data(), message: "UTF-32BE"
        ),
        bytes(
            "a byte of Latin-1", Data(#"{"items":[""#.utf8) + [0xE9] + Data(#""]}"#.utf8), message: "byte 12"),
        bytes(
            "an overlong form", Data(#"{"items":[""#.utf8) + [0xC0, 0xAF] + Data(#""]}"#.utf8),
            message: "byte 11"),
        bytes(
            "surrogates in UTF-8",
            Data(#"{"items":[""#.utf8) + [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80] + Data(#""]}"#.utf8),
            message: "byte 12"),
        document("half of a surrogate escape", 8, #"{"items":["\ud800"]}"#, message: "surrogate"),
        document("`\\u0000` in an item", 0, #"{"items":["a\u0000b"]}"#, output: "\"a\\u0000b\"\n"),
        document(
            "two documents", 8, RawResponse.list + RawResponse.list,
            message: "expected the end of the document"),
        document(
            "text after the document", 8, RawResponse.list + "x", message: "expected the end of the document"),
        document("a NUL after the document", 8, RawResponse.list + "\0", message: "0x00"),
        document(
            "100,000 levels outside the list", 8, "{\"x\":\(deep),\"items\":[]}",
            message: "more than 512 levels"),
        document("100,000 levels in the list", 8, "{\"items\":[\(deep)]}", message: "more than 512 levels"),
        document(
            "a number of 100,000 digits outside the list", 0,
            "{\"x\":\(String(repeating: "1", count: 100_000)),\"items\":[\"a\"]}", output: "a\n"),
        document("`1e999999` outside the list", 0, #"{"x":1e999999,"items":["a"]}"#, output: "a\n"),
        Self(
            input: "one string of a gigabyte", code: 9,
            method: .responses([]) { _ in
                [.send("HTTP/1.1 200 OK\r\n\r\n{\"items\":[\""), .times(1 << 14, Data(count: 0) + filler)]
            }, message: "larger than 16,777,216 bytes"),
        Self(
            input: "the list after 20 MB of other members", code: 0,
            method: .responses([]) { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"x\":[\"\""),
                    .times(320, Data(("," + "\"" + String(repeating: "x", count: 65_533) + "\"").utf8)),
                    .send("],\"items\":[\"a\"]}"), .close,
                ]
            }, output: "a\n"),
        Self(
            input: "100,000 empty strings", code: 0,
            method: .responses(["--count"]) { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"items\":[\"\""),
                    .times(99, Data(String(repeating: ",\"\"", count: 1_000).utf8)),
                    .send(String(repeating: ",\"\"", count: 999) + "]}"), .close,
                ]
            }, output: "100000\n"),
        Self(
            input: "one byte at a time, with split escapes and UTF-8", code: 0,
            method: .responses([]) { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
                    .drip(#"{"items":["é🍵\u00e9\ud83c\udf75"]}"#, pause: 1), .close,
                ]
            }, output: "é🍵é🍵\n"),
    ]

    private static let filler = Data(repeating: UInt8(ascii: "x"), count: 1 << 16)
}
