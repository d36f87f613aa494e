import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import items

@Suite(.hangLimit) struct RequestTests {
    private static let usesProxy =
        "URLSession on Apple platforms takes the proxy from the system settings"
    private static let own = "Accept: application/json, */*;q=0.1\nUser-Agent: items/\(Version.current)\n"

    @Test(arguments: [
        ShellTest("items $URL/seen", output: "Authorization: -\n\(own)X-Caller: -\n"),
        ShellTest("items -H 'X-Caller: me' $URL/seen | tail -1", output: "X-Caller: me\n"),
        ShellTest("items --header 'X-Caller: me' $URL/seen | tail -1", output: "X-Caller: me\n"),
        ShellTest("echo 'X-Caller: me' > h; items -H @h $URL/seen | tail -1", output: "X-Caller: me\n"),
        // As in curl, only the bytes LF and CR end a line, and a colon ends the name whatever follows it.
        ShellTest(
            "printf 'X-Caller: a\\302\\205\\342\\200\\250b\\r\\nAccept:\\314\\201c\\r\\n' > h; items -0 -H @h $URL/seen | tr '\\0' '\\n' | sed 1d | grep -v User",
            output: "Accept: \u{301}c\nX-Caller: a\u{85}\u{2028}b\n"),
        ShellTest("items -u u:p $URL/seen | head -1", output: "Authorization: Basic dTpw\n"),
        ShellTest("items --user=u:p $URL/seen | head -1", output: "Authorization: Basic dTpw\n"),
        ShellTest(
            "items $(echo $URL | sed s,//,//u:p@,)/seen | head -1", output: "Authorization: Basic dTpw\n"),
        ShellTest(
            "echo machine 127.0.0.1 login u password p > ~/.netrc; chmod 600 ~/.netrc; items -n $URL/seen | head -1",
            output: "Authorization: Basic dTpw\n"),
        ShellTest(
            "echo default login u password p > ~/.netrc; chmod 600 ~/.netrc; items --netrc $URL/seen | head -1",
            output: "Authorization: Basic dTpw\n"),
        ShellTest(
            "echo default login u password p > ~/.netrc; chmod 600 ~/.netrc; items $URL/seen | head -1",
            output: "Authorization: -\n"),
        ShellTest(
            "echo default login u password p > ~/.netrc; chmod 644 ~/.netrc; items -n $URL/seen | head -1",
            output: "Authorization: Basic dTpw\n",
            messages: "items: warning: other users can read $DIR/.netrc (mode 644); "
                + "restrict it with chmod 600\n"
        ),
        ShellTest(
            "items -n $URL/seen", exit: .noInput,
            messages: "items: cannot read $DIR/.netrc: No such file or directory\n"),
        ShellTest("items $URL/redirect --limit 1", output: "Assam\n"),
        ShellTest(
            "items --max-redirs 1 $URL/redirects", exit: .redirectRefused,
            messages:
                "items: too many redirects (1); the last target was $URL/teas: GET $URL/redirect (HTTP 302)\n  hint: check the URL; the server may redirect requests without a credential or a cookie\n"
        ),
        ShellTest(
            "items --max-redirs 0 $URL/redirect", exit: .redirection,
            messages:
                "items: HTTP 302 Found: GET $URL/redirect\n  hint: the redirect to \"/teas\" was not followed\n"
        ),
    ])
    func `request options are applied to the request`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "umask 77; echo abc > t; items --token-file t $URL/seen | head -1",
            output: "Authorization: Bearer abc\n"),
        ShellTest(
            "echo abc | items --token-file - $URL/seen | head -1", output: "Authorization: Bearer abc\n"),
        ShellTest(
            "echo abc > t; chmod 640 t; items --token-file t $URL/seen | head -1",
            output: "Authorization: Bearer abc\n",
            messages: "items: warning: other users can read t (mode 640); restrict it with chmod 600\n"),
        ShellTest(
            "items --token-file t http://api.example.com/", exit: .usage,
            messages:
                "items: cannot send a token to api.example.com over plain http\n  hint: use https\n"),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=http://u:secret@proxy.example:3128 items --token-file t $URL/",
            exit: .usage,
            messages: """
                items: cannot send a token over plain http to the proxy proxy.example
                  hint: set NO_PROXY=127.0.0.1

                """
        ).linuxOnly(usesProxy),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=proxy.example no_proxy=127.0.0.1 items --token-file t $URL/seen | head -1",
            output: "Authorization: Bearer abc\n"),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=$URL items --token-file t http://localhost:1/seen | head -1",
            output: "Authorization: Bearer abc\n"
        ).linuxOnly(usesProxy),
        ShellTest(
            "items --token-file t $URL/", exit: .noInput,
            messages: "items: cannot read t: No such file or directory\n"),
        ShellTest(
            "umask 77; echo > t; items --token-file t $URL/", exit: .usage,
            messages: "items: t contains no token\n"),
        ShellTest(
            "umask 77; echo a b > t; items --token-file t $URL/", exit: .usage,
            messages: "items: t contains more than one token\n"),
        ShellTest(
            "items -u u --token-file t $URL/", exit: .usage,
            messages: "items: only one credential is allowed, not -u and --token-file\n"),
    ])
    func `--token-file reads a token or rejects it`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items $URL/seen | head -1",
            output: "Authorization: Bearer abc\n"),
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=http://other.example/ ITEMS_TOKEN_FILE=t; items $URL/seen | head -1",
            output: "Authorization: -\n"),
        ShellTest("ITEMS_TOKEN_FILE=/no/such items $URL/seen | head -1", output: "Authorization: -\n"),
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items -u u:p $URL/seen | head -1",
            output: "Authorization: Basic dTpw\n"),
        ShellTest(
            "ITEMS_URL=$URL/ ITEMS_TOKEN_FILE=t items", exit: .noInput,
            messages: """
                items: cannot read t: No such file or directory
                  hint: check the environment variable ITEMS_TOKEN_FILE

                """),
        ShellTest(
            "umask 77; echo abc > t; ITEMS_URL=http://api.example.com ITEMS_TOKEN_FILE=t items", exit: .usage,
            messages: """
                items: cannot send a token to api.example.com over plain http
                  hint: use https; check the environment variable ITEMS_TOKEN_FILE

                """),
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items -H 'Authorization: mine' $URL/seen | head -1",
            output: "Authorization: mine\n"),
        ShellTest("http_proxy=$URL items --limit 1 http://tea.example/teas", output: "Assam\n")
            .linuxOnly(usesProxy),
        ShellTest(
            "http_proxy=http://127.0.0.1:1 NO_PROXY=127.0.0.1 items --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest(
            "HTTPS_PROXY=http://127.0.0.1:1 items --retry 0 https://tea.example/", exit: .noConnection,
            messages:
                "items: the connection was refused: GET https://tea.example/ (<*>)\n  hint: HTTPS_PROXY names the proxy 127.0.0.1; correct it, or set NO_PROXY=tea.example\n"
        ).linuxOnly(usesProxy),
        ShellTest(
            "http_proxy=http://u:secret@127.0.0.1:1 items --retry 0 http://tea.example/", exit: .noConnection,
            messages:
                "items: the connection was refused: GET http://tea.example/ (<*>)\n  hint: http_proxy names the proxy 127.0.0.1; correct it, or set NO_PROXY=tea.example\n"
        ).linuxOnly(usesProxy),
        ShellTest(
            "http_proxy=$URL items --retry 0 http://tea.example/proxy", exit: .clientError,
            messages:
                "items: HTTP 407 Proxy Authentication Required: GET http://tea.example/proxy\n  hint: the proxy 127.0.0.1 needs a password; set http_proxy=http://USER:PASSWORD@HOST\n"
        ).linuxOnly(usesProxy),
        ShellTest(
            "http_proxy=http://127.0.0.1:1 NO_PROXY=localhost items --retry 0 http://localhost:1/",
            exit: .noConnection,
            messages:
                "items: the connection was refused: GET http://localhost:1/ (<*>)\n  hint: check the port, and that the server is running\n"
        ),
    ])
    func `environment variables provide defaults and proxies`(test: ShellTest) async throws {
        try await test.check()
    }
}

