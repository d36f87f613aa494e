import RESTClient
import Testing

@Suite struct MemberPathTests {
    @Test(arguments: [
        ("items", ["items"]), ("data.results", ["data", "results"]), (".", []), ("", []),
        (".data.results", ["data", "results"]), ("a..b", ["a", "", "b"]), ("a.", ["a", ""]),
        (#"a\.b.c"#, ["a.b", "c"]), (#"a\\.b"#, [#"a\"#, "b"]), (#"a\b"#, [#"a\b"#]), (#"a\"#, [#"a\"#]),
    ])
    func `dots part the names`(text: String, names: [String]) {
        #expect(MemberPath(text).names == names)
    }

    @Test(arguments: [[], ["items"], ["a.b"], ["data", "results"], [#"a\"#, "b"], ["a", "", "b"]])
    func `a path reads what it writes`(names: [String]) {
        let path = MemberPath(names: names)
        #expect(MemberPath(path.description) == path)
    }

    @Test func `literals are paths`() {
        #expect("data.results" as MemberPath == ["data", "results"])
        #expect(["a.b"] as MemberPath != "a.b")
        #expect(MemberPath.root.description == ".")
    }
}
