import RESTClientTestingSupport
import Testing

@testable import items

/// Request bodies with the options of curl, and pages at other origins.
@Suite(.hangLimit) struct BodyTests {
    private static func echo(_ arguments: String, _ lines: String..., setUp: String = "") -> ShellTest {
        ShellTest("\(setUp)items \(arguments) $URL/echo", output: lines.map { "\($0)\n" }.joined())
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        echo(#"-d '{"a": 1}'"#, "POST", "application/json", "-", #"{"a": 1}"#),
        echo(#"-d ' [1]'"#, "POST", "application/json", "-", " [1]"),
        echo("-d a=1 --data 'b=x y'", "POST", form, "-", "a=1&b=x y"),
        echo("-d a=1 -H 'Content-Type: text/plain'", "POST", "text/plain", "-", "a=1"),
        echo("-X PUT -d a=1", "PUT", form, "-", "a=1"),
        echo("-d @f", "POST", form, "-", "a=12", setUp: "printf 'a=1\n2\n' > f; "),
        echo("-d @- < f", "POST", form, "-", "a=12", setUp: "printf 'a=1\n2\n' > f; ").without(
            " < f", then: " < f"),
        echo("--data-binary @f", "POST", form, "-", #""a=1\n2\n""#, setUp: "printf 'a=1\n2\n' > f; "),
        echo("--data-raw @f", "POST", form, "-", "@f"),
        echo("--data-urlencode 'q=a b&é' --data-urlencode =x+y", "POST", form, "-", "q=a%20b%26%C3%A9&x%2By"),
        echo("--data-urlencode 'q=🏽' --data-urlencode =🏽", "POST", form, "-", "q=%F0%9F%8F%BD&%F0%9F%8F%BD"),
        echo("--data-urlencode me@a.example=1", "POST", form, "-", "me@a.example=1"),
        echo("--data-urlencode @@f", "POST", form, "-", "a%0A", setUp: "echo a > @f; "),
        echo("-d @🏽", "POST", form, "-", "a", setUp: "echo a > 🏽; "),
        echo("--data-urlencode n@f", "POST", form, "-", "n=a%0A", setUp: "echo a > f; "),
        echo("--data-urlencode b@f", "POST", form, "-", "b=%FF%00", setUp: #"printf '\377\000' > f; "#),
        echo("-d @f", "POST", form, "-", #""a\u2028b""#, setUp: #"printf 'a\342\200\250b\r\n' > f; "#),
        echo("-G --data-urlencode 'q=a b' -d limit=2", "GET", "-", "q=a%20b&limit=2", ""),
    ])
    func `a body and its type are those of curl`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items --get -d b=2 \"$URL/echo?a=1#x\"", output: "GET\n-\na=1&b=2\n\n"),
        ShellTest(
            "items --data-raw '' $URL/echo", output: "POST\n\(form)\n-\n\n"),
        ShellTest(
            "items -d @missing $URL/echo", exit: .noInput,
            error: "cannot read missing: No such file or directory", hint: "check the path of -d"),
        ShellTest(
            "echo a > f; items --data-binary @f --data-urlencode b=c $URL/echo | head -1", output: "POST\n"),
        ShellTest("items -G -d a=b $URL/echo | head -1", output: "GET\n"),
        ShellTest(
            "echo x | items --data-urlencode n@- 2>&1 | head -1",
            output: "items: missing input: pass a URL, a FILE or - for standard input\n"),
        ShellTest("items --pagination none --get -d page=2 $URL/numbered", output: "item 2\n"),
        ShellTest(
            "items --allow-origin http://other.example --offline http://a.example/ | grep -c Host",
            output: "1\n"
        ).linuxOnly("the header fields that URLSession adds are known on Linux only"),
    ])
    func `data can be put into the URL, and is shown without sending it`(test: ShellTest) async throws {
        try await test.check()
    }
}

extension ShellTest {
    /// Returns the test with `text` moved to the end of the command.
    fileprivate func without(_ text: String, then end: String) -> ShellTest {
        ShellTest(command.replacing(text, with: "") + end, output: output, messages: messages)
    }
}
