import Foundation
import MockTransport
import RESTClientHTTP

/// Replies for the messages about retries, redirects and pages.
extension MessageServer {
    @RouteBuilder static var retries: [Route] {
        Route("/busy") {
            Reply.status(503)
            json(#"{"items": ["a"]}"#).repeats()
        }
        Route("/later") { Reply.status(503).header(.retryAfter, "30") }
        Route("/soon") { Reply.status(503).header(.retryAfter, "1") }
        Route("/broken-off") {
            json(#"{"items": ["a", "b"], "total": 2}"#).fault(.close(.inBody(after: 16)))
            json(#"{"items": ["a", "b"], "total": 2}"#).repeats()
        }
    }

    @RouteBuilder static var redirects: [Route] {
        for (path, target) in [
            ("nowhere", "http://["), ("no-name", "http:///items"), ("port", "http://a.example:99999/"),
            ("user", "http://me:pw5ecret@a.example/"), ("plain", "http://a.example/items"),
        ] {
            Route("/to-\(path)") { Reply.redirect(to: target) }
        }
        Route("/ranges", .header("X-Start")) { Reply.redirect(to: "http://other.example/ranges") }
        Route("/ranges") { json(#"{"items": ["a"]}"#).header("X-Next", "b") }
    }

    /// Lists of two pages in several conventions.
    @RouteBuilder static var conventions: [Route] {
        Route("/linked", .query("page", "2")) { json(#"{"items": ["b"]}"#) }
        Route("/linked") { json(#"{"items": ["a"]}"#).header(.link, #"</linked?page=2>; rel="next""#) }
        Route("/named", .query("page", "2")) { json(#"{"items": ["b"]}"#) }
        Route("/named") { json(#"{"items": ["a"]}"#).header("X-Next-Page", "2") }
        Route("/offsets", .query("offset", "1")) { json(#"{"items": ["b"], "total": 2}"#) }
        Route("/offsets") { json(#"{"items": ["a"], "total": 2}"#) }
        Route("/last", .query("after", "1")) { json(#"{"items": [{"id": 2}], "more": false}"#) }
        Route("/last") { json(#"{"items": [{"id": 1}], "more": true}"#) }
        Route("/rest", .header("Range", "id b..")) { json(#"{"items": ["b"]}"#) }
        Route("/rest") { json(#"{"items": ["a"]}"#).header("Next-Range", "id b..") }
        Route("/up-to-last", .query("page", "2")) { json(#"{"items": ["b"]}"#) }
        Route("/up-to-last") {
            json(#"{"items": ["a"]}"#).header(.link, #"</up-to-last?page=2>; rel="last""#)
        }
        Route("/full", .query("page", "2")) { json(#"{"items": ["c"], "page": 2, "per_page": 2}"#) }
        Route("/full") { json(#"{"items": ["a", "b"], "page": 1, "per_page": 2}"#) }
        Route("/guessed") { request in
            let isFirst = request.query.isEmpty || request.query["page"] != nil
            return .json(["items": [isFirst ? "a" : "b"], "total": 2])
        }
    }

    @RouteBuilder static var incomplete: [Route] {
        Route("/graphql") { json(#"{"data": {"all": ["a"]}, "errors": [{"message": "b is\nunavailable"}]}"#) }
        Route("/search") { json(#"{"items": ["a"], "timed_out": true}"#) }
    }

    /// First pages whose next page cannot be requested.
    @RouteBuilder static var unfollowed: [Route] {
        let replies: [(path: String, members: String)] = [
            ("ftp", #""next": "ftp://a.example/items""#),
            ("user", #""next": "http://me:pw5ecret@a.example/items""#), ("loop", #""next": "/next/loop""#),
            ("bracket", #""next": "http://[""#), ("number", #""next": 2"#), ("text", #""next": "abc""#),
            ("negative", #""total": -1"#), ("maybe", #""next": "b", "more": "maybe""#),
            ("opposite", #""next": "b", "isLast": false"#), ("more", #""has_more": true"#),
            ("url", #""next": "/next/url?cursor=x9""#),
            ("large", #""next": "\#(String(repeating: "x", count: 70_000))""#),
            (
                "many",
                (0..<1_000).map { #""member \#($0)": "\#(String(repeating: "x", count: 100))""# }
                    .joined(separator: ",")
            ),
        ]
        for (path, members) in replies {
            Route("/next/\(path)") { json("{\"items\": [\"a\"], \(members)}") }
        }
        Route("/next/link") { json(#"{"items": ["a"]}"#).header(.link, #"<http://[>; rel="next""#) }
        Route("/next/part") {
            Reply.data(Data(#"{"items": ["a"]}"#.utf8), as: .json, status: 206)
                .header("Content-Range", "items 0-0/5")
        }
    }

    /// Lists with a second page that contradicts the first.
    @RouteBuilder static var contradicting: [Route] {
        Route("/empty-page", .query("offset", "1")) { json(#"{"items": [], "total": 3}"#) }
        Route("/empty-page") { json(#"{"items": ["a"], "total": 3}"#) }
        Route("/from-zero", .query("page", "2")) { json(#"{"items": [], "total_pages": 2}"#) }
        Route("/from-zero") { json(#"{"items": ["a"], "total_pages": 2}"#) }
        Route("/too-many", .query("after", "x")) {
            json(#"{"items": ["b", "c", "d", "e", "f"], "total": 4}"#)
        }
        Route("/too-many") { json(#"{"items": ["a"], "total": 4, "next": "/too-many?after=x"}"#) }
    }
}
