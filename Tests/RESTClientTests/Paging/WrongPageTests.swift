import Foundation
import MockTransport
import RESTClient
import Testing

/// Pages that are not what the pages before them announce.
@Suite struct WrongPageTests {
    private static let wrong = #"""
        items | {"items": <1>, "next": "/items?page=2"} | null | {"items": <3>}
        items | {"items": <1>, "next": "/items?page=2"} | {} | {"items": <3>}
        items | {"items": <1>, "next": "/items?page=2"} | {"status": "pending"} | {"items": <3>}
        items | {"items": <1>, "next": "/items?page=2"} | {"next": "/items?page=3"} | {"items": <3>, "next": null}
        items | {"items": <1>, "next": "/items?page=2"} | {"items": null, "next": "/items?page=3"} | {"items": <3>, "next": null}
        items | {"items": <1>, "next": "/items?page=2"} | {"items": <1>, "next": "/items?page=3"} | {"items": <3>, "next": null}
        items | {"items": <1>, "next": "/items?page=2"} | {"items": <3>, "next": "/items?page=3"} | {"items": <3>, "next": null}
        items | {"items": <1>, "next_cursor": "c2"} | null | {"items": <3>, "next_cursor": null}
        items | {"items": <1>, "next_cursor": "c2", "has_more": true} | {} | {"items": <3>, "next_cursor": null}
        items | {"items": <1>, "next_cursor": "c2"} | {"items": <3>, "next_cursor": "c3"} | {"items": <3>, "next_cursor": null}
        data.list.items | {"data": {"list": {"items": <1>, "next_cursor": "c2"}}} | {"data": {"data": {"list": {"items": <2>}}}} | {}
        items | {"items": <1>, "page": 1, "total_pages": 3} | null | {"items": <3>, "page": 3, "total_pages": 3}
        items | {"items": <1>, "page": 1, "total_pages": 3} | {} | {"items": <3>, "page": 3, "total_pages": 3}
        items | {"items": <1>, "page": 1, "total_pages": 3} | {"page": 2, "total_pages": 3} | {"items": <3>, "page": 3, "total_pages": 3}
        items | {"items": <1>, "page": 1, "total_pages": 3} | {"items": null, "page": 2, "total_pages": 3} | {"items": <3>, "page": 3, "total_pages": 3}
        items | {"items": <1>, "page": 1, "total_pages": 3} | {"items": [], "page": 2, "total_pages": 3} | {"items": <3>, "page": 3, "total_pages": 3}
        items | {"items": <1>, "page": 1, "total_pages": 3} | {"items": <3>, "page": 2, "total_pages": 3} | {"items": <3>, "page": 3, "total_pages": 3}
        items | {"items": <1>, "page": 1, "total_pages": 3} | {"items": <2>} | {"items": <3>}
        items | {"items": <1>, "page": 1, "total_pages": 3} | {"items": <3>, "page": 3, "total_pages": 3} | {"items": <3>, "page": 3, "total_pages": 3}
        items | {"items": <1>, "page": 1, "total": 7} | {"items": [], "page": 2, "total": 0} | {"items": [], "page": 3, "total": 0}
        items | {"items": <1>, "page": 1, "total": 7} | {"items": <2>, "page": 2, "total": 4} | {"items": [], "page": 3, "total": 4}
        items | {"items": <1>, "page": 1, "per_page": 3} | null | {"items": <3>, "page": 3, "per_page": 3}
        items | {"items": <1>, "page": 1, "per_page": 3} | {} | {"items": <3>, "page": 3, "per_page": 3}
        items | {"items": <1>, "has_more_info": false, "has_more": true}
        items | {"items": <1>, "page": 1, "size": 3, "total": null}
        . | 2 <1> | 3 null | <3>
        . | 2 <1> | 3 <1> | <3>
        . | 2 <1> | 3 <3> | <3>
        """#.split(separator: "\n").map { TextPages($0) }

    @Test(arguments: wrong) func `a page that is not the next one is an error`(row: TextPages) async {
        let result = await row.list()
        #expect(result.error != nil)
        #expect([1, 2, 3].starts(with: result.items.prefix(3)))
    }

    private static let goingOn = #"""
        items | {"items": <1>, "done": true, "page": 1, "pages": 3} | {"items": <2>, "done": true, "page": 2, "pages": 3} | {"items": <3>, "done": true, "page": 3, "pages": 3}
        items | {"items": <1>, "complete": true, "page": 1, "next_page": 2} | {"items": <2>, "complete": true, "page": 2, "next_page": null}
        items | {"items": <1>, "finished": true, "page": 1, "next_page": 2} | {"items": [], "finished": true, "page": 2, "next_page": 3}
        items | {"items": <1>, "next": "/items?page=2", "prev": null} | {"items": [], "next": "/items?page=3", "prev": "/items?page=1"} | {"items": <3>, "next": null, "prev": "/items?page=2"}
        items | {"items": <1>, "page": 1, "limit": 3, "_links": {"next": "/items?page=2"}} | {"items": [], "page": 2, "limit": 3, "_links": {"next": "/items?page=3", "prev": "/items?page=1"}} | {"items": <3>, "page": 3, "limit": 3, "_links": {"prev": "/items?page=2"}}
        items | {"items": <1>, "next": "/items?page=2"} | {"items": [{"id": 4}], "next": "/items?page=3"} | {"items": <3>, "next": "/items?page=4"} | {"items": [], "next": "/items?page=5", "prev": "/items?page=3"} | {"items": [{"id": 13}]}
        items | {"items": <1>, "next": "?token=a2"} | {"items": [], "next": "?token=b3"} | {"items": <3>, "next": null}
        items | {"items": <1>, "build": 7, "complete": true, "next": "/items?page=2"} | {"items": <2>, "build": 7, "complete": true}
        items | {"items": <1>, "page": 1, "total_pages": 4} | {"items": [{"id": 4}], "page": 2, "total_pages": 4} | {"items": [], "page": 3, "total_pages": 4} | {"items": <4>, "page": 4, "total_pages": 4}
        """#.split(separator: "\n").map { TextPages($0) }

    @Test(arguments: goingOn)
    func
        `a list goes on after an empty page that names the next one, and beside a flag that can be about something else`(
            row: TextPages
        ) async
    {
        let result = await row.list()
        #expect(result.error == nil)
        let all = (1...row.pages.count).flatMap { page in
            let body = row.page(page).body
            return body.matches(of: #/"id": (\d+)/#).compactMap { Int($0.1) }
        }
        #expect(result.items == all)
    }

    /// Pages with equal items that have no identity, and the total of the list, if it is stated.
    @Test(
        arguments: [
            ([[0, 0, 0], [0, 0, 0]], nil, true), ([[1, 2, 3], [0, 0, 0], [0, 0, 0]], nil, true),
            ([[1, 2, 3], [0, 0, 0], [0, 0, 0], [5]], nil, false),
            ([[1, 2, 3], [0, 0, 0], [0, 0, 0], [5]], 10, true),
            ([[1, 2, 3], [1, 2, 3], [1, 2, 3]], 9, true),
        ] as [([[Int]], Int?, Bool)])
    func
        `equal pages that name different next pages are all delivered if one is the last, or all are counted`(
            pages: [[Int]], total: Int?, isComplete: Bool
        ) async
    {
        for style in ["Link", "next", "cursor"] {
            let server = MockServer {
                Route(.any) { request in
                    let position = request.query["page"] ?? request.query["cursor"]
                    let number = position.flatMap { Int($0.filter(\.isNumber)) } ?? 1
                    let next = number < pages.count ? number + 1 : nil
                    var body: [String: JSONLiteral] = ["items": .value(pages[number - 1])]
                    if let total { body["total"] = .value(total) }
                    if style == "next" { body["next"] = .value(next.map { "/items?page=\($0)" }) }
                    if style == "cursor" { body["next_cursor"] = .value(next.map { "c\($0)" }) }
                    let reply = Reply.json(.value(body))
                    guard style == "Link", let next else { return reply }
                    return reply.header("Link", "</items?page=\(next)>; rel=\"next\"")
                }
            }
            let client = server.client(path: "https://shop.example/items?cursor=c1")
            let result = await client.items(as: Int.self).collect()
            #expect((result.error == nil) == isComplete, "\(style): \(result.error as Any)")
            if isComplete { #expect(result.elements == pages.flatMap(\.self), "\(style)") }
        }
    }

    private static let empty = #"""
        items | {"items": <1>, "next": "/items?page=2"} | {"next": null} | {}
        items | {"items": <1>, "next": "/items?page=2"} | {"items": null, "next": null} | {}
        items | {"items": <1>, "next": "/items?page=2"} | {"items": null} | {}
        items | {"items": <1>, "next": "/items?page=2"} | {"items": []} | {}
        items | {"items": <1>, "nextPageToken": "c2"} | {} | {}
        items | {"items": <1>, "next_cursor": "c2"} | {"items": null, "next_cursor": null} | {}
        data.items | {"data": {"items": <1>}, "next": "/items?page=2"} | {"data": null, "next": null} | {}
        data.items | {"data": {"items": <1>, "cursor": "c2"}} | {"data": {"cursor": ""}} | {}
        items | 2 {"items": <1>} | {} | {}
        items | {"items": <1>, "page": 1, "total_pages": 2} | {"items": [], "page": 2, "total_pages": 2} | {}
        items | {"items": <1>, "page": 1, "size": 3}
        . | 2 <1> | null | []
        """#.split(separator: "\n").map { TextPages($0) }

    @Test(arguments: empty)
    func `a last page whose list is null or missing because it is empty ends the list`(row: TextPages) async {
        let result = await row.list()
        #expect(result.error == nil)
        #expect(result.items == [1, 2, 3])
    }

    @Test(arguments: [
        #"{"totalResults": 0, "startIndex": 1, "schemas": ["urn:a"]}"#, #"{"total": 0, "warnings": []}"#,
        #"{"meta": {"result_count": 0}}"#, #"{"totalNumInResultSet": 0, "messages": {"code": "Ok"}}"#,
        #"{"fields": {"totalCount": 0}, "coverage": {"documents": 70}}"#, ")]}'\n{\"total\": 0}",
        #"{"items": null, "total": 0, "errors": null}"#,
        #"{"total": 0, "teas": [ ], "facets": [{"name": "kind"}]}"#,
        #"{"items": "", "total": 0}"#,
        #"{"kind": "compute#instanceList", "id": "projects/x", "selfLink": "/x"}"#,
        #"{"resourceType": "Bundle", "total": 0, "link": [{"relation": "self", "url": "/Patient"}]}"#,
    ])
    func `a first page without the list is empty if its total is 0 or its kind is a list`(
        page: String
    ) async { #expect(await TextPages("items | \(page)").list().error == nil) }

    @Test(arguments: [
        (#"{"data": {"me": {"issues": {"nodes": [{"id": 1}]}}}}"#, "data.me.issues.nodes"),
        (#"{"a": {"b": {"tags": ["x"], "empty": [], "c": {"rows": [{"id": 1}]}}}}"#, "a.b.c.rows"),
        (#"{"a": {"b": {"tags": [7, {"x": 1}], "c": [[{"x": 1}]]}}}"#, "a.b.tags"),
        (#"{"a": {"b": {"c": 7}}}"#, nil),
    ])
    func `a list in inner objects is suggested if there is no other one`(page: String, list: String?) async {
        let error = await TextPages("items | \(page)").list().error
        guard case .wrongShape(_, _, _, let lists)? = (error?.underlying as? ListScanner.Failure)?.reason
        else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(lists.first == list.map { MemberPath($0) })
    }

    @Test(arguments: ["", ")]}'\n", "\u{FEFF}"])
    func `a list of metadata and the items is an error after a prefix, too`(prefix: String) async {
        let row = TextPages(". | \(prefix)[{\"page\": 1, \"pages\": 3}, [\"tea\"]]")
        #expect(await row.list().error != nil)
    }

    @Test(arguments: [#"{"p1": {"id": 1, "_more": true}}"#, #"{"error": {"code": 500}}"#])
    func `an object after a prefix is not an empty list`(object: String) async {
        for prefix in ["", ")]}'\n", "\u{FEFF}"] {
            #expect(await TextPages("items | \(prefix)\(object)").list().error != nil)
        }
    }

    @Test(arguments: [
        #"{"total": 0, "teas": [{"id": 1}]}"#, #"{"total": 0, "data": {"teas": ["Assam"]}}"#,
        #"{"meta": {"total": 0}, "links": [], "results": [7]}"#,
    ])
    func `a total of 0 does not make a list under another name empty`(page: String) async {
        let error = await TextPages("items | \(page)").list().error
        #expect(error?.underlying is ListScanner.Failure)
    }
}
