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
        ShellTest("items $URL/redirect --limit 1", output: "Assam\n"),
        ShellTest(
            "items --max-redirs 1 $URL/redirects", exit: .redirectRefused,
            error: "too many redirects (1); the last target was $URL/teas: GET $URL/redirect (HTTP 302)",
            hint: "check the URL; the server may redirect requests without a credential or a cookie"),
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
            error: "warning: other users can read t (mode 640); restrict it with chmod 600"),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=proxy.example no_proxy=127.0.0.1 items --token-file t $URL/seen | head -1",
            output: "Authorization: Bearer abc\n"),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=$URL items --token-file t http://localhost:1/seen | head -1",
            output: "Authorization: Bearer abc\n"
        ).linuxOnly(usesProxy),
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
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items -H 'Authorization: mine' $URL/seen | head -1",
            output: "Authorization: mine\n"),
        ShellTest("http_proxy=$URL items --limit 1 http://tea.example/teas", output: "Assam\n")
            .linuxOnly(usesProxy),
        ShellTest(
            "http_proxy=http://127.0.0.1:1 NO_PROXY=127.0.0.1 items --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest(
            "HTTPS_PROXY=http://127.0.0.1:1 items --retry 0 https://tea.example/", exit: .noConnection,
            error: "the connection was refused: GET https://tea.example/ (<*>)",
            hint: "HTTPS_PROXY names the proxy 127.0.0.1; correct it, or set NO_PROXY=tea.example"
        ).linuxOnly(usesProxy),
        ShellTest(
            "http_proxy=http://127.0.0.1:1 NO_PROXY=localhost items --retry 0 http://localhost:1/",
            exit: .noConnection, error: "the connection was refused: GET http://localhost:1/ (<*>)",
            hint: "check the port, and that the server is running"),
    ])
    func `environment variables provide defaults and proxies`(test: ShellTest) async throws {
        try await test.check()
    }
}

@Suite(.hangLimit) struct TimeAndLimitTests {
    @Test(arguments: [
        ShellTest(
            "items --idle-timeout 0.2 --retry 2 $URL/silent", exit: .timedOut,
            error: "timed out waiting for data: GET $URL/silent (limit: 0.2 s)",
            hint: "try again later, or increase --idle-timeout"),
        ShellTest(
            "items --idle-timeout 0.2 $URL/stall", exit: .timedOut, output: "Assam\n",
            error: "timed out waiting for data: GET $URL/stall (limit: 0.2 s) (1 item printed)",
            hint: "try again later, or increase --idle-timeout"),
        ShellTest(
            "items --limit 1 $URL/busy", output: "Assam\n",
            messages: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 3
                items: 503 Service Unavailable; waiting <*> s, attempt 3 of 3

                """),
        ShellTest(
            "items --limit 1 $URL/soon", output: "Assam\n",
            error: "429 Too Many Requests; waiting 1 s (Retry-After), attempt 2 of 3"),
        ShellTest("items -q --limit 1 $URL/busy", output: "Assam\n"),
        ShellTest("items --retry 9223372036854775807 --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest(
            "items --max-bytes 1K $URL/teas --limit 1", output: "Assam\n"),
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
