import Testing

@testable import items

/// What is said when a list cannot be had, or not all of it.
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
            says: "items: refused redirect from $URL/to-file to file:///etc/passwd: the target is not an HTTP URL\n"),
        Line(
            "items $URL/loop", ends: .redirectRefused,
            says: "items: more than 10 redirects; the last one was to $URL/loop\n"),
        Line(
            "items $URL/moved", ends: .badList, says: "items: the reply has no content (304 Not Modified)\n"),
        Line(
            "items $URL/deep", ends: .badList,
            says: "items: the reply nests more than 512 levels at byte 521 (<*>)\n"),
        Line(
            "items $URL/partial", ends: .badList, prints: "a\nb\n",
            says: """
                items: cannot follow the pages: 2 of 10 items were received, and the page does not say how to get the rest; the 2 items printed are not the whole list
                  hint: name the rule and what the server calls it, as in --pagination token:PATH,QUERY

                """),
        Line(
            "items --pagination next $URL/counted", ends: .badList, prints: "a\n",
            says: """
                items: cannot follow the pages: "next" is a number, not a URL; the item printed is not the whole list
                  hint: name the rule and what the server calls it, as in --pagination token:PATH,QUERY

                """),
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
}
