import RESTClientTestingSupport
import Testing

@testable import items

/// The demo scenarios and the options that print information.
@Suite(.hangLimit) struct DemoTests {
    private static let note = "items: demo data, no network\n"
    private static let teas = "Assam\nDarjeeling\nDragon Well\nGenmaicha\nLapsang Souchong\nSencha\n"

    @Test(arguments: [
        ShellTest("items --demo", output: teas, messages: note),
        ShellTest("items --demo=ok", output: teas, messages: note),
        // The whole list takes three seconds.
        ShellTest("items --demo=slow --limit 1", output: "Assam\n", messages: note),
        ShellTest(
            "items --demo=flaky", output: teas,
            messages: """
                \(note)items: 503 Service Unavailable; waiting <*> s, attempt 2 of 3
                items: the connection was reset; waiting <*> s, attempt 3 of 3

                """),
        ShellTest(
            "items --demo=ratelimit", output: teas,
            messages: "\(note)items: 429 Too Many Requests; waiting 1 s (Retry-After), attempt 2 of 3\n"),
        ShellTest(
            "items --demo=html", exit: .badList,
            messages: """
                \(note)items: the response is HTML, not JSON (text/html, starts "<!doctype html>\\n<title>Sign in</title>\\n"): GET https://demo.example/html
                  hint: this looks like a login page; pass a token with --token-file

                """),
        ShellTest(
            "items --demo=truncated", exit: .badList, output: "Assam\nDarjeeling\nDragon Well\nGenmaicha\n",
            messages: """
                \(note)items: the response ended early at byte 60, inside item 5: GET https://demo.example/truncated (4 items printed)
                  hint: the response was cut off; try again later

                """),
        ShellTest("items --demo=huge=3", output: "item 1\nitem 2\nitem 3\n", messages: note),
        ShellTest("items --demo=huge=2000 --count", output: "2000\n", messages: note),
        ShellTest("items --demo=notNil", output: "a\nb\nc\n", messages: note),
        ShellTest(
            "items --demo=nil", exit: .badList,
            messages:
                "\(note)items: the response is not JSON (text/plain, starts \"GARBAGE\"): GET http://nil/\n  hint: check the URL\n"
        ),
        ShellTest(
            "items --demo=concepts", exit: .badList,
            messages: """
                \(note)items: expected a list at "items", found "concepts", "total": GET http://concepts/
                  hint: "concepts" is a list; try --at concepts

                """),
        ShellTest("items --demo=concepts --at concepts", output: "a\nb\n", messages: note),
    ])
    func `a demo ends with the output and exit code of its scenario`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        ShellTest("items --demo=list", output: Scenario.list),
        ShellTest("items --version", output: "items \(Version.current)\n"),
        ShellTest("items -V", output: "items \(Version.current)\n"),
        ShellTest("items --help", output: Help.short), ShellTest("items -h", output: Help.short),
        ShellTest("items --help all", output: Help.text), ShellTest("items -h all", output: Help.text),
        ShellTest("items --help=all", output: Help.text), ShellTest("items --man", output: Help.manual),
        ShellTest("items --completion bash", output: Shell.bash.script),
        ShellTest("items --completion=zsh", output: Shell.zsh.script),
        ShellTest("items --completion FISH", output: Shell.fish.script),
    ])
    func `help, manual, version and completion are printed`(test: ShellTest) async throws {
        try await test.check()
    }

    // A shell without job control starts background processes with SIGINT ignored.
    @Test(.enabled(if: Program.hasLinuxTools))
    func `--serve prints its URLs and logs requests`() async throws {
        try await ShellTest(
            #"""
            mkfifo urls
            env --default-signal=INT "$items" --serve=notNil --port 0 > urls &
            exec 3< urls
            read url <&3
            items "$url"
            items "${url%/*}/ok?token=abc"
            kill -INT $!
            wait $!
            """#,
            exit: .interrupted, output: "a\nb\nc\n",
            messages: """
                items: serving on http://127.0.0.1:<*> until interrupted
                items: GET /notNil: 200 OK
                items: GET /ok?token=***: 404 Not Found
                items: HTTP 404 Not Found: GET http://127.0.0.1:<*>/ok?token=***
                  hint: check the path; message of the server: "Not found. Available paths: /notNil"

                """
        ).check()
    }
}
