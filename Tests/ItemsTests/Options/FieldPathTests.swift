import RESTClient
import Testing

@testable import items

@Suite struct FieldPathTests {
    @Test(arguments: [
        ("a", ["a"]), ("a[*]", ["a[]"]), ("a,b.c", ["a", "b.c"]), (".a", ["a"]), (".", ["."]),
        (#"a\,b"#, ["a,b"]),
        (#"a\\,b"#, [#"a\"#, "b"]), (#""a,b".c,d"#, ["a,b.c", "d"]), ("a[0].b[],c", ["a[0].b[]", "c"]),
        (#""say \"hi\"""#, [#"say "hi""#]), ("[1][].a", ["[1][].a"]), ("a..b", ["a..b"]),
        ("é,茶", ["é", "茶"]),
        ("a , b[0] ", ["a", "b[0]"]), (" a,  x = b.c ", ["a", "x"]), (#"" a ", b c"#, [" a ", "b c"]),
        (#"a\x"#, [#"a\x"#]), ("\u{E9},e\u{301}", ["\u{E9}", "e\u{301}"]),
    ])
    func `commas separate paths`(text: String, labels: [String]) throws {
        #expect(try FieldPath.list(text).map(\.label) == labels)
    }

    @Test(arguments: [
        ("", "empty path"), (",", "empty path"), ("a,", "empty path"), (",a", "empty path"),
        ("a,,b", "empty path"), ("a, ", "empty path"), (#""a"#, "a quote is not closed"),
        ("a[", "[ must be followed by a number and ], or by ]"),
        ("a[-1]", "[ must be followed by a number and ], or by ]"),
        ("a[99999999999999999999]", "[ must be followed by a number and ], or by ]"),
        ("a[0]b", "a dot is missing after a bracket or quote"),
        (#""a"b"#, "a dot is missing after a bracket or quote"),
    ])
    func `an invalid path is rejected`(text: String, message: String) throws {
        let error = try #require(throws: CommandError.self) { try FieldPath.list(text) }
        #expect(error.code == .usage)
        #expect(error.message.hasSuffix(": \(message)"))
    }

    @Test(arguments: [
        ("a", "1"), ("b", #"{"c": [10, {"d": "x"}, [7, 8]]}"#), ("b.c[0]", "10"), ("b.c[1].d", #""x""#),
        ("b.c[2][1]", "8"), (".", nil), ("b.c[3]", nil), ("a[0]", nil), ("b[0]", nil), ("b.c.d", nil),
        (#""x.y""#, "true"), (#"x\.y"#, "true"), ("x.y", nil), ("a[]", nil), ("e[]", "[ ]"),
    ])
    func `a path finds a value`(text: String, value: String?) throws {
        let item = Array(#"{"a": 1, "b": {"c": [10, {"d": "x"}, [7, 8]]}, "x.y": true, "e": [ ]}"#.utf8)
        let path = try #require(try FieldPath.list(text).first)
        let range = path.range(in: ArraySlice(item).span.bytes)
        #expect(
            range.map { String(decoding: item[$0], as: UTF8.self) }
                == (text == "." ? String(decoding: item, as: UTF8.self) : value))
    }

    @Test(arguments: [
        ("a[]", ["1", "[2, 3]", #"{"b": "x", "c": [4]}"#]), ("a[].b", [#""x""#]), ("a[][]", ["2", "3"]),
        ("a[][1]", ["3"]), ("a[].c[]", ["4"]), ("a[2].c[]", ["4"]),
    ])
    func `brackets select all elements`(text: String, values: [String]) throws {
        let item = Array(#"{"a": [1, [2, 3], {"b": "x", "c": [4]}]}"#.utf8)
        let path = try #require(try FieldPath.list(text).first)
        let range = path.range(in: ArraySlice(item).span.bytes)
        let list = Array(item[try #require(range)])
        let found = path.ranges(inList: ArraySlice(list).span.bytes).map {
            String(decoding: list[$0], as: UTF8.self)
        }
        #expect(found == values)
    }

    @Test(
        arguments: [
            ("users", ["users"], .path, nil), ("users{}", ["users"], .members, "key"),
            ("{}", [], .members, "key"), ("a.b{name}", ["a", "b"], .members, "name"),
            ("users{🏽}", ["users"], .members, "🏽"), ("users}", ["users}"], .path, nil),
            ("}", ["}"], .path, nil),
        ] as [(String, [String], ListScanner.Layout, String?)])
    func `braces after a path select the members of an object`(
        text: String, names: [String], layout: ListScanner.Layout, keyName: String?
    ) throws {
        let list = try ListPath(text)
        #expect(list.member.names == names)
        #expect(list.layout == layout)
        #expect(list.keyName == keyName)
    }

    @Test(arguments: ["a=🏽", "🏽.b", "\"\u{301}"]) func `the text of a path is read as the same path`(
        name: String
    ) throws {
        let path = FieldPath(name: Array(name.utf8))
        #expect(try FieldPath.list(path.text) == [path])
    }

    @Test(arguments: [
        ("data[].itmes", "did you mean --at 'data[].items'?"), ("[].itmes", "did you mean --at '[].items'?"),
        (#""a.b".c[].home.ctiy"#, #"did you mean --at '"a.b".c[].home.city'?"#),
        ("data[].items.0.x", "did you mean --at 'data[].items[0].x'?"),
        ("data[].items.x", "the elements have no members there"),
        ("data[].xyz", "the first element has \"items\", \"home\""),
    ])
    func `a hint corrects the path after brackets`(text: String, hint: String) throws {
        let element = Array(#"{"items": [1], "home": {"city": []}}"#.utf8)
        let list = try ListPath(text)
        let path = try #require(list.inner)
        let found = path.hint(for: element, inElementsAt: list.member)
        #expect(found == hint)
    }

    @Test(arguments: [
        ("nmae", "did you mean --field name?"), ("Name", "did you mean --field name?"),
        ("home.ctiy", "did you mean --field home.city?"), ("hmoe.city", "did you mean --field home.city?"),
        ("tags[].nme", "the items have no members there"), ("tags.0", "did you mean --field 'tags[0]'?"),
        ("tags.0.x", "did you mean --field 'tags[0].x'?"), ("all.n", "did you mean --field 'all[].n'?"),
        ("x=all.n[]", "did you mean --field 'x=all[].n[]'?"), ("all.x", "the items have no members there"),
        ("xyz", "the first item has \"name\", \"home\", \"tags\", \"a.b\", \"name.last\", \"all\""),
        ("home.x", "the first item has \"home.city\""), ("a.b", "did you mean --field '\"a.b\"'?"),
        ("name.first", "the items have no members there"),
        ("name.last", "did you mean --field '\"name.last\"'?"),
    ])
    func `a hint corrects a path`(text: String, hint: String) throws {
        let item = Array(
            #"{"name": "x", "home": {"city": 1}, "tags": [], "a.b": 1, "name.last": "y", "all": [{"n": [1]}]}"#
                .utf8)
        let path = try #require(try FieldPath.list(text).first)
        let found = path.hint(for: item)
        #expect(found == hint)
    }
}
