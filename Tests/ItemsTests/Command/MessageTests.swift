import RESTClientTestingSupport
import Testing

@testable import items

/// Messages for lists that fail completely or partly.
@Suite(.hangLimit) struct MessageTests {
    @Test(arguments: [
        ShellTest(
            "items $URL/missing", exit: .clientError,
            messages:
                "items: HTTP 404 Not Found from $URL/missing\n  hint: check the path; message of the server: \"no such collection\"\n"
        ),
        ShellTest(
            "items $URL/secret", exit: .clientError,
            messages:
                "items: HTTP 401 Unauthorized from $URL/secret\n  hint: pass a credential with -u USER or --token-file, or check the given credential\n"
        ),
        ShellTest(
            "items $URL/forbidden", exit: .clientError,
            messages:
                "items: HTTP 403 Forbidden from $URL/forbidden\n  hint: the credential lacks permission\n"),
        ShellTest(
            "items --retry 0 $URL/gone", exit: .serverError,
            messages:
                "items: HTTP 500 Internal Server Error from $URL/gone\n  hint: message of the server: \"on fire\"\n"
        ),
        ShellTest(
            "items $URL/page.html", exit: .badList,
            messages:
                "items: the response is HTML, not JSON (text/html, starts \"<!doctype html>\")\n  hint: this is a web page; pass the URL of its data\n"
        ),
        ShellTest(
            "items $URL/concepts", exit: .badList,
            messages:
                "items: expected a list at \"items\", found \"concepts\", \"total\"\n  hint: \"concepts\" is a list; try --at concepts\n"
        ),
        ShellTest(
            "items $URL/cut", exit: .badList, output: "a\n",
            messages:
                "items: the response ended early at byte 18, inside item 2 (1 item printed)\n  hint: use --atomic to print only complete lists\n"
        ),
        ShellTest(
            "items --retry 0 $URL/short", exit: .badList, output: "Assam\nSencha\nGenmaicha\n",
            messages:
                "items: the response ended early at byte 40 of 140 (3 items printed)\n  hint: use --atomic to print only complete lists\n"
        ),
        ShellTest(
            "items --retry 0 $URL/torn", exit: .badList, output: "Assam\n",
            messages:
                "items: the response ended early at byte 22, inside item 2 (1 item printed)\n  hint: use --atomic to print only complete lists\n"
        ),
        ShellTest(
            "items $URL/garbage", exit: .badList,
            messages: "items: the response is not JSON (text/plain, starts \"GARBAGE\")\n"),
        ShellTest(
            "items $URL/comma", exit: .badList, output: "a\n",
            messages:
                "items: the response is not valid JSON at byte 15 ($.items[1]): <*> (1 item printed)\n  hint: use --atomic to print only complete lists\n"
        ),
        ShellTest(
            "items $URL/to-file", exit: .redirectRefused,
            messages:
                "items: refused redirect from $URL/to-file to file:///etc/passwd: the target is not an HTTP URL\n"
        ),
        ShellTest(
            "items $URL/loop", exit: .redirectRefused,
            messages: "items: too many redirects (10); the last target was $URL/loop\n"),
        ShellTest(
            "items $URL/moved", exit: .badList,
            messages: "items: the response has no content (304 Not Modified)\n"),
        ShellTest(
            "items $URL/deep", exit: .badList,
            messages: "items: the response is nested more than 512 levels deep at byte 521 (<*>)\n"),
        ShellTest(
            "items $URL/partial", exit: .badList, output: "a\nb\n",
            messages: """
                items: cannot follow the pages: 2 of 10 items were received, and the page contains no reference to the rest (2 items printed)
                  hint: look up how the API requests its next page, for example --pagination token:PARAMETER,PATH

                """),
        ShellTest(
            "items --pagination next $URL/counted", exit: .badList, output: "a\n",
            messages: """
                items: cannot follow the pages: "next" is a number, not a URL (1 item printed)
                  hint: look up how the API requests its next page, for example --pagination token:PARAMETER,PATH

                """),
        ShellTest(
            "items $URL/nowhere", exit: .redirection, messages: "items: HTTP 302 Found from $URL/nowhere\n"),
        ShellTest(
            "items --retry 0 $URL/reset", exit: .noConnection,
            messages: "items: the connection was reset: GET $URL/reset (<*>)\n"),
        ShellTest(
            "items --retry 0 http://localhost:1/", exit: .noConnection,
            messages:
                "items: the connection was refused: GET http://localhost:1/ (<*>)\n  hint: check the port, and that the server is running\n"
        ),
        ShellTest(
            "items --retry 0 http://no-such-host.invalid/", exit: .noConnection,
            messages:
                "items: the host was not found: GET http://no-such-host.invalid/ (<*>)\n  hint: check the host name and the network connection\n"
        ),
    ])
    func `an error has a message and a hint`(test: ShellTest) async throws { try await test.check() }
}
