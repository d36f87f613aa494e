import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport

extension RobustnessCase {
    static let redirects: [Self] =
        [
            server("a loop", 6, message: "too many redirects (10)") { _ in RawResponse.redirect("/") },
            server("11 redirects", 6, message: "too many redirects (10)") { path in
                let hop = Int(path.dropFirst()) ?? 0
                return hop == 11 ? RawResponse.reply(RawResponse.list) : RawResponse.redirect("/\(hop + 1)")
            },
            server("10 redirects", 0, output: "a\n") { path in
                let hop = Int(path.dropFirst()) ?? 0
                return hop == 10 ? RawResponse.reply(RawResponse.list) : RawResponse.redirect("/\(hop + 1)")
            },
            server("302 without Location", 3, message: "HTTP 302") { _ in
                RawResponse.reply("", status: "302 Found")
            },
            Self(
                input: "user info in Location with `-v` (not logged)", code: 6,
                method: .responses(["-v"]) { _ in RawResponse.redirect("http://me:pw5ecret@127.0.0.1/") },
                message: "a user name or password"),
        ]
        + ["file:///etc/passwd", "ftp://example.com/", "data:,x", "javascript:alert(1)"].map { target in
            server("to `\(target)`", 6, message: "the target is not an HTTP URL") { _ in
                RawResponse.redirect(target)
            }
        }
        + [
            Self(
                input: "to another origin: `Authorization`, `Cookie` and custom headers are dropped",
                code: 0, method: .run(otherOrigin), output: "a\n")
        ]

    /// Ends with 99 if the other origin receives a credential.
    @Sendable private static func otherOrigin() async throws -> Program.Run {
        let other = try RawServer { _ in RawResponse.reply(RawResponse.list) }
        let target = try other.url("/there").absoluteString
        let server = try RawServer { _ in RawResponse.redirect(target) }
        var run = try await Program.items(
            ["-u", "me:pw5ecret", "-H", "Cookie: id=pw5ecret", "-H", "X-Key: pw5ecret"],
            at: try server.url("/"))
        let received = server.requests.joined()
        let isSentToOrigin = received.contains("X-Key: pw5ecret") && received.contains("Authorization: Basic")
        let seen = other.requests.joined().lowercased()
        let isDropped =
            !seen.contains("pw5ecret") && !seen.contains("authorization") && seen.hasPrefix("get /there")
        if !isSentToOrigin || !isDropped { run.status = 99 }
        return run
    }

    private static func leading(to next: String, _ item: String = "a") -> [RawServer.Action] {
        RawResponse.reply("{\"items\":[\"\(item)\"],\"next\":\"\(next)\"}")
    }

