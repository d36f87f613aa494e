import Testing

@testable import items

/// What each scenario comes to, and what the program says of itself.
@Suite(.timeLimit(.minutes(5))) struct DemoTests {
    private static let note = "items: demo data, no network\n"
    private static let teas = "Assam\nDarjeeling\nDragon Well\nGenmaicha\nLapsang Souchong\nSencha\n"

    @Test(arguments: [
        Line("items --demo", prints: teas, says: note),
        Line("items --demo=ok", prints: teas, says: note),
        // All of it takes three seconds.
        Line("items --demo=slow --limit 1", prints: "Assam\n", says: note),
        Line(
            "items --demo=flaky", prints: teas,
            says: """
                \(note)items: 503 Service Unavailable; waiting <*> s, attempt 2 of 3
                items: the connection was reset; waiting <*> s, attempt 3 of 3

                """),
        Line(
            "items --demo=ratelimit", prints: teas,
            says: "\(note)items: 429 Too Many Requests; waiting 1 s (Retry-After), attempt 2 of 3\n"),
        Line(
            "items --demo=html", ends: .badList,
            says: """
                \(note)items: the reply is HTML, not JSON (text/html, starts "<!doctype html>\\n<title>Sign in</title>\\n")
                  hint: this looks like a login page; pass a token with --token-file

                """),
        Line(
            "items --demo=truncated", ends: .badList, prints: "Assam\nDarjeeling\nDragon Well\nGenmaicha\n",
            says: """
                \(note)items: the reply ended early at byte 60, inside item 5; the 4 items printed are not the whole list
                  hint: use --atomic to print nothing unless the list is complete

                """),
        Line("items --demo=huge=3", prints: "item 1\nitem 2\nitem 3\n", says: note),
        Line("items --demo=huge --count", prints: "1000000\n", says: note),
        Line("items --demo=notNil", prints: "a\nb\nc\n", says: note),
        Line(
            "items --demo=nil", ends: .badList,
            says: "\(note)items: the reply is not JSON (text/plain, starts \"GARBAGE\")\n"),
        Line(
            "items --demo=concepts", ends: .badList,
            says: """
                \(note)items: expected a list at "items", found "concepts", "total"
                  hint: "concepts" is a list; try --at concepts

                """),
        Line("items --demo=concepts --at concepts", prints: "a\nb\n", says: note),
        Line(
            "items --demo=tea", ends: .usage,
            says: """
                items: there is no demo "tea"
                  hint: the demos: ok, slow, flaky, ratelimit, html, truncated, hostile, huge=N, notNil, nil, concepts

                """),
    ])
    func `a demo ends as its scenario says`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }

    @Test(arguments: [
        Line("items --demo=list", prints: Scenario.list),
        Line("items --version", prints: "items \(Version.current)\n"),
        Line("items -V", prints: "items \(Version.current)\n"),
        Line("items --help", prints: Help.text), Line("items -h", prints: Help.text),
        Line("items --man", prints: Manual.page),
        Line("items --completion bash", prints: Shell.bash.script),
        Line("items --completion=zsh", prints: Shell.zsh.script),
        Line("items --completion fish", prints: Shell.fish.script),
        Line(
            "items --completion csh", ends: .usage,
            says: "items: --completion knows bash, zsh, fish, not \"csh\"\n"),
    ])
    func `it says what it is`(line: Line) async throws { try await line.check(on: Shelf.server()) }

    // A shell without jobs starts what it does not wait for with the interrupt ignored.
    #if canImport(Glibc)
    @Test func `a server says where it is, and who asks`() async throws {
        try await Line(
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
            ends: .interrupted, prints: "a\nb\nc\n",
            says: """
                items: serving on http://127.0.0.1:<*> until interrupted
                items: GET /notNil: 200 OK
                items: GET /ok?token=***: 404 Not Found
                items: HTTP 404 Not Found from http://127.0.0.1:<*>/ok?token=***
                  hint: check the path; the server said: "Not here. Here is:\\n/notNil"

                """
        ).check(on: Shelf.server())
    }
    #endif
}
