import Foundation
import MockTransport
import RESTClient
import Testing

/// Lists of which the server itself says that items are missing.
@Suite struct IncompleteListTests {
    private func client(
        of server: MockServer, at path: MemberPath = "items", allowsIncomplete: Bool = false
    ) throws -> MyRESTClient {
        var listing = ItemListing(at: path)
        listing.allowsIncomplete = allowsIncomplete
        let request = server.manager().request("https://shop.example/items?api_key=hush-hush")
        return MyRESTClient(request, listing: listing)
    }

    private func server(_ body: String) -> MockServer {
        MockServer { Route(.any) { Reply.data(Data(body.utf8), as: .json).repeats() } }
    }

    /// The path of the list, the body, and the text of the error. `LONG` is a long text.
    private static let statements = #"""
        data.search.nodes | {"data": {"search": {"nodes": [1]}}, "errors": [{"message": "timed out"}, {"message": "b"}, "c", "d"]} | timed out; b; c
        data.list | {"errors": [{"code": 7}], "data": {"list": [1], "a": null}} | {"code":7}
        data | {"data": [1], "errors": {"message": "partly"}} | partly
        data.a | {"data": {"a": [1]}, "errors": "no access to b"} | no access to b
        data.a | {"data": {"a": [1]}, "errors": ["LONG"]} | errors
        items | {"total_count": 1, "incomplete_results": true, "items": [1]} | incomplete_results: true
        items | {"items": [1], "incompleteSearch": true} | incompleteSearch: true
        items | {"items": [1], "isIncomplete": true} | isIncomplete: true
        items | {"items": [1], "partial": true, "message": "shard 2 is down", "total": 1} | partial: true, shard 2 is down
        items | {"items": [1], "is_partial": true} | is_partial: true
        items | {"items": [1], "hasPartialResults": true} | hasPartialResults: true
        items | {"items": [1], "truncated": true} | truncated: true
        items | {"items": [1], "truncated": true, "total": 1} | truncated: true
        items | {"items": [1], "resultTruncated": "true"} | resultTruncated: true
        items | {"items": [1], "results_truncated": true} | results_truncated: true
        items | {"items": [1], "timedout": true} | timedout: true
        items | {"meta": {"queryTimedOut": true}, "items": [1]} | meta.queryTimedOut: true
        items | {"items": [1], "stats": {"terminated_early": true}} | stats.terminated_early: true
        response.docs | {"responseHeader": {"partialResults": true}, "response": {"numFound": 1, "docs": [1]}} | responseHeader.partialResults: true
        hits.hits | {"timed_out": true, "_shards": {"total": 5, "failed": 0}, "hits": {"hits": [1]}} | timed_out: true
        hits.hits | {"timed_out": false, "_shards": {"total": 5, "failed": 2}, "hits": {"total": 1, "hits": [1]}} | _shards.failed: 2
        items | {"items": [1], "sources_total": 3, "sources_failures": 1, "total": 1} | sources_failures: 1
        items | {"items": [1], "successful": 3, "failed": 1} | failed: 1
        items | {"success": false, "message": "shard 2 is down", "items": [1]} | shard 2 is down
        data.list | {"request_id": "a-1", "ok": false, "data": {"list": [1]}} | the request failed
        items | {"items": [1], "status": "TIMED_OUT"} | the request failed
        items | {"items": [1], "status": "timeout", "reason": "5 s are over"} | 5 s are over
        items | {"items": [1], "error": {"code": "busy", "message": "region eu did not answer"}} | region eu did not answer (busy)
        result.items | {"result": {"state": "failed", "items": [1]}} | the request failed
        items | {"items": [1], "remark": "runtime error: Query timed out in \"query\" at line 3."} | remark: runtime error: Query timed out in "query" at line 3.
        items | {"items": [1], "messages": [{"severity": "warning", "code": "TRUNCATED", "text": "Refine the query"}]} | messages: TRUNCATED. warning. Refine the query
        items | {"items": [1], "warnings": ["results truncated due to limit"]} | warnings: results truncated due to limit
        items | {"meta": {"completeIndicator": false}, "items": [1]} | meta.completeIndicator: false
        items | {"pagination": {"finished": "false"}, "items": [1]} | pagination.finished: false
        """#.split(separator: "\n").map { row in
            let parts = row.replacing("LONG", with: String(repeating: "x", count: 70_000)).split(
                separator: " | ")
            return (path: MemberPath(String(parts[0])), body: String(parts[1]), text: String(parts[2]))
        }

    @Test(arguments: statements)
    func `a list that its server calls incomplete is an error after its items, unless it is allowed`(
        path: MemberPath, body: String, text: String
    ) async throws {
        let server = server(body)
        let (items, error) = await (try client(of: server, at: path)).items(as: Int.self).collect()
        #expect(items == [1])
        let failure = try #require(error as? RESTClientError)
        #expect(failure.kind == .incompleteList(text))
        #expect(failure.message.contains("https://shop.example/items?api_key=***"))
        #expect(failure.listingProgress?.itemCount == 1)
        #expect(failure.listingProgress?.resume == nil)
        _ = try await RESTClientTests.failure {
            try await client(of: server, at: path).getAvailableItems(as: Int.self)
        }
        let allowing = try client(of: server, at: path, allowsIncomplete: true)
        #expect(try await allowing.getAvailableItems(as: Int.self) == [1])
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [
        #"{"id": 7, "status": "failed", "error": "exit code 1", "items": [1]}"#,
        #"{"name": "build", "state": "timeout", "success": false, "items": [1]}"#,
        #"{"job_id": "b", "ok": false, "items": [1]}"#, #"{"startedAt": 1, "result": "error", "items": [1]}"#,
        #"{"errors": [{"message": "a row was not imported"}], "items": [1]}"#,
        #"{"status": 404, "code": 500, "errno": 3, "items": [1]}"#, #"{"error": 7, "items": [1]}"#,
        #"{"error": null, "errmsg": "ok", "success": true, "state": "no error", "items": [1]}"#,
    ])
    func `the state of a thing with a list is not one of its list`(body: String) async throws {
        #expect(try await client(of: server(body)).getAvailableItems(as: Int.self) == [1])
    }

    @Test func `a full page that is not complete is a part of a list`() async throws {
        let server = server(#"{"items": [1], "complete": false}"#)
        let request = server.manager().request("https://shop.example/items?limit=1")
        let (_, error) = await MyRESTClient(request).items(as: Int.self).collect()
        #expect((error as? RESTClientError)?.kind == .incompleteList("complete: false"))
        #expect(try await client(of: server).getAvailableItems(as: Int.self) == [1])
    }

    @Test func `what the server says precedes a missing next page`() async throws {
        let server = server(#"{"items": [1], "timed_out": true, "total": 5}"#)
        let (items, error) = await (try client(of: server)).items(as: Int.self).collect()
        #expect(items == [1])
        #expect((error as? RESTClientError)?.kind == .incompleteList("timed_out: true"))
        let (_, other) = await (try client(of: server, allowsIncomplete: true)).items(as: Int.self).collect()
        #expect(
            (other as? RESTClientError)?.kind
                == .pagination(.incompleteTotal(received: 1, total: 5, in: "total")))
    }

    @Test
    func `a failure after an incomplete page cannot be resumed, because the rest would appear complete`()
        async throws
    {
        let server = MockServer {
            Route(.any, "/items", .query("page", "2")) { Reply.status(500) }
            Route(.any, "/items") {
                Reply.json(["items": ["a"], "timed_out": true, "next": "/items?page=2"])
            }
        }
        let (items, error) = await (try client(of: server)).items(as: String.self).collect()
        #expect(items == ["a"])
        #expect((error as? RESTClientError)?.kind == .status(500))
        #expect((error as? RESTClientError)?.listingProgress?.resume == nil)
    }

    @Test(arguments: [
        (#"{"success": false, "message": "quota exceeded", "items": []}"#, "quota exceeded"),
        (#"{"success": "false", "items": []}"#, "the request failed"),
        (#"{"success": "true", "items": []}"#, nil),
        (#"{"error": true, "message": "the database is down", "items": []}"#, "the database is down"),
        (#"{"error": false, "message": "done", "items": []}"#, nil),
        (#"{"ok": false, "items": []}"#, "the request failed"),
        (#"{"status": "error", "items": []}"#, "the request failed"),
        (#"{"statusCode": 500, "message": "failed", "items": []}"#, "failed"),
        (#"{"statusCode": 200, "message": "failed", "items": []}"#, nil),
        (#"{"error": "upstream timeout", "items": []}"#, "upstream timeout"),
        (#"{"error": {"code": 7, "message": "busy"}, "items": []}"#, "busy"),
        (#"{"error": {"code": "ok", "message": ""}, "items": []}"#, nil),
        (#"{"error": "OK", "items": []}"#, nil),
        (#"{"errors": [{"message": "out of memory"}], "items": []}"#, "out of memory"),
        (#"{"errors": {"rateLimit": "too many"}, "items": []}"#, "the request failed"),
        (#"{"status": "OVER_QUERY_LIMIT", "error_message": "quota", "items": []}"#, "quota"),
        (#"{"status": "REQUEST_DENIED", "items": []}"#, "the request failed"),
        (#"{"hasError": true, "errorMessage": "Syntax error", "items": []}"#, "Syntax error"),
        (#"{"errcode": 45009, "errmsg": "daily limit", "items": []}"#, "daily limit"),
        (#"{"meta": {"status": 429, "error_type": "limit"}, "items": []}"#, "the request failed"),
        (#"{"responseHeader": {"status": 500}, "items": []}"#, "the request failed"),
        (#"{"error": ["EAPI:Rate limit exceeded"], "items": []}"#, "EAPI:Rate limit exceeded"),
        (#"{"__type": "ThrottlingException", "items": []}"#, "the request failed"),
        (#"{"status": "ZERO_RESULTS", "items": []}"#, nil),
        (#"{"errcode": 0, "errmsg": "ok", "status": 200, "code": "0000", "items": []}"#, nil),
        (#"{"retCode": 200, "state": "no error", "meta": {"status": 200}, "items": []}"#, nil),
        (#"{"error": 6, "message": "service offline", "items": []}"#, "service offline"),
        (#"{"error": null, "errors": [], "success": true, "status": "ok", "code": 0, "items": []}"#, nil),
        (#"{"error": 0, "code": 50001, "items": []}"#, nil),
    ])
    func `a failure beside a list without items is an error`(body: String, text: String?) async throws {
        let (items, error) = await (try client(of: server(body))).items(as: Int.self).collect()
        #expect(items == [])
        #expect((error as? RESTClientError)?.kind == text.map { .incompleteList($0) })
        let last = MockServer {
            Route(.any, "/items", .query("cursor", "b")) { Reply.data(Data(body.utf8), as: .json) }
            Route(.any, "/items") { Reply.json(["items": [1], "next_cursor": "b"]) }
        }
        let (first, failure) = await (try client(of: last)).items(as: Int.self).collect()
        #expect(first == [1])
        #expect((failure as? RESTClientError)?.kind == text.map { .incompleteList($0) })
    }

    @Test(
        arguments: [
            (#"{"code": 50001, "msg": "internal error", "items": null}"#, 200, "code: 50001, internal error"),
            (#"{"code": 0, "items": []}"#, 200, nil), (#"{"items": []}"#, 202, "202 Accepted"),
        ] as [(String, HTTPStatus, String?)])
    func `a last page without items that is unlike the first one is an error`(
        body: String, status: HTTPStatus, text: String?
    ) async throws {
        let server = MockServer {
            Route(.any, "/items", .query("cursor", "b")) {
                Reply.data(Data(body.utf8), as: .json, status: status)
            }
            Route(.any, "/items") { Reply.json(["items": [1], "code": 0, "next_cursor": "b"]) }
        }
        let (items, error) = await (try client(of: server)).items(as: Int.self).collect()
        #expect(items == [1])
        #expect((error as? RESTClientError)?.kind == text.map { .incompleteList($0) })
    }

    @Test(arguments: ["X-SQL-Message", "Warning"])
    func `a header field that says that results are missing is an error`(field: String) async throws {
        let text = "RC: Returning incomplete results, query interrupted by result timeout."
        let server = MockServer { Route(.any) { Reply.json(["items": [1]]).header(.init(field), text) } }
        let (items, error) = await (try client(of: server)).items(as: Int.self).collect()
        #expect(items == [1])
        #expect((error as? RESTClientError)?.kind == .incompleteList("\(field): \(text)"))
    }

    /// The pages of a list, and its error.
    @Test(
        arguments: [
            (#"{"items": <1>, "timed_out": true, "next": "/items?page=2"} | {"items": <2>}"#, timedOut),
            (
                #"{"items": <1>, "truncated": true, "partial": true, "next": "/?page=2"} | {"items": <2>}"#,
                nil
            ),
            // A message on each page is not about the last one, unless it says that results are missing.
            (
                #"{"items": <1>, "next_cursor": "c2", "message": "pass page=2 for more results"} | {"items": <2>, "message": "pass page=2 for more results"}"#,
                nil
            ),
            (
                #"{"items": <1>, "next_cursor": "c2", "message": "the search timed out"} | {"items": <2>, "message": "the search timed out"}"#,
                .incompleteList("message: the search timed out")
            ),
            (
                #"{"items": <1>, "next_cursor": "c2", "error": false} | {"items": <2>, "error": true, "message": "the database is down"}"#,
                .incompleteList("the database is down")
            ),
            // A total that only the first page states.
            (#"{"items": <1>, "next_cursor": "c2", "total": 7} | {"items": <2>}"#, sevenItems),
            (#"{"items": <1>, "next_cursor": "c2", "total": 6} | {"items": <2>}"#, nil),
            (#"{"items": <1>, "next_cursor": "c2", "count": 7} | {"items": <2>}"#, sevenItems),
            (#"{"items": <1>, "next_cursor": "c2", "count": 6} | {"items": <2>}"#, nil),
            (#"{"items": <1>, "offset": 0, "total": 7} | {"items": <2>, "offset": 3}"#, sevenItems),
            (#"{"items": <1>, "offset": 0, "total": 6} | {"items": <2>, "offset": 3}"#, nil),
            (
                #"{"items": <1>, "page": 1, "total": 0} | {"items": <2>, "page": 2, "total": 0} | {"items": []}"#,
                nil
            ),
        ] as [(String, RESTClientError.Kind?)])
    func `what a page says about the whole list is an error after the items of all pages`(
        pages: String, kind: RESTClientError.Kind?
    ) async {
        let result = await TextPages("items | \(pages)").list()
        #expect(result.items == Array(1...6))
        #expect(result.error?.kind == kind)
    }

    private static let timedOut = RESTClientError.Kind.incompleteList("timed_out: true")
    private static let sevenItems = RESTClientError.Kind.pagination(.incompleteTotal(received: 6, total: 7))

    @Test func `secrets in the messages of the server are masked`() async throws {
        let server = server(#"{"data": {"a": []}, "errors": ["the key hush-hush may not read b"]}"#)
        let (_, error) = await (try client(of: server, at: "data.a")).items(as: Int.self).collect()
        #expect((error as? RESTClientError)?.kind == .incompleteList("the key *** may not read b"))
    }
}
