import RESTClient
import Testing

@testable import items

@Suite struct OptionValueTests {
    @Test(arguments: [
        ("1", 1), ("65536", 65_536), ("64K", 65_536), ("64k", 65_536), ("16M", 16 << 20), ("4G", 4 << 30),
    ])
    func `a size has an optional unit`(text: String, bytes: Int) throws {
        #expect(try OptionValue.size(text, of: "--x") == bytes)
    }

    @Test(arguments: ["", "K", "0", "-1", "1.5M", "1T", "1KB", "9999999999G", "٣"])
    func `an invalid size is rejected`(text: String) {
        #expect(throws: CommandError.usage("--x requires a size such as 65536, 64K or 4G, not \"\(text)\"")) {
            try OptionValue.size(text, of: "--x")
        }
    }

    @Test(arguments: [
        ("a", ["a"]), ("a,b.c", ["a", "b.c"]), (#"a\,b"#, ["a,b"]), (#"a\.b,c"#, [#"a\.b"#, "c"]),
        (#"a\\,b"#, [#"a\\"#, "b"]),
        (".", ["."]),
    ])
    func `--field splits paths at commas`(text: String, fields: [String]) throws {
        #expect(try OptionValue.fields(text) == fields)
    }

    @Test(arguments: ["", ",", "a,", ",a", "a,,b"])
    func `an empty path in --field is rejected`(text: String) {
        #expect(throws: CommandError.self) { try OptionValue.fields(text) }
    }

    @Test(arguments: [
        "auto", "none", "link", "next", "NEXT", "token", "page", "offset", "next:a.b", "token:a,b", "page:p",
    ])
    func `a pagination rule accepts names of the server`(text: String) throws {
        #expect(try PaginationOption(text).rule == text.lowercased().prefix { $0 != ":" })
    }

    @Test(arguments: [
        ("sideways", "unknown pagination \"sideways\""),
        ("link:a", "invalid pagination; use --pagination link"),
        ("next:a,b", "invalid pagination; use --pagination next:PATH"),
        ("token:", "invalid pagination; use --pagination token:PARAMETER,PATH,FLAG"),
        ("page:a,b,c", "invalid pagination; use --pagination page:PARAMETER,PATH"),
    ])
    func `an unknown pagination rule is rejected`(text: String, message: String) throws {
        let error = try #require(throws: CommandError.self) { try PaginationOption(text) }
        #expect(error.message == message)
    }
}
