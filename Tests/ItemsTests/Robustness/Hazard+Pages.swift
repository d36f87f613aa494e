import Foundation
import RESTClientTestSupport

extension Hazard {
    private static func redirect(
        _ input: String, _ code: Int32, says: String = "", prints: String? = nil,
        answer: @escaping @Sendable (String) -> [RawServer.Action]
    ) -> Self {
        Self(
            topic: .redirects, input: input, code: code, trial: .wire([], answer), says: says, prints: prints)
    }

    static let redirects: [Self] =
        [
            redirect("a loop", 6, says: "more than 10 redirects") { _ in Wire.redirect("/") },
            redirect("11 hops", 6, says: "more than 10 redirects") { path in
                let hop = Int(path.dropFirst()) ?? 0
                return hop == 11 ? Wire.reply(Wire.list) : Wire.redirect("/\(hop + 1)")
            },
            redirect("10 hops", 0, prints: "a\n") { path in
                let hop = Int(path.dropFirst()) ?? 0
                return hop == 10 ? Wire.reply(Wire.list) : Wire.redirect("/\(hop + 1)")
            },
            redirect("302 without Location", 3, says: "HTTP 302") { _ in Wire.reply("", status: "302 Found")
            },
            Self(
                topic: .redirects, input: "user info in Location, with `-v`: not logged", code: 6,
                trial: .wire(["-v"]) { _ in Wire.redirect("http://me:pw5ecret@127.0.0.1/") },
                says: "user info"),
        ]
        + ["file:///etc/passwd", "ftp://example.com/", "data:,x", "javascript:alert(1)"].map { target in
            redirect("to `\(target)`", 6, says: "the target is not an HTTP URL") { _ in Wire.redirect(target)
            }
        }
        + [
            Self(
                topic: .redirects, input: "from https to http", code: 6,
                trial: .test("a redirect from HTTPS to HTTP is an error")),
            Self(
                topic: .redirects,
                input: "to another origin: no `Authorization`, `Cookie` or header of the caller's goes along",
                code: 0, trial: .run(otherOrigin), prints: "a\n"),
            Self(
                topic: .redirects, input: "relative: `c`, `../c`, `?p=2`, `//host/x`", code: 0,
                trial: .test("a target is resolved as RFC 3986 says")),
            Self(
                topic: .redirects, input: "303 becomes GET", code: 0,
                trial: .test("a POST that is sent elsewhere by 303 becomes a GET without a body")),
            Self(
                topic: .redirects, input: "307 and 308 keep method and body", code: 0,
                trial: .test("307 and 308 keep method and body")),
        ]

    /// Fails with 99 where the other origin sees what is not its own.
    @Sendable private static func otherOrigin() async throws -> Program.Run {
        let other = try RawServer { _ in Wire.reply(Wire.list) }
        let target = try other.url("/there").absoluteString
        let server = try RawServer { _ in Wire.redirect(target) }
        var run = try await Program.items(
            ["-u", "me:pw5ecret", "-H", "Cookie: id=pw5ecret", "-H", "X-Key: pw5ecret"],
            at: try server.url("/"))
        let asked = server.requests.joined()
        let isSentHome = asked.contains("X-Key: pw5ecret") && asked.contains("Authorization: Basic")
        let seen = other.requests.joined().lowercased()
        let isKept =
            !seen.contains("pw5ecret") && !seen.contains("authorization") && seen.hasPrefix("get /there")
        if !isSentHome || !isKept { run.status = 99 }
        return run
    }

    private static func page(
        _ input: String, _ code: Int32, says: String = "", hints: String = "", prints: String? = nil,
        answer: @escaping @Sendable (String) -> [RawServer.Action]
    ) -> Self {
        Self(
            topic: .pages, input: input, code: code, trial: .wire([], answer), says: says, hints: hints,
            prints: prints)
    }

    private static func leading(to next: String, _ item: String = "a") -> [RawServer.Action] {
        Wire.reply("{\"items\":[\"\(item)\"],\"next\":\"\(next)\"}")
    }

