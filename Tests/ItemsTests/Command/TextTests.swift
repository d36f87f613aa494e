import RESTClientTestingSupport
import Testing

@testable import items

/// Inputs that are no single document of valid text.
@Suite(.hangLimit) struct TextTests {
    @Test(arguments: [
        ShellTest("echo '[1]' | items", output: "1\n"),
        ShellTest("echo '[1]' > f; items < f", output: "1\n"),
        ShellTest("echo '[1]' | ITEMS_URL=$URL/none items"),
        ShellTest(
            "items < /dev/null", exit: .usage, error: "missing input: <*>",
            hint: "see items --help, or try items --demo"),
        ShellTest("true | items", exit: .badList, error: "standard input is empty, not JSON"),
        ShellTest(
            "echo '[1]' | items --token-file -", exit: .usage, messages: "items: missing input<*>\n<*>\n"),
    ])
    func `the standard input is the default if it is no terminal`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        ShellTest(#"printf '{"a":1}{"a":2}' | items -"#, output: "{\"a\":1}\n{\"a\":2}\n"),
        ShellTest(#"printf '{"a":1} {"a":2}' | items --csv -"#, output: "a\r\n1\r\n2\r\n"),
        ShellTest("printf '[1,2][3]' | items --lines -", output: "[1,2]\n[3]\n"),
    ])
    func `several documents are listed or named`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        (#"["a\ud800b"]"#, "a\u{FFFD}b\n", 1), (#"["\udc00\ud83c\udf75"]"#, "\u{FFFD}🍵\n", 1),
        (#"["a\377b","\303\251"]"#, "a\u{FFFD}b\né\n", 1),
        (#"["\360\237\215","\342\202x"]"#, "\u{FFFD}\n\u{FFFD}x\n", 2),
        (#"["\355\240\200"]"#, "\u{FFFD}\u{FFFD}\u{FFFD}\n", 3), (#"["\\\ud800"]"#, "\\ud800\n", 0),
        (#"["\ud83c\ud83c\udf75"]"#, "\u{FFFD}🍵\n", 1),
    ])
    func `--replace-invalid goes on after text that is not Unicode`(
        text: String, output: String, count: Int
    ) async throws {
        // The escapes of JSON need a second backslash for printf; the octal numbers are those of printf.
        let format = text.replacing("\\u", with: "\\\\u")
        let messages =
            count == 0
            ? ""
            : "items: warning: replaced \(count) invalid character\(count == 1 ? "" : "s") by U+FFFD\n"
        try await ShellTest(
            "printf '\(format)' | items --replace-invalid -", output: output, messages: messages
        ).check()
    }

    @Test(arguments: [
        ShellTest(
            #"printf '\213\000' > x.json.br; items x.json.br"#, exit: .badList,
            error: "x.json.br is compressed with brotli",
            hint: "unpack it first: brotli -dc x.json.br | items -"),
        ShellTest(
            #"echo '[{"a":1,"a":2},{"a":3}]' | items --csv -"#, output: "a\r\n2\r\n3\r\n",
            error: "warning: 1 item has a member twice; the last value was printed"),
        ShellTest(
            #"echo '[{"a":1,"b":0,"a":2}]' | items -q --field a,b -"#, output: "2\t0\n"),
    ])
    func `invalid text, compression and repeated members are named`(test: ShellTest) async throws {
        try await test.check()
    }
}
