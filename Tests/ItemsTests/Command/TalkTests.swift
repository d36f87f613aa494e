import Testing

@testable import items

@Suite(.timeLimit(.minutes(5))) struct TalkTests {
    @Test(arguments: [
        Line(
            #"items -v -H 'X-Api-Key: abc' "$URL/redirect?token=abc" --limit 1"#,
            prints: "Assam\n",
            says: """
                items: GET $URL/redirect?token=***
                items:   Accept: application/json
                items:   User-Agent: items/\(Version.current)
                items:   X-Api-Key: ***
                items: 302 Found
                items: redirected to $URL/teas
                items: 200 OK

                """),
        Line(
            "items -v --jobs 1 --limit 2 $URL/linked 2>&1 | grep page",
            prints: "items: page 2, by the Link header\n"),
        Line(
            "items -v --retry 1 $URL/busy 2>&1 | grep -e waiting -e attempt",
            prints:
                "items: 503 Service Unavailable; waiting <*> s, attempt 2 of 2\nitems: attempt 2\n"
        ),
        Line("items -q --demo --limit 1", prints: "Assam\n"),
        Line("items --quiet --demo --limit 1", prints: "Assam\n"),
        Line(
            "items --verbose --limit 1 $URL/teas 2>&1 | grep -v '  ' | sort",
            prints: "Assam\nitems: 200 OK\nitems: GET $URL/teas\n"),
        Line("items --demo --limit 1", prints: "Assam\n", says: "items: demo data, no network\n"),
    ])
    func `more of it, or less`(line: Line) async throws { try await line.check(on: Shelf.server()) }

    @Test(arguments: [
        Line(
            "items --offline -u u:p -H 'X-A: b' http://api.example.com/?key=abc",
            prints: """
                GET http://api.example.com/?key=***
                Accept: application/json
                Authorization: ***
                User-Agent: items/\(Version.current)
                X-A: b

                """),
        Line(
            "items --offline -u someone http://api.example.com/ | grep -c Authorization", prints: "1\n"),
        Line(
            "items --curl http://api.example.com/",
            prints:
                "curl --location --retry 2 --retry-max-time 60 -H 'Accept: application/json' -H 'User-Agent: items/\(Version.current)' 'http://api.example.com/'\n"
        ),
        Line(
            "items --curl --retry 0 -H 'User-Agent: me' -u 'it is:p' -m 2.5 --max-redirs 3 http://api.example.com/",
            prints:
                "curl --location --user 'it is' --max-redirs 3 --max-time 2.5 -H 'Accept: application/json' -H 'User-Agent: me' 'http://api.example.com/'\n"
        ),
        Line(
            "umask 77; echo abc > t; items --curl --retry 0 -H User-Agent: --token-file t http://localhost/ 2>&-",
            ends: .usage),
        Line(
            "umask 77; echo abc > t; items --curl --retry 0 -H 'User-Agent: me' --token-file t http://localhost/",
            prints:
                #"curl --location --oauth2-bearer "$(cat t)" -H 'Accept: application/json' -H 'User-Agent: me' 'http://localhost/'"#
                + "\n"),
        Line(
            "eval $(items --curl -n --retry 0 -H 'User-Agent: me' $URL/none | sed s/^curl/echo/)",
            prints: "--location --netrc -H Accept: application/json -H User-Agent: me $URL/none\n"),
        Line(
            "echo [] | items --offline -", ends: .usage,
            says: "items: no request is sent for a file\n  hint: give a URL to see its request\n"),
    ])
    func `the request is shown, not sent`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }

    @Test(arguments: [
        Line("items --expect 3 --count $URL/teas", prints: "3\n"),
        Line(
            "items --expect 2 --count $URL/teas", ends: .failure, prints: "3\n",
            says: "items: expected 2 items, found 3\n"),
        Line("items --expect 1 $URL/none", ends: .failure, says: "items: expected 1 item, found 0\n"),
        Line("items --fail-empty $URL/none", ends: .failure, says: "items: the list is empty\n"),
        Line(
            "items --limit 2 --expect 3 $URL/teas", ends: .usage,
            says: """
                items: --limit 2 stops before there are the 3 items of --expect
                  hint: leave out --limit to count them all

                """),
        Line("items --limit 2 --expect 2 $URL/teas", prints: "Assam\nSencha\n"),
        Line("items --fail-empty --limit 1 $URL/teas", prints: "Assam\n"),
    ])
    func `scripts may expect a number of items`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }
}

