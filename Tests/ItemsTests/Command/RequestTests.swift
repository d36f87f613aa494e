import Testing

@testable import items

@Suite(.timeLimit(.minutes(5))) struct RequestTests {
    private static let own = "Accept: application/json\nUser-Agent: items/\(Version.current)\n"

    @Test(arguments: [
        ShellTest("items $URL/seen", prints: "Authorization: -\n\(own)X-Caller: -\n"),
        ShellTest("items -H 'X-Caller: me' $URL/seen | tail -1", prints: "X-Caller: me\n"),
        ShellTest("items --header 'X-Caller: me' $URL/seen | tail -1", prints: "X-Caller: me\n"),
        ShellTest("echo 'X-Caller: me' > h; items -H @h $URL/seen | tail -1", prints: "X-Caller: me\n"),
        ShellTest("items -u u:p $URL/seen | head -1", prints: "Authorization: Basic dTpw\n"),
        ShellTest("items --user=u:p $URL/seen | head -1", prints: "Authorization: Basic dTpw\n"),
        ShellTest(
            "items $(echo $URL | sed s,//,//u:p@,)/seen | head -1", prints: "Authorization: Basic dTpw\n"),
        ShellTest(
            "echo machine 127.0.0.1 login u password p > ~/.netrc; items -n $URL/seen | head -1",
            prints: "Authorization: Basic dTpw\n"),
        ShellTest(
            "echo default login u password p > ~/.netrc; items --netrc $URL/seen | head -1",
            prints: "Authorization: Basic dTpw\n"),
        ShellTest(
            "echo default login u password p > ~/.netrc; items $URL/seen | head -1",
            prints: "Authorization: -\n"),
        ShellTest(
            "items -n $URL/seen", ends: .noInput,
            says: "items: cannot read $DIR/.netrc: No such file or directory\n"),
        ShellTest("items $URL/redirect --limit 1", prints: "Assam\n"),
        ShellTest(
            "items --max-redirs 1 $URL/redirects", ends: .redirectRefused,
            says: "items: more than 1 redirects; the last one was to $URL/teas\n"),
        ShellTest(
            "items --max-redirs 0 $URL/redirect", ends: .redirection,
            says:
                "items: HTTP 302 Found from $URL/redirect\n  hint: it redirects to \"/teas\", which was not followed\n"
        ),
    ])
    func `request options are applied to the request`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    @Test(arguments: [
        ShellTest(
            "umask 77; echo abc > t; items --token-file t $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        ShellTest(
            "echo abc | items --token-file - $URL/seen | head -1", prints: "Authorization: Bearer abc\n"),
        ShellTest(
            "echo abc > t; chmod 640 t; items --token-file t $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n",
            says: "items: warning: other users can read t (mode 640); restrict it with chmod 600\n"),
        ShellTest(
            "items --token-file t http://api.example.com/", ends: .usage,
            says: "items: refusing to send a token to api.example.com over plain http\n  hint: use https\n"),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=http://u:secret@proxy.example:3128 items --token-file t $URL/",
            ends: .usage,
            says: """
                items: refusing to send a token over plain http to the proxy proxy.example
                  hint: set NO_PROXY=127.0.0.1

                """),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=proxy.example no_proxy=127.0.0.1 items --token-file t $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        ShellTest(
            "umask 77; echo abc > t; http_proxy=$URL items --token-file t http://localhost:1/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        ShellTest(
            "items --token-file t $URL/", ends: .noInput,
            says: "items: cannot read t: No such file or directory\n"),
        ShellTest(
            "umask 77; echo > t; items --token-file t $URL/", ends: .usage,
            says: "items: t contains no token\n"),
        ShellTest(
            "umask 77; echo a b > t; items --token-file t $URL/", ends: .usage,
            says: "items: t contains more than one token\n"),
        ShellTest(
            "items -u u --token-file t $URL/", ends: .usage,
            says: "items: only one credential is allowed, not -u and --token-file\n"),
    ])
    func `--token-file reads a token or rejects it`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }

    @Test(arguments: [
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=http://other.example/ ITEMS_TOKEN_FILE=t; items $URL/seen | head -1",
            prints: "Authorization: -\n"),
        ShellTest("ITEMS_TOKEN_FILE=/no/such items $URL/seen | head -1", prints: "Authorization: -\n"),
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items -u u:p $URL/seen | head -1",
            prints: "Authorization: Basic dTpw\n"),
        ShellTest(
            "ITEMS_URL=$URL/ ITEMS_TOKEN_FILE=t items", ends: .noInput,
            says: """
                items: cannot read t: No such file or directory
                  hint: check the environment variable ITEMS_TOKEN_FILE

                """),
        ShellTest(
            "umask 77; echo abc > t; ITEMS_URL=http://api.example.com ITEMS_TOKEN_FILE=t items", ends: .usage,
            says: """
                items: refusing to send a token to api.example.com over plain http
                  hint: use https; check the environment variable ITEMS_TOKEN_FILE

                """),
        ShellTest(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items -H 'Authorization: mine' $URL/seen | head -1",
            prints: "Authorization: mine\n"),
        ShellTest("http_proxy=$URL items --limit 1 http://tea.example/teas", prints: "Assam\n"),
        ShellTest(
            "http_proxy=http://127.0.0.1:1 NO_PROXY=127.0.0.1 items --limit 1 $URL/teas", prints: "Assam\n"),
        ShellTest(
            "HTTPS_PROXY=http://127.0.0.1:1 items --retry 0 https://tea.example/", ends: .noConnection,
            says:
                "items: the connection was refused: GET https://tea.example/ (<*>)\n  hint: check the port, and whether the server runs\n"
        ),
    ])
    func `environment variables provide defaults and proxies`(test: ShellTest) async throws {
        try await test.check(on: FixtureServer.make())
    }
}