@Suite(.hangLimit) struct TimeAndLimitTests {
    @Test(arguments: [
        ShellTest(
            "items --idle-timeout 0.2 --retry 2 $URL/silent", exit: .timedOut,
            messages:
                "items: timed out waiting for data: GET $URL/silent (limit: 0.2 s)\n  hint: try again later, or increase --idle-timeout\n"
        ),
        ShellTest(
            "items --idle-timeout 0.2 $URL/stall", exit: .timedOut, output: "Assam\n",
            messages: """
                items: timed out waiting for data: GET $URL/stall (limit: 0.2 s) (1 item printed)
                  hint: try again later, or increase --idle-timeout

                """),
        ShellTest(
            "items --max-time 0.2 $URL/silent", exit: .timedOut,
            messages:
                "items: the total timeout elapsed: GET $URL/silent (limit: 0.2 s)\n  hint: try again later, or increase --max-time\n"
        ),
        ShellTest(
            "items --limit 1 $URL/busy", output: "Assam\n",
            messages: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 3
                items: 503 Service Unavailable; waiting <*> s, attempt 3 of 3

                """),
        ShellTest(
            "items --limit 1 $URL/soon", output: "Assam\n",
            messages: "items: 429 Too Many Requests; waiting 1 s (Retry-After), attempt 2 of 3\n"),
        ShellTest("items -q --limit 1 $URL/busy", output: "Assam\n"),
        ShellTest("items --retry 9223372036854775807 --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest(
            "items --retry 0 $URL/busy", exit: .serverError,
            messages: "items: HTTP 503 Service Unavailable: GET $URL/busy\n  hint: try again later\n"),
        ShellTest(
            "items --retry 1 $URL/busy", exit: .serverError,
            messages: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 2
                items: HTTP 503 Service Unavailable: GET $URL/busy (after 2 attempts<*>)
                  hint: try again later

                """),
        ShellTest(
            "items --retry-max-time 2 $URL/later", exit: .clientError,
            messages:
                "items: HTTP 429 Too Many Requests: GET $URL/later (not retried: Retry-After of 30 s exceeds the maximum of 2 s)\n  hint: the server allows a retry after 30 s\n"
        ),
        ShellTest(
            "items --max-time 1 $URL/later", exit: .clientError,
            messages:
                "items: HTTP 429 Too Many Requests: GET $URL/later (not retried: waiting 30 s (Retry-After) would exceed the total timeout (<*>\n  hint: the server allows a retry after 30 s\n"
        ),
        ShellTest(
            "items --max-bytes 20 $URL/teas", exit: .limit,
            messages: """
                items: limit exceeded: all pages together are larger than 20 bytes: GET $URL/teas
                  hint: increase --max-bytes

                """),
        ShellTest(
            "items --max-bytes 1K $URL/teas --limit 1", output: "Assam\n"),
        ShellTest(
            "items --max-item 7 $URL/teas", exit: .limit, output: "Assam\n",
            messages: """
                items: item 2 is larger than 7 bytes: GET $URL/teas (1 item printed)
                  hint: increase --max-item

                """),
        ShellTest(
            #"echo '["a"]' > f; items --at . --max-bytes 3 f"#, exit: .limit,
            messages: "items: f is larger than 3 bytes\n  hint: increase --max-bytes\n"),
    ])
    func `timeouts, retries and limits end the list`(test: ShellTest) async throws { try await test.check() }

    // libcurl reads the proxy from the environment. On Apple platforms the system settings apply.
    #if canImport(FoundationNetworking)
    @Test func `a proxy that refuses a tunnel is named, with its status`() async throws {
        let proxy = try RawServer { _ in
            [.send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")]
        }
        let run = try await Program.shell(
            "HTTPS_PROXY=http://127.0.0.1:\(proxy.port) $items --retry 0 https://tea.example/")
        #expect(
            run.messages == """
                items: the connection failed: GET https://tea.example/ (CONNECT tunnel failed, response 407)
                  hint: the proxy 127.0.0.1 needs a password; set HTTPS_PROXY=http://USER:PASSWORD@HOST

                """)
    }
    #endif
}
