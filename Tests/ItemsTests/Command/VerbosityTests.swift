import RESTClientTestingSupport
import Testing

@testable import items

@Suite(.hangLimit) struct VerbosityTests {
    private static let addsFields = "the header fields that URLSession adds are known on Linux only"

    @Test(arguments: [
        ShellTest(
            #"items -v -H 'X-Api-Key: abc' "$URL/redirect?token=abc" --limit 1"#,
            output: "Assam\n",
            messages: """
                items: GET $URL/redirect?token=***
                items:   Accept: application/json, */*;q=0.1
                items:   Accept-Encoding: gzip, deflate, br
                items:   Host: <*>
                items:   User-Agent: items/\(Version.current)
                items:   X-Api-Key: ***
                items: connected to <*> (HTTP/1.1): lookup <*> ms, connection <*> ms, response <*> ms
                items: 302 Found
                items: redirected to $URL/teas
                items: connected to <*> (HTTP/1.1, reused): response <*> ms
                items: GET $URL/teas
                items:   Accept: application/json, */*;q=0.1
                items:   Accept-Encoding: gzip, deflate, br
                items:   Host: <*>
                items:   User-Agent: items/\(Version.current)
                items:   X-Api-Key: ***
                items: 200 OK
                items:   Content-Length: 40
                items:   Content-Type: application/json

                """
        ).linuxOnly(addsFields),
        ShellTest(
            "items -v --jobs 1 --limit 2 $URL/linked 2>&1 | grep page",
            output: "items: page 2, found by the Link header\n"),
        ShellTest(
            "items -v --retry 1 $URL/busy 2>&1 | grep -e waiting -e attempt",
            output: """
                items: 503 Service Unavailable; waiting <*> s, attempt 2 of 2
                items: attempt 2
                items: HTTP 503 Service Unavailable: GET $URL/busy (after 2 attempts<*>)

                """),
        ShellTest(
            "items --timing --count $URL/redirect 2>&1 | sed 's/  *[0-9.]*[0-9][.][0-9]/ N/g'",
            output: """
                3
                items: 2 requests, 1 connection opened, 1 reused; milliseconds of the slowest, and of all:
                items:      lookup  connect      TLS     wait    total
                items:           -        -        - N N  200 GET $URL/redirect
                items:           -        -        - N N  all

                """
        ).linuxOnly("other platforms report the connection of a stream at its end"),
        ShellTest(
            "items --timing --limit 1 $URL/teas 2>&1 | grep -c -e 'GET' -e 'all$'", output: "2\n"),
        ShellTest(
            "items --timing -q --limit 1 $URL/teas", output: "Assam\n"),
        ShellTest(
            "items -v --retry 0 http://me:s3cret@127.0.0.1:9/ 2>&1 | grep -c s3cret", exit: .failure,
            output: "0\n"),
        ShellTest("items -q --demo --limit 1", output: "Assam\n"),
        ShellTest("items --quiet --demo --limit 1", output: "Assam\n"),
        ShellTest(
            "items --verbose --limit 1 $URL/teas 2>&1 | grep -v -e '  ' -e connected | sort",
            output: "Assam\nitems: 200 OK\nitems: GET $URL/teas\n"),
        ShellTest("items --demo --limit 1", output: "Assam\n", error: "demo data, no network"),
    ])
    func `--verbose and --quiet select messages`(test: ShellTest) async throws { try await test.check() }

    @Test(arguments: [
        ShellTest(
            "items --offline -u u:p -H 'X-A: b' http://api.example.com/?key=abc",
            output: """
                GET http://api.example.com/?key=***
                Accept: application/json, */*;q=0.1
                Accept-Encoding: gzip, deflate, br
                Authorization: ***
                Host: api.example.com
                User-Agent: items/\(Version.current)
                X-A: b

                """
        ).linuxOnly(addsFields),
        ShellTest(
            "items --offline -u someone http://api.example.com/ | grep -c Authorization", output: "1\n"),
        ShellTest(
            "items --curl http://api.example.com/",
            output:
                "curl --location --retry 2 --retry-max-time 60 --compressed -H 'Accept: application/json, */*;q=0.1' -H 'User-Agent: items/\(Version.current)' 'http://api.example.com/'\n"
        ).linuxOnly(addsFields),
        ShellTest(
            "items --curl --retry 0 -H 'User-Agent: me' -u 'it is:p' -m 2.5 --max-redirs 3 http://api.example.com/",
            output:
                "curl --location --user 'it is' --max-redirs 3 --max-time 2.5 --compressed -H 'Accept: application/json, */*;q=0.1' -H 'User-Agent: me' 'http://api.example.com/'\n"
        ).linuxOnly(addsFields),
        ShellTest(
            "umask 77; echo abc > t; items --curl --retry 0 -H User-Agent: --token-file t http://localhost/ 2>&-",
            exit: .usage),
        ShellTest(
            "umask 77; echo abc > t; items --curl --retry 0 -H 'User-Agent: me' --token-file t http://localhost/",
            output:
                #"curl --location --oauth2-bearer "$(cat t)" --compressed -H 'Accept: application/json, */*;q=0.1' -H 'User-Agent: me' 'http://localhost/'"#
                + "\n"
        ).linuxOnly(addsFields),
        ShellTest(
            "eval $(items --curl -n --retry 0 -H 'User-Agent: me' $URL/none | sed s/^curl/echo/)",
            output:
                "--location --netrc --compressed -H Accept: application/json, */*;q=0.1 -H User-Agent: me $URL/none\n"
        ).linuxOnly(addsFields),
    ])
    func `--offline and --curl print the request without sending it`(test: ShellTest) async throws {
        try await test.check()
    }

    @Test(arguments: [
        ShellTest("items --expect 3 --count $URL/teas", output: "3\n"),
        ShellTest("items --limit 2 --expect 2 $URL/teas", output: "Assam\nSencha\n"),
        ShellTest("items --expect 1+ --limit 1 $URL/teas", output: "Assam\n"),
    ])
    func `--expect checks the number of items`(test: ShellTest) async throws {
        try await test.check()
    }
}
