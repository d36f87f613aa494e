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
    ])
    func `--offline prints the request without sending it`(test: ShellTest) async throws {
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