@Suite(.timeLimit(.minutes(5))) struct TimeAndLimitTests {
    @Test(arguments: [
        ShellTest(
            "items --idle-timeout 0.2 --retry 0 $URL/silent", ends: .timedOut,
            says: "items: no byte for too long: GET $URL/silent\n  hint: increase --idle-timeout\n"
        ),
        ShellTest(
            "items --idle-timeout 0.2 $URL/stall", ends: .timedOut, prints: "Assam\n",
            says: """
                items: no byte for too long: GET $URL/stall (1 item printed)
                  hint: increase --idle-timeout

                """),
        ShellTest(
            "items --max-time 0.2 $URL/silent", ends: .timedOut,
            says: "items: took too long: GET $URL/silent\n  hint: increase --max-time\n"),
        ShellTest(
            "items --limit 1 $URL/busy", prints: "Assam\n",
            says: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 3
                items: 503 Service Unavailable; waiting <*> s, attempt 3 of 3

                """),
        ShellTest(
            "items --limit 1 $URL/soon", prints: "Assam\n",
            says: "items: 429 Too Many Requests; waiting 1 s (Retry-After), attempt 2 of 3\n"),
        ShellTest("items -q --limit 1 $URL/busy", prints: "Assam\n"),
        ShellTest("items --retry 9223372036854775807 --limit 1 $URL/teas", prints: "Assam\n"),
        ShellTest(
            "items --retry 0 $URL/busy", ends: .serverError,
            says: "items: HTTP 503 Service Unavailable from $URL/busy\n"),
        ShellTest(
            "items --retry 1 $URL/busy", ends: .serverError,
            says: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 2
                items: HTTP 503 Service Unavailable from $URL/busy

                """),
        ShellTest(
            "items --retry-max-time 2 $URL/later", ends: .clientError,
            says:
                "items: HTTP 429 Too Many Requests from $URL/later\n  hint: the server allows a retry after 30 s (Retry-After)\n"
        ),
        ShellTest(
            "items --max-time 1 $URL/later", ends: .clientError,
            says:
                "items: HTTP 429 Too Many Requests from $URL/later\n  hint: the server allows a retry after 30 s (Retry-After)\n"
        ),
        ShellTest(
            "items --max-bytes 20 $URL/teas", ends: .limit,
            says: """
                items: too much: the pages together are larger than 20 bytes
                  hint: increase --max-bytes

                """),
        ShellTest(
            "items --max-bytes 1K $URL/teas --limit 1", prints: "Assam\n"),
        ShellTest(
            "items --max-item 7 $URL/teas", ends: .limit, prints: "Assam\n",
            says: """
                items: item 2 is larger than 7 bytes (1 item printed)
                  hint: increase --max-item

                """),
        ShellTest(
            #"echo '["a"]' > f; items --at . --max-bytes 3 f"#, ends: .limit,
            says: "items: f is larger than 3 bytes\n  hint: increase --max-bytes\n"),
    ])
    func `timeouts, retries and limits end the list`(test: ShellTest) async throws { try await test.check(on: FixtureServer.make()) }
}
