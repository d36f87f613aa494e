import Foundation
import MockTransport
import RESTClientHTTP

/// A mock server with routes for all kinds of lists and failures.
enum FixtureServer {
    static func make() -> MockServer { MockServer { routes } }

    /// The routes of all servers, because it takes long to parse their patterns.
    private static let routes = all

    @RouteBuilder private static var all: [Route] {
        lists
        pages
        failures
        Route("/seen") { request in
            let names: [HTTPHeaders.Name] = ["Authorization", "Accept", "User-Agent", "X-Caller"]
            return .json(["items": names.map { "\($0): \(request.headers[$0] ?? "-")" }])
        }
        Route("/echo") { request in
            let type = request.headers[.contentType] ?? "-"
            let query = request.url.query(percentEncoded: true) ?? "-"
            return .json(["items": ["\(request.method)", "\(type)", "\(query)", "\(request.text)"]])
        }
        Route("http://tea.example/proxy") { Reply.status(407) }
        Route("/redirect") { Reply.redirect(to: "/teas") }
        // The cookies of the request, on two pages after a redirect; the redirect and the first page set one.
        Route("/cookies") {
            Reply.redirect(to: "/cookies/1").header(.setCookie, "start=1; Path=/")
        }
        Route("/cookies/:page<Int>") { request in
            let page = Reply.json(["items": [request.headers[.cookie] ?? "-"]])
            guard request["page", as: Int.self] == 1 else { return page }
            return page.header(.link, "</cookies/2>; rel=next").header(.setCookie, "page=1; Path=/")
        }
        Route("/redirects") { Reply.redirect(to: "/redirect") }
        Route("/nowhere") { Reply.status(302) }
        Route("/limited") {
            Reply.json(["ok": false, "error": "ratelimited", "retry_after_ms": 10])
            Reply.json(["items": ["a"]]).repeats()
        }
        Route("/busy") {
            Reply.status(503)
            Reply.status(503)
            Reply.json(teas).repeats()
        }
        Route("/soon") {
            Reply.status(429).header(.retryAfter, "1")
            Reply.json(teas).repeats()
        }
        Route("/stall") { Reply.json(teas).fault(.stall(.inBody(after: 18))) }
        Route("/silent") { Reply.json(teas).fault(.stall(.beforeHead)) }
        Route("/reset") { Reply.fault(.reset(.beforeHead)) }
    }

    static let teas: JSONLiteral = ["items": ["Assam", "Sencha", "Genmaicha"]]