    /// Page 1 links to page 2 in a header written so.
    private static func linked(_ link: String) -> @Sendable (String) -> [RawServer.Action] {
        { path in
            path == "/" ? Wire.reply(Wire.list, fields: ["Link: \(link)"]) : Wire.reply(#"{"items":["b"]}"#)
        }
    }

    private static let onPage2 = "it stopped on page 2; --resume-file FILE lets a run go on"

    static let pages: [Self] = [
        page("the next page is the page itself", 8, says: "loop") { _ in leading(to: "/") },
        page("A leads to B and B to A", 8, says: "loop", prints: "a\nb\n") { path in
            path == "/b" ? leading(to: "/", "b") : leading(to: "/b")
        },
        page("pages without an end", 9, says: "more than 1000 pages") { path in
            leading(to: "/\((Int(path.dropFirst()) ?? 0) + 1)")
        },
        page("the next page is at another origin", 8, says: "another origin", prints: "a\n") { _ in
            leading(to: "http://127.0.0.1:9/")
        },
        page(
            "page 2 is HTML", 8, says: "the item printed is not the whole list", hints: onPage2,
            prints: "a\n"
        ) { path in
            path == "/2" ? Wire.reply("<!doctype html>", type: "text/html") : leading(to: "/2")
        },
        page(
            "page 2 is a 500", 5, says: "the item printed is not the whole list", hints: onPage2,
            prints: "a\n"
        ) { path in
            path == "/2" ? Wire.reply("", status: "500 Oh") : leading(to: "/2")
        },
        page("`rel` without quotes", 0, prints: "a\nb\n", answer: linked("</2>; rel=next")),
        page("several values in `rel`", 0, prints: "a\nb\n", answer: linked("</2>; rel=\"last next\"")),
        page(
            "commas in the URL of a link", 0, prints: "a\nb\n",
            answer: linked("</2?x=1,2>; rel=next, </>; rel=first")),
        page(
            "brackets in the URL of a next page, and what is encoded beside them", 0, prints: "a\nb\n"
        ) { path in
            switch path {
            case "/": leading(to: "/2?page[number]=2&q=a%20b")
            case "/2?page%5Bnumber%5D=2&q=a%20b": Wire.reply(#"{"items":["b"]}"#)
            default: Wire.reply("", status: "404 Not Found")
            }
        },
        page(
            "a next page whose URL is a megabyte long", 8, says: "too large", prints: "a\n"
        ) { _ in leading(to: "/" + String(repeating: "a", count: 1_000_000)) },
        page("a next page that is no URL, but an object", 8, says: "\"next\" is {", prints: "a\n") { _ in
            Wire.reply(#"{"items":["a"],"next":{"page":2}}"#)
        },
        page("a number of pages that no number holds", 8, says: "not a count", prints: "a\n") { _ in
            Wire.reply(#"{"items":["a"],"page":1,"total_pages":1e30}"#)
        },
        page("a relative next page", 0, prints: "a\nb\n", answer: linked("<?p=2>; rel=next")),
    ]

    static let retry: [Self] = [
        (
            "`Retry-After: -1`, `abc`, or a date that has passed: the backoff instead", 5,
            "an invalid or past Retry-After is no delay"
        ),
        (
            "`Retry-After: 1000000000`: the answer stands", 5,
            "a Retry-After above the maximum returns the response at once"
        ),
        (
            "`Retry-After` as a date", 0,
            "a Retry-After date uses the server's clock, or the client's without a Date"
        ),
        ("503 on a POST: sent once", 5, "a POST without an idempotency key is sent once"),
        (
            "a reset in the body, behind the first item: not sent again", 8,
            "what fails behind the first item is not"
        ),
        (
            "a reset in the body, before the first item: sent again", 0,
            "what fails before the first item is out is tried again"
        ),
        (
            "a call cancelled during its backoff: prompt", 130,
            "cancellation during the backoff ends the call at once"
        ),
    ].map { input, code, test in Self(topic: .retry, input: input, code: Int32(code), trial: .test(test)) }
}
