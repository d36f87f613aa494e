import Testing

@testable import items

@Suite struct JSONWriterTests {
    @Test func `an array has an item a line`() throws {
        #expect(
            try printed([#""a""#, "{ \"b\" : [ 1 ] }", "null"], by: JSONWriter())
                == "[\n\"a\",\n{\"b\":[1]},\nnull\n]\n")
        #expect(try printed([], by: JSONWriter()) == "[]\n")
    }

    @Test func `in an array the text of a string stays, made harmless`() throws {
        let array = try printed([#""\u00e9\/""#, "\"\u{9B}\u{202E}\"", #""\u001b""#], by: JSONWriter())
        #expect(
            array == #"["# + "\n" + #""\u00e9\/","# + "\n" + #""\u009b\u202e","# + "\n" + #""\u001b""#
                + "\n]\n")
    }

    @Test func `the count is a number`() throws {
        #expect(try printed([], by: CountWriter()) == "0\n")
        #expect(try printed(["1", "[2, 3]", #""4""#], by: CountWriter()) == "3\n")
    }
}
