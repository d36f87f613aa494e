import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import items

@Suite struct CookieTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// Returns the cookie that a server at `from` sets, as a line of a file.
    private func line(_ text: String, from url: String = "https://shop.example/a/b") throws -> String? {
        let url = try #require(URL(string: url))
        return Cookie.cookies(in: [.setCookie: text], from: url, now: Self.now).first?.line
    }

    @Test(arguments: [
        ("a=1", "shop.example\tFALSE\t/a\tFALSE\t0\ta\t1"),
        (" a = b=c ; Path=/x; Secure; HttpOnly", "#HttpOnly_shop.example\tFALSE\t/x\tTRUE\t0\ta\tb=c"),
        ("a=1; path=x", "shop.example\tFALSE\t/a\tFALSE\t0\ta\t1"),
        ("a=1; Domain=.Shop.Example", ".shop.example\tTRUE\t/a\tFALSE\t0\ta\t1"),
        ("a=; Max-Age=60", "shop.example\tFALSE\t/a\tFALSE\t1800000060\ta\t"),
        (
            "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "shop.example\tFALSE\t/a\tFALSE\t1800000060\ta\t1"
        ),
        ("a=1; Expires=Wed, 09-Jun-2027 10:18:14 GMT", "shop.example\tFALSE\t/a\tFALSE\t1812536294\ta\t1"),
        ("a=1; Expires=Wed, 9 Jun 27 10:18:14 GMT", "shop.example\tFALSE\t/a\tFALSE\t1812536294\ta\t1"),
        ("a=\u{301}1;\u{301}; Path=/", "shop.example\tFALSE\t/\tFALSE\t0\ta\t\u{301}1"),
        ("a=1; Expires=tomorrow", "shop.example\tFALSE\t/a\tFALSE\t0\ta\t1"),
        ("a=1; Domain=other.example", nil), ("a=1; Domain=example", nil), ("a", nil), ("=1", nil), ("", nil),
        ("a=1\u{1}", nil),
    ])
    func `a field sets a cookie`(text: String, expected: String?) throws {
        #expect(try line(text) == expected)
    }

    @Test func `fields that are joined with commas set several cookies`() throws {
        let url = try #require(URL(string: "http://shop.example/"))
        let fields: HTTPHeaders = [.setCookie: "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=2,3, c=4"]
        let cookies = Cookie.cookies(in: fields, from: url, now: Self.now)
        #expect(cookies.map { "\($0.name)=\($0.value)" } == ["a=1", "b=2,3", "c=4"])
    }

    @Test(arguments: [
        ("shop.example\tFALSE\t/\tFALSE\t0\ta\t1", "http://SHOP.example", true),
        ("shop.example\tFALSE\t/\tFALSE\t0\ta\t1", "http://a.shop.example/", false),
        (".shop.example\tTRUE\t/\tFALSE\t0\ta\t1", "http://a.shop.example/", true),
        (".shop.example\tTRUE\t/\tFALSE\t0\ta\t1", "http://workshop.example/", false),
        (".0.0.1\tTRUE\t/\tFALSE\t0\ta\t1", "http://127.0.0.1/", false),
        ("shop.example\tFALSE\t/a\tFALSE\t0\ta\t1", "http://shop.example/a", true),
        ("shop.example\tFALSE\t/a\tFALSE\t0\ta\t1", "http://shop.example/a/b", true),
        ("shop.example\tFALSE\t/a/\tFALSE\t0\ta\t1", "http://shop.example/a/b", true),
        ("shop.example\tFALSE\t/a\tFALSE\t0\ta\t1", "http://shop.example/ab", false),
        ("shop.example\tFALSE\t/\tTRUE\t0\ta\t1", "http://shop.example/", false),
        ("#HttpOnly_shop.example\tFALSE\t/\tTRUE\t0\ta\t1", "https://shop.example/", true),
    ])
    func `a cookie is sent to its host, path and scheme`(line: String, url: String, isSent: Bool) throws {
        let cookie = try #require(Cookie.cookies(inLine: line)?.first)
        #expect(cookie.isSent(to: try #require(URL(string: url))) == isSent)
        #expect(cookie.line == line)
    }

    @Test(arguments: [
        ("http://shop.example:80/", true), ("http://shop.example:8080/", false),
        ("https://shop.example/", false),
    ])
    func `a cookie of the command line is sent only to the port of the URL`(url: String, isSent: Bool) throws
    {
        let cookie = Cookie(
            name: "a", value: "1", domain: "shop.example",
            port: try #require(URL(string: "http://shop.example/")).portOrDefault)
        #expect(cookie.isSent(to: try #require(URL(string: url))) == isSent)
    }

    @Test(arguments: ["", "# comment", "  "]) func `a comment has no cookies`(line: String) {
        #expect(Cookie.cookies(inLine: line) == [])
    }

    @Test(arguments: ["a=1", "{}", "shop.example\tFALSE\t/\tFALSE\tsoon\ta\t1"])
    func `another line is not a cookie`(line: String) { #expect(Cookie.cookies(inLine: line) == nil) }
}

@Suite(.hangLimit) struct CookieOptionTests {
    /// A list of the cookies of the request, on two pages after a redirect, each of which sets one.
    private static let server = #"""
        cat > jar <<'END'
        # Netscape HTTP Cookie File
        127.0.0.1	FALSE	/	FALSE	0	old	1
        127.0.0.1	FALSE	/	FALSE	1	gone	1
        END

        """#

    @Test(arguments: [
        ShellTest(
            "items -b 'sid=1; b=2' -b c=3 $URL/cookies",
            output: "sid=1; b=2; c=3; start=1\nsid=1; b=2; c=3; start=1; page=1\n"),
        ShellTest(
            "items -H 'Cookie: h=1' -b '' $URL/cookies", output: "h=1; start=1\nh=1; start=1; page=1\n"),
        ShellTest("items -H 'Cookie: h=1' $URL/cookies/2", output: "h=1\n"),
        ShellTest(
            "items -b 'a=1; flag; ' -c new $URL/cookies/2; cut -f 6,7 new | tail -n +2",
            output: "a=1; flag\na\t1\n"),
        ShellTest(
            "items -c new $URL/cookies | tail -1; items -b new $URL/cookies/2; cut -f 6,7 new | tail -n +2; stat -c %a new",
            output: "start=1; page=1\nstart=1; page=1\nstart\t1\npage\t1\n600\n"),
        ShellTest(
            server + "items -b jar -c jar $URL/cookies | tail -1; cut -f 6 jar | tail -n +2",
            output: "old=1; start=1; page=1\nold\nstart\npage\n"),
        ShellTest("items -b new -c new $URL/cookies | tail -1", output: "start=1; page=1\n"),
        ShellTest(
            "items -v -b sid=s3cret $URL/cookies 2>&1 >/dev/null | grep -c s3cret", exit: .failure,
            output: "0\n"),
        ShellTest("items --offline -b sid=s3cret $URL/cookies | grep Cookie", output: "Cookie: sid=***\n"),
        ShellTest("items --offline -b 'a=🏽;🏽' $URL/cookies | grep -c Cookie", output: "1\n"),
        ShellTest(
            "items --cookie jar --cookie-jar new $URL/", exit: .noInput,
            error: "cannot read jar: No such file or directory",
            hint: "check the path of -b, or pass a cookie as NAME=VALUE"),
        ShellTest(
            "items -b \"$(printf 'sid=a\\rb')\" $URL/cookies", exit: .usage,
            error: "a cookie of -b contains a control character",
            hint: "pass NAME=VALUE, or the name of a file"),
        ShellTest(
            "echo '{}' > jar; items -b jar $URL/cookies", exit: .usage,
            error: "jar, line 1, is not a cookie in the format of Netscape",
            hint: "pass a file that -c has written, or a cookie: -b NAME=VALUE"),
        ShellTest(
            "echo '{}' > f.json; items -c f.json $URL/cookies || cat f.json", output: "{}\n",
            error: "f.json is not a file of cookies", hint: "use the path of a new file, which items creates"),
        ShellTest(
            "echo '# notes' > f; ln -s f link; items -c link $URL/cookies || cat f", output: "# notes\n",
            error: "link is not a file of cookies", hint: "use the path of a new file, which items creates"),
        ShellTest(
            "echo '# HTTP Cookie File' > jar; items -c jar $URL/cookies/1 | tail -1; cut -f 6 jar | tail -n +2",
            output: "page=1\npage\n"),
        ShellTest(
            server + "tail -n +2 jar > old; items -c old $URL/cookies/1 | tail -1; cut -f 6 old | tail -n +2",
            output: "page=1\npage\n"),
        ShellTest("touch jar; items -c jar $URL/cookies/1 | tail -1; wc -l < jar", output: "page=1\n2\n"),
        ShellTest("items -c /dev/null $URL/cookies/1 | tail -1", output: "page=1\n"),
        // An open file is not replaced, and keeps its contents and its mode: that of /dev/null is important.
        ShellTest(
            "echo a > f; chmod 640 f; items -c /dev/fd/3 $URL/cookies/1 3>>f | tail -1; wc -l < f; stat -c %a f",
            output: "page=1\n3\n640\n"),
        ShellTest(
            "items -c no/jar $URL/cookies", exit: .outputFailed,
            error: "cannot write no/jar: No such file or directory"),
    ])
    func `cookies are sent and saved`(test: ShellTest) async throws { try await test.check() }
}