@Suite(.timeLimit(.minutes(5))) struct MessageTests {
    @Test(arguments: [
        Line(
            "items $URL/missing", ends: .clientError,
            says:
                "items: HTTP 404 Not Found from $URL/missing\n  hint: check the path; the server said: \"no such collection\"\n"
        ),
        Line(
            "items $URL/secret", ends: .clientError,
            says:
                "items: HTTP 401 Unauthorized from $URL/secret\n  hint: sign in with -u USER, or pass a token with --token-file; check it if you did\n"
        ),
        Line(
            "items $URL/forbidden", ends: .clientError,
            says:
                "items: HTTP 403 Forbidden from $URL/forbidden\n  hint: the credential does not allow this\n"),
        Line(
            "items --retry 0 $URL/gone", ends: .serverError,
            says:
                "items: HTTP 500 Internal Server Error from $URL/gone\n  hint: the server said: \"on fire\"\n"
        ),
        Line(
            "items $URL/page.html", ends: .badList,
            says:
                "items: the reply is HTML, not JSON (text/html, starts \"<!doctype html>\")\n  hint: this looks like a login page; pass a token with --token-file\n"
        ),
        Line(
            "items $URL/concepts", ends: .badList,
            says:
                "items: expected a list at \"items\", found \"concepts\", \"total\"\n  hint: \"concepts\" is a list; try --at concepts\n"
        ),
        Line(
            "items $URL/cut", ends: .badList, prints: "a\n",
            says:
                "items: the reply ended early at byte 18, inside item 2; the item printed is not the whole list\n  hint: use --atomic to print nothing unless the list is complete\n"
        ),
        Line(
            "items --retry 0 $URL/short", ends: .badList, prints: "Assam\nSencha\nGenmaicha\n",
            says:
                "items: the reply ended early at byte 40 of 140; the 3 items printed are not the whole list\n  hint: use --atomic to print nothing unless the list is complete\n"
        ),
        Line(
            "items --retry 0 $URL/torn", ends: .badList, prints: "Assam\n",
            says:
                "items: the reply ended early at byte 22, inside item 2; the item printed is not the whole list\n  hint: use --atomic to print nothing unless the list is complete\n"
        ),
        Line(
            "items $URL/garbage", ends: .badList,
            says: "items: the reply is not JSON (text/plain, starts \"GARBAGE\")\n"),
        Line(
            "items $URL/comma", ends: .badList, prints: "a\n",
            says:
                "items: the reply is not valid JSON at byte 15 ($.items[1]): <*>; the item printed is not the whole list\n  hint: use --atomic to print nothing unless the list is complete\n"
        ),
        Line(
            "items $URL/to-file", ends: .redirectRefused,
            says: "items: refused redirect from $URL/to-file to file:///etc/passwd: it leaves HTTP\n"),
        Line(
            "items $URL/loop", ends: .redirectRefused,
            says: "items: more than 10 redirects; the last one was to $URL/loop\n"),
        Line("items $URL/nowhere", ends: .redirection, says: "items: HTTP 302 Found from $URL/nowhere\n"),
        Line(
            "items --retry 0 $URL/reset", ends: .noConnection,
            says: "items: the connection was reset: GET $URL/reset (<*>)\n"),
        Line(
            "items --retry 0 http://localhost:1/", ends: .noConnection,
            says:
                "items: the connection was refused: GET http://localhost:1/ (<*>)\n  hint: check the port, and whether the server runs\n"
        ),
        Line(
            "items --retry 0 http://no-such-host.invalid/", ends: .noConnection,
            says:
                "items: the host was not found: GET http://no-such-host.invalid/ (<*>)\n  hint: check the host's name, and whether this machine has a network\n"
        ),
    ])
    func `what happened, to what, and what to try`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }

    @Test(arguments: [
        Line(
            "items", ends: .usage,
            says:
                "items: nothing to list: give a URL, a FILE, or - for the standard input\n  hint: items --help says more; items --demo shows it without a network\n"
        ),
        Line(
            "items --hlep", ends: .usage, says: "items: unknown option --hlep\n  hint: did you mean --help?\n"
        ),
        Line(
            "items --josn", ends: .usage, says: "items: unknown option --josn\n  hint: did you mean --json?\n"
        ),
        Line(
            "items example.com/items", ends: .usage,
            says:
                "items: \"example.com/items\" is neither a URL nor a file\n  hint: a URL starts with its scheme: https://example.com/items\n"
        ),
        Line(
            "echo '<!doctype html>' > page.html; items page.html", ends: .badList,
            says:
                "items: page.html is HTML, not JSON (starts \"<!doctype html>\\n\")\n  hint: list the URL that its data comes from\n"
        ),
        Line(
            "items help", ends: .noInput,
            says: "items: cannot read help: No such file or directory\n  hint: did you mean --help?\n"),
        Line(
            "items example.com", ends: .noInput,
            says:
                "items: cannot read example.com: No such file or directory\n  hint: if it is a web address, write https://example.com\n"
        ),
        Line(
            "items -k $URL/", ends: .usage,
            says:
                "items: unknown option -k\n  hint: certificates are always checked; add yours to those that the system trusts\n"
        ),
        Line("items --port 80 $URL/", ends: .usage, says: "items: --port belongs to --serve\n"),
        Line(
            "items --serve --port ${URL##*:}", ends: .failure,
            says: "items: port <*> is taken\n  hint: leave out --port, and any free one is taken\n"),
        Line(
            "items --limit", ends: .usage, says: "items: --limit needs a value: --limit N\n"),
        Line(
            "items nothing.json", ends: .noInput,
            says: "items: cannot read nothing.json: No such file or directory\n"),
        Line(
            "items --pagination sideways $URL/", ends: .usage,
            says:
                "items: there is no --pagination \"sideways\"\n  hint: the rules: auto, none, link, next, token, page, offset\n"
        ),
        Line(
            "items --json -0 $URL/teas", ends: .usage,
            says: "items: -0 ends items, and --json has none that end\n"),
        Line("items --count --field a $URL/teas", ends: .usage, says: "items: --count prints no --field\n"),
        Line(
            "items --resume-file r -o out $URL/teas", ends: .usage,
            says:
                "items: --resume-file goes on behind what is out, and -o leaves nothing of a run that failed\n  hint: append to a file: items … >> FILE\n"
        ),
        Line(
            "items --resume-file r --json $URL/teas", ends: .usage,
            says:
                "items: --resume-file cannot go on with --json\n  hint: print lines, --jsonl, or --csv with --field\n"
        ),
    ])
    func `a command line that cannot be followed`(line: Line) async throws {
        try await line.check(on: Shelf.server())
    }
}
