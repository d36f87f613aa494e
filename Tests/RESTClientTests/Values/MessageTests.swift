import Foundation
import Testing

@testable import RESTClient

/// Parts of messages. `Tests/ErrorMessages.txt` has whole ones.
@Suite struct MessageTests {
    @Test(
        arguments: [
            (.notJSON(found: ""), "empty, not JSON"),
            (.notJSON(found: "tea"), #"not JSON (starts "tea")"#),
            (.notJSON(found: "<html", isHTML: true), #"HTML, not JSON (starts "<html")"#),
            (.malformed(.leadingZero), "not valid JSON at byte 7 ($.items[1]): a number with a leading zero"),
            (.malformed(.tooDeep(limit: 9)), "nested more than 9 levels deep at byte 7 ($.items[1])"),
            (.malformed(.encoding("UTF-16LE")), "UTF-16LE, not UTF-8"),
            (
                .wrongShape(path: "items", expected: .list, found: .keys(["a", "b"]), lists: ["a", "b.c"]),
                #"expected a list at "items", found "a", "b"; lists are at "a", "b.c""#
            ),
            (.incomplete, "the JSON ends early, at byte 7 ($.items[1])"),
            (.itemTooLarge(limit: 9), "an item of more than 9 bytes at byte 7 ($.items[1])"),
        ] as [(ListScanner.Failure.Reason, String)])
    func `a failure of the scanner states the reason and the position`(
        reason: ListScanner.Failure.Reason, expected: String
    ) {
        let failure = ListScanner.Failure(reason: reason, offset: 7, path: "$.items[1]", itemCount: 1)
        #expect("\(failure)" == expected)
    }

    @Test func `a syntax error that is no error of the grammar has a text`() {
        #expect("\(JSONSyntaxError.tooDeep(limit: 9))" == "more than 9 levels of nesting")
        #expect("\(JSONSyntaxError.encoding("UTF-16LE"))" == "the text is UTF-16LE, not UTF-8")
    }

    @Test(
        arguments: [
            (
                .useDefaultKeys(key: "a"),
                #"there is "a", but the decoder converts keys; use keyDecodingStrategy"#
            ),
            (.renameKey(to: "teaName"), #"there is "teaName"; change the coding key"#),
            (
                .secondsSince1970,
                "if the value is a date, set dateDecodingStrategy = .secondsSince1970 on the"
            ),
            (
                .millisecondsSince1970,
                "set dateDecodingStrategy = .millisecondsSince1970 on the decoder of the"
            ),
            (.customDates, "is not in the format of .iso8601; use dateDecodingStrategy = .custom on the"),
        ] as [(DecodingSuggestion, String)])
    func `a suggestion for a decoder names the setting`(suggestion: DecodingSuggestion, expected: String) {
        #expect("\(suggestion)".contains(expected))
    }

    private struct Named: Decodable { var name: String }
    private struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            for _ in 1...2 { _ = try list.decode(Int.self) }
        }
    }

    @Test func `a value that does not decode has a reason`() throws {
        #expect(try reason(Named.self, "{}") == "no such key")
        #expect(try reason(Pair.self, "[1]") == "the list is at its end")
        #expect(try reason(Date.self, #""tea""#) == "not a date and time in ISO 8601")
        #expect(try reason(Data.self, #""?""#) == "not Base64")
        #expect(try reason(UInt8.self, "300") == "the number 300 does not fit in UInt8")
        #expect(try reason(Int.self, "null") == "found null")
        #expect(try reason(Int.self, #""tea""#) == "but found string")
    }

    /// Returns the description of the error of decoding a value that does not decode.
    private func reason<T: Decodable>(_ type: T.Type, _ json: String) throws -> String? {
        let text = Array("[\(json),".utf8)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let strategies = try #require(DecodingStrategies(decoder))
        let tape = try #require(JSONTape(of: text, CollectionOfOne(1..<text.count - 1), strategies))
        do { _ = try TapeValue(tape: tape, index: 0).decode(type) } catch let error as DecodingError {
            return error.context.debugDescription
        }
        return nil
    }

    @Test func `a body that cannot be encoded has a reason`() async throws {
        let injected = RequestBody.multipart(.init("a", .data(Data(), type: "text/plain\r\nX-Mine: 1")))
        let error = try #require(
            await #expect(throws: BodyEncodingError.self) { try await injected.encode() })
        #expect(error.description == "the type of a part contains a control character")
        let folder = #expect(throws: BodyEncodingError.self) { try BodyFile(URL(filePath: "/dev/null")) }
        #expect(folder?.description == "null is not a regular file, or cannot be read")
        let list = #expect(throws: EncodingError.self) { try QueryItems(nesting: [1]) }
        #expect(try #require(list).context.debugDescription == "only an object can be encoded as form items")
        let infinity = JSONLiteral(floatLiteral: .infinity)
        let number = #expect(throws: EncodingError.self) { try infinity.encoded() }
        #expect(try #require(number).context.debugDescription == "JSON cannot represent inf")
        #expect("\(infinity)".hasPrefix("invalid JSON: "))
    }

    @Test func `the event of an incomplete body names its length`() {
        let event = SessionEvent(request: 1, time: .zero, kind: .received(bytes: 3, of: 7))
        #expect("\(event)" == "3 bytes of 7")
    }
}

extension DecodingError {
    fileprivate var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "")
        }
    }
}

extension EncodingError {
    fileprivate var context: Context {
        switch self {
        case .invalidValue(_, let context): context
        @unknown default: Context(codingPath: [], debugDescription: "")
        }
    }
}
