import Testing

@testable import items

@Suite(.timeLimit(.minutes(5))) struct RequestTests {
    private static let own = "Accept: application/json\nUser-Agent: items/\(Version.current)\n"

    @Test(arguments: [
        Line("items $URL/seen", prints: "Authorization: -\n\(own)X-Caller: -\n"),
        Line("items -H 'X-Caller: me' $URL/seen | tail -1", prints: "X-Caller: me\n"),
        Line("items --header 'X-Caller: me' $URL/seen | tail -1", prints: "X-Caller: me\n"),
        Line("echo 'X-Caller: me' > h; items -H @h $URL/seen | tail -1", prints: "X-Caller: me\n"),
        Line("items -u u:p $URL/seen | head -1", prints: "Authorization: Basic dTpw\n"),
        Line("items --user=u:p $URL/seen | head -1", prints: "Authorization: Basic dTpw\n"),
        Line("items $(echo $URL | sed s,//,//u:p@,)/seen | head -1", prints: "Authorization: Basic dTpw\n"),
        Line(
            "echo machine 127.0.0.1 login u password p > ~/.netrc; items -n $URL/seen | head -1",
            prints: "Authorization: Basic dTpw\n"),
        Line(
            "echo default login u password p > ~/.netrc; items --netrc $URL/seen | head -1",
            prints: "Authorization: Basic dTpw\n"),
        Line(
            "echo default login u password p > ~/.netrc; items $URL/seen | head -1",
            prints: "Authorization: -\n"),
        Line(
            "items -n $URL/seen", ends: .noInput,
            says: "items: cannot read $DIR/.netrc: No such file or directory\n"),
        Line("items $URL/redirect --limit 1", prints: "Assam\n"),
        Line(
            "items --max-redirs 1 $URL/redirects", ends: .redirectRefused,
            says: "items: more than 1 redirects; the last one was to $URL/teas\n"),
        Line(
            "items --max-redirs 0 $URL/redirect", ends: .redirection,
            says:
                "items: HTTP 302 Found from $URL/redirect\n  hint: it redirects to \"/teas\", which was not followed\n"
        ),
    ])
    func `it is as the options say`(line: Line) async throws { try await line.check(on: Shelf.server()) }

    @Test(arguments: [
        Line(
            "umask 77; echo abc > t; items --token-file t $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        Line("echo abc | items --token-file - $URL/seen | head -1", prints: "Authorization: Bearer abc\n"),
        Line(
            "echo abc > t; chmod 640 t; items --token-file t $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n",
            says: "items: warning: others can read t (mode 640); chmod 600 makes it yours alone\n"),
        Line(
            "items --token-file t http://api.example.com/", ends: .usage,
            says: "items: a token is not sent to api.example.com over plain http\n  hint: use https\n"),
        Line(
            "umask 77; echo abc > t; http_proxy=http://u:secret@proxy.example:3128 items --token-file t $URL/",
            ends: .usage,
            says: """
                items: a token is not sent over plain http to the proxy proxy.example
                  hint: set NO_PROXY=127.0.0.1 in the environment

                """),
        Line(
            "umask 77; echo abc > t; http_proxy=proxy.example no_proxy=127.0.0.1 items --token-file t $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        Line(
            "umask 77; echo abc > t; http_proxy=$URL items --token-file t http://localhost:1/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        Line(
            "items --token-file t $URL/", ends: .noInput,
            says: "items: cannot read t: No such file or directory\n"),
        Line(
            "umask 77; echo > t; items --token-file t $URL/", ends: .usage,
            says: "items: there is no token in t\n"),
        Line(
            "umask 77; echo a b > t; items --token-file t $URL/", ends: .usage,
            says: "items: t has more in it than one token\n"),
        Line(
            "items -u u --token-file t $URL/", ends: .usage,
            says: "items: sign in one way at a time, not with -u and --token-file\n"),
    ])
    func `a token comes from a file`(line: Line) async throws { try await line.check(on: Shelf.server()) }

    @Test(arguments: [
        Line(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items $URL/seen | head -1",
            prints: "Authorization: Bearer abc\n"),
        Line(
            "umask 77; echo abc > t; export ITEMS_URL=http://other.example/ ITEMS_TOKEN_FILE=t; items $URL/seen | head -1",
            prints: "Authorization: -\n"),
        Line("ITEMS_TOKEN_FILE=/no/such items $URL/seen | head -1", prints: "Authorization: -\n"),
        Line(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items -u u:p $URL/seen | head -1",
            prints: "Authorization: Basic dTpw\n"),
        Line(
            "ITEMS_URL=$URL/ ITEMS_TOKEN_FILE=t items", ends: .noInput,
            says: """
                items: cannot read t: No such file or directory
                  hint: look at ITEMS_TOKEN_FILE in the environment

                """),
        Line(
            "umask 77; echo abc > t; ITEMS_URL=http://api.example.com ITEMS_TOKEN_FILE=t items", ends: .usage,
            says: """
                items: a token is not sent to api.example.com over plain http
                  hint: use https; look at ITEMS_TOKEN_FILE in the environment

                """),
        Line(
            "umask 77; echo abc > t; export ITEMS_URL=$URL/none ITEMS_TOKEN_FILE=t; items -H 'Authorization: mine' $URL/seen | head -1",
            prints: "Authorization: mine\n"),
        Line("http_proxy=$URL items --limit 1 http://tea.example/teas", prints: "Assam\n"),
        Line(
            "http_proxy=http://127.0.0.1:1 NO_PROXY=127.0.0.1 items --limit 1 $URL/teas", prints: "Assam\n"),
        Line(
            "HTTPS_PROXY=http://127.0.0.1:1 items --retry 0 https://tea.example/", ends: .noConnection,
            says:
                "items: the connection was refused: GET https://tea.example/ (<*>)\n  hint: check the port, and whether the server runs\n"
        ),
    ])
    func `the environment counts`(line: Line) async throws { try await line.check(on: Shelf.server()) }
}

@Suite(.timeLimit(.minutes(5))) struct TimeAndLimitTests {
    @Test(arguments: [
        Line(
            "items --idle-timeout 0.2 --retry 0 $URL/silent", ends: .timedOut,
            says: "items: timed out waiting for data: GET $URL/silent\n  hint: give it longer with --idle-timeout\n"
        ),
        Line(
            "items --idle-timeout 0.2 $URL/stall", ends: .timedOut, prints: "Assam\n",
            says: """
                items: timed out waiting for data: GET $URL/stall; the item printed is not the whole list
                  hint: give it longer with --idle-timeout

                """),
        Line(
            "items --max-time 0.2 $URL/silent", ends: .timedOut,
            says: "items: timed out in total: GET $URL/silent\n  hint: give it longer with --max-time\n"),
        Line(
            "items --limit 1 $URL/busy", prints: "Assam\n",
            says: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 3
                items: 503 Service Unavailable; waiting <*> s, attempt 3 of 3

                """),
        Line(
            "items --limit 1 $URL/soon", prints: "Assam\n",
            says: "items: 429 Too Many Requests; waiting 1 s (Retry-After), attempt 2 of 3\n"),
        Line("items -q --limit 1 $URL/busy", prints: "Assam\n"),
        Line("items --retry 9223372036854775807 --limit 1 $URL/teas", prints: "Assam\n"),
        Line(
            "items --retry 0 $URL/busy", ends: .serverError,
            says: "items: HTTP 503 Service Unavailable from $URL/busy\n"),
        Line(
            "items --retry 1 $URL/busy", ends: .serverError,
            says: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 2
                items: HTTP 503 Service Unavailable from $URL/busy

                """),
        Line(
            "items --retry-max-time 2 $URL/later", ends: .clientError,
            says:
                "items: HTTP 429 Too Many Requests from $URL/later\n  hint: come again in 30 s (Retry-After)\n"
        ),
        Line(
            "items --max-time 1 $URL/later", ends: .clientError,
            says:
                "items: HTTP 429 Too Many Requests from $URL/later\n  hint: come again in 30 s (Retry-After)\n"
        ),
        Line(
            "items --max-bytes 20 $URL/teas", ends: .limit,
            says: """
                items: too much: the pages together are larger than 20 bytes
                  hint: allow more with --max-bytes

                """),
        Line(
            "items --max-bytes 1K $URL/teas --limit 1", prints: "Assam\n"),
        Line(
            "items --max-item 7 $URL/teas", ends: .limit, prints: "Assam\n",
            says: """
                items: item 2 is larger than 7 bytes; the item printed is not the whole list
                  hint: allow more with --max-item

                """),
        Line(
            #"echo '["a"]' > f; items --at . --max-bytes 3 f"#, ends: .limit,
            says: "items: f is larger than 3 bytes\n  hint: allow more with --max-bytes\n"),
    ])
    func `each ends the list`(line: Line) async throws { try await line.check(on: Shelf.server()) }
}