    /// Serves a first page with the given `Link` header, and a second page.
    private static func linked(_ link: String) -> @Sendable (String) -> [RawServer.Action] {
        { path in
            path == "/"
                ? RawResponse.reply(RawResponse.list, fields: ["Link: \(link)"])
                : RawResponse.reply(#"{"items":["b"]}"#)
        }
    }

    private static let onPage2 = "resume with the URL"

    static let pages: [Self] = [
        server("the next page is the page itself", 8, message: "loop") { _ in leading(to: "/") },
        server("page A links to B and B to A", 8, message: "loop", output: "a\nb\n") { path in
            path == "/b" ? leading(to: "/", "b") : leading(to: "/b")
        },
        server("endless pages", 9, message: "more than 30 pages", "--max-pages", "30") { path in
            leading(to: "/\((Int(path.dropFirst()) ?? 0) + 1)", "tea \(path)")
        },
        server("endless pages with the same items", 8, message: "the pages form a loop") { path in
            leading(to: "/\((Int(path.dropFirst()) ?? 0) + 1)")
        },
        server("the next page is at another origin", 8, message: "another origin", output: "a\n") { _ in
            leading(to: "http://127.0.0.1:9/")
        },
        server(
            "page 2 is HTML", 8, message: "(1 item printed)", hint: onPage2,
            output: "a\n"
        ) { path in
            path == "/2" ? RawResponse.reply("<!doctype html>", type: "text/html") : leading(to: "/2")
        },
        server(
            "page 2 is a 500", 5, message: "(1 item printed)", hint: onPage2,
            output: "a\n"
        ) { path in
            path == "/2" ? RawResponse.reply("", status: "500 Oh") : leading(to: "/2")
        },
        server("`rel` without quotes", 0, output: "a\nb\n", answer: linked("</2>; rel=next")),
        server("several values in `rel`", 0, output: "a\nb\n", answer: linked("</2>; rel=\"last next\"")),
        server(
            "commas in the URL of a link", 0, output: "a\nb\n",
            answer: linked("</2?x=1,2>; rel=next, </>; rel=first")),
        server(
            "brackets in the URL of a next page, with percent-encoded characters", 0, output: "a\nb\n"
        ) { path in
            switch path {
            case "/": leading(to: "/2?page[number]=2&q=a%20b")
            case "/2?page%5Bnumber%5D=2&q=a%20b": RawResponse.reply(#"{"items":["b"]}"#)
            default: RawResponse.reply("", status: "404 Not Found")
            }
        },
        server(
            "a next page with a URL of one megabyte", 8, message: "too large", output: "a\n"
        ) { _ in leading(to: "/" + String(repeating: "a", count: 1_000_000)) },
        server("a next page that is an object", 8, message: "\"next\" is {", output: "a\n") { _ in
            RawResponse.reply(#"{"items":["a"],"next":{"at":{"page":2}}}"#)
        },
        server("a page count that overflows", 8, message: "not a count", output: "a\n") { _ in
            RawResponse.reply(#"{"items":["a"],"page":1,"total_pages":1e30}"#)
        },
        server("a relative next page", 0, output: "a\nb\n", answer: linked("<?p=2>; rel=next")),
    ]

    /// Replies to a request with `first`, and to all others with a list. The run fails if the server receives another
    /// number of requests than `count`.
    private static func retry(
        _ input: String, _ code: Int32, message: String = "", output: String? = nil, requests count: Int,
        arguments: [String] = [], first: [RawServer.Action]
    ) -> Self {
        Self(
            input: input, code: code,
            method: .run {
                let isFirst = LockedState(true)
                let server = try RawServer { _ in
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    return isFirst ? first : RawResponse.reply(RawResponse.list)
                }
                var run = try await Program.items(arguments, at: try server.url("/"))
                if server.requests.count != count { run.status = 100 + Int32(server.requests.count) }
                return run
            }, message: message, output: output)
    }

    private static func busy(_ fields: String...) -> [RawServer.Action] {
        RawResponse.reply("", status: "503 Busy", fields: fields)
    }

    static let retry: [Self] =
        ["-1", "abc", "Wed, 21 Oct 2015 07:28:00 GMT"].map { value in
            retry(
                "`Retry-After: \(value)`: the backoff is used", 0, output: "a\n", requests: 2,
                first: busy("Retry-After: \(value)"))
        } + [
            retry(
                "`Retry-After: 1000000000`: no retry", 5, message: "HTTP 503", requests: 1,
                first: busy("Retry-After: 1000000000")),
            retry(
                "`Retry-After` as a date: one second after the server's `Date`", 0, output: "a\n",
                requests: 2,
                first: busy(
                    "Date: Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After: Wed, 21 Oct 2015 07:28:01 GMT")),
            retry(
                "503 on a POST: sent once", 5, message: "HTTP 503", requests: 1,
                arguments: ["-X", "POST", "-d", "{}"], first: busy()),
            retry(
                "a reset in the body after the first item: continued after it", 0, output: "a\n",
                requests: 2,
                first: [.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"items\":[\"a\","), .reset]),
            retry(
                "a reset in the body before the first item: retried", 0, output: "a\n", requests: 2,
                first: [.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"items\":["), .reset]),
            Self(
                input: "an interrupt during a wait of an hour", code: 130,
                method: .run {
                    let server = try RawServer { _ in busy("Retry-After: 3600") }
                    return try await Program.shell(
                        """
                        mkfifo "$HOME/events.$$"; trap 'rm -f "$HOME/events.$$"' EXIT
                        env --default-signal=INT "$items" -v --retry-max-time 99999 "$URL" 2> "$HOME/events.$$" &
                        while read -r line; do case $line in *waiting*) kill -INT $!; break;; esac; done < "$HOME/events.$$"
                        wait $!
                        """, environment: ["URL": try server.url("/").absoluteString])
                }
            ).linuxOnly("env of BSD has no option --default-signal"),
        ]
}