    /// Objects with different members, and text that is wide, empty or contains quotes.
    static let people = #"""
        {"items": [
            {"name": "Ada", "age": 36, "home": {"city": "London"}},
            {"name": "李小龍", "age": 7, "home": {"city": "a, \"b\""}},
            {"name": "e\u0301lan", "age": 101, "home": null},
            {"name": "two\nlines", "home": {"city": ""}}
        ]}
        """#

    @RouteBuilder private static var lists: [Route] {
        Route("/teas") { Reply.json(teas) }
        Route("/none") { Reply.json(["items": []]) }
        Route("/map") { Reply.data(Data(#"{"users": {"a": {"n": 1}, "b": 2}}"#.utf8), as: .json) }
        Route("/lines", .query("page", "2")) {
            Reply.data(Data("{\"id\":3}\n".utf8), as: MediaType(rawValue: "application/x-ndjson"))
        }
        Route("/lines") {
            Reply.data(Data("{\"id\":1}\n{\"id\":2}".utf8), as: MediaType(rawValue: "application/x-ndjson"))
                .header(.link, "</lines?page=2>; rel=next")
        }
        Route("/document.jsonl") { Reply.json(["items": ["in a document"]]) }
        Route("/values.jsonl") { Reply.data(Data("[1]\n[2]\n".utf8), as: "application/octet-stream") }
        Route("/array") { Reply.json(["a", "b"]) }
        Route(
            "/charges",
            list: PagedList(of: [["id": "a"], ["id": "b"], ["id": "c"]], size: 2, by: .stripe, at: "data"))
        Route("/nested") { Reply.json(["data": ["list": [1, 2.5, true, nil]]]) }
        Route("/people") { Reply.data(Data(people.utf8), as: .json) }
        Route("/hostile") {
            Reply.data(
                Data(#"{"items": ["plain", "\u001b[2J", "two\nlines", "-n", "\"x\"", "a\u0000b", ""]}"#.utf8),
                as: .json)
        }
        Route("/mixed") { Reply.json(["items": [["a": 1], ["a": 2, "b": "x"], ["b": "y"]]]) }
        Route("/formulas") { Reply.json(["items": [["a": "=1+1", "b": -1]]]) }
        Route("/unmatchedCount") { Reply.json(["items": [["a": 1], ["a": 2, "b": 3], "text"]]) }
    }

    private static let letters = ["a", "b", "c", "d", "e"]

    private static var flagged: PagedList {
        var list = PagedList(of: letters, size: 2, by: .token(at: "next", parameter: "after", last: "isLast"))
        list.end = .kept
        return list
    }

    private static let scrolled = PagedList(
        of: letters, size: 2,
        by: .scroll(at: "id", parameter: "scroll", url: "scrolled/more", body: ["a": [1]]))

    @RouteBuilder private static var pages: [Route] {
        Route("/numbered") { request in
            let page = request.query["page"].flatMap { Int($0) } ?? 1
            return .json(["items": ["item \(page)"], "page": .value(page), "total_pages": 3])
        }
        Route("/quota", .query("p", "2")) { Reply.json(["items": ["b"]]) }
        Route("/quota") {
            Reply.json(["items": ["a"]]).header(.link, "</quota?p=2>; rel=\"next\"")
                .header("X-RateLimit-Remaining", "0").header("X-RateLimit-Reset-After", "1")
        }
        Route("/linked") { request in
            let reply = Reply.json(["items": ["item \(request.query["p"] ?? "1")"]])
            return request.query["p"] == "2" ? reply : reply.header(.link, "</linked?p=2>; rel=\"next\"")
        }
        Route("/next") { request in
            request.query["p"] == "2"
                ? .json(["items": ["item 2"], "more": nil])
                : .json(["items": ["item 1"], "more": "/next?p=2"])
        }
        Route("/tokens") { request in
            request.query["after"] == "t2"
                ? .json(["items": ["item 2"]]) : .json(["items": ["item 1"], "meta": ["after": "t2"]])
        }
        Route("/offsets") { request in
            let offset = request.query["skip"].flatMap { Int($0) } ?? 0
            return .json(["items": ["item \(offset + 1)"], "count": 2])
        }
        Route(.post, "/posted") { request in
            let isSecond = request.text.contains(#""start_cursor":"c2""#)
            return request.text.contains("tea")
                ? .json(["results": [isSecond ? "b" : "a"], "next_cursor": isSecond ? nil : "c2"])
                : .status(400)
        }
        Route("/opaque-next") { request in
            request.query["after"] == "abc"
                ? .json(["items": ["b"]]) : .json(["items": ["a"], "next": "abc"])
        }
        Route("/flagged", list: flagged)
        Route(.post, "/scrolled", list: scrolled)
        Route(.post, "/scrolled/more", list: scrolled)
        Route("/zones", list: PagedList(of: letters, size: 2, by: .cloudflare, at: "result"))
        Route("/users", list: PagedList(of: letters, size: 2, by: .scim, at: "Resources"))
        // Five letters on pages of two. The page at offset 2 breaks off once.
        Route("/slices", .query("offset", "2")) {
            Reply.data(Data(#"{"items": ["c", "d"#.utf8), as: .json)
            Reply.json(["items": ["c", "d"], "total": 5]).repeats()
        }
        Route("/slices") { request in
            let offset = request.query["offset"].flatMap { Int($0) } ?? 0
            let letters = ["a", "b", "c", "d", "e"].dropFirst(offset).prefix(2)
            return .json(["items": .value(Array(letters)), "total": 5])
        }
        // The second page fails once.
        Route("/flaky", .query("page", "2")) {
            Reply.text("not now", status: 500)
            Reply.json(["items": ["c"], "page": 2, "total_pages": 2]).repeats()
        }
        Route("/flaky") { Reply.json(["items": ["a", "b"], "page": 1, "total_pages": 2]) }
    }

    @RouteBuilder private static var failures: [Route] {
        Route("/missing") { Reply.text("no such collection", status: 404) }
        Route("/cut") { Reply.data(Data(#"{"items": ["a", "b"#.utf8), as: .json) }
    }
}
