import RESTClient
import Testing

@Suite struct MemberPathTests {
    @Test(arguments: [
        ("items", ["items"]), ("data.results", ["data", "results"]), (".", []), ("", []),
        (".data.results", ["data", "results"]), ("a..b", ["a", "", "b"]), ("a.", ["a", ""]),
        (#"a\.b.c"#, ["a.b", "c"]), (#"a\\.b"#, [#"a\"#, "b"]), (#"a\b"#, [#"a\b"#]), (#"a\"#, [#"a\"#]),
        ("[1]", ["[1]"]), ("a[1][20].b", ["a", "[1]", "[20]", "b"]), ("a.[1].b", ["a", "[1]", "b"]),
        (#"a\[1].b"#, ["a[1]", "b"]), ("page[size]", ["page[size]"]), ("a[1]b", ["a[1]b"]), ("[", ["["]),
    ])
    func `names are separated by dots`(text: String, names: [String]) {
        #expect(MemberPath(text).names == names)
    }

    @Test(arguments: [
        [], ["items"], ["a.b"], ["data", "results"], [#"a\"#, "b"], ["a", "", "b"], ["[1]", "a", "[0]"],
        ["a[1]"], ["[1", "]"], ["[x]"],
    ])
    func `a path can be read from its description`(names: [String]) {
        let path = MemberPath(names: names)
        #expect(MemberPath(path.description) == path)
    }

    @Test func `literals create paths`() {
        #expect("data.results" as MemberPath == ["data", "results"])
        #expect(["a.b"] as MemberPath != "a.b")
        #expect(MemberPath.root.description == ".")
    }
}
