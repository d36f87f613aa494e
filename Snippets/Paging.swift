// All pages of a collection, with automatic, named and custom pagination.

import Foundation
import RESTClient

// snippet.hide
struct Repository: Decodable, Sendable {
    var name: String
}

// snippet.show
struct CursorPagination: Pagination {  // {"results": […], "cursor": {"after": "x9"}}
    func pages(after page: PageInfo) throws -> [URL] {
        page.envelope.string("cursor.after").map { [page.url(setting: "after", to: $0)] } ?? []
    }
}

struct StripePagination: Pagination {  // GET: {"data": [{"id": "ch_1"}, …], "has_more": true}
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard page.envelope.flag("has_more") == true, let id = page.lastItem?.string("id") else { return [] }
        return [page.request(setting: "starting_after", to: .value(id))]
    }
}

struct NotionPagination: Pagination {  // POST: {"results": […], "next_cursor": "x9"}
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard let cursor = page.envelope.string("next_cursor") else { return [] }
        return [page.request(setting: "start_cursor", to: .value(cursor))]
    }
}

struct IssuesPagination: Pagination {  // GraphQL: {"data": {"issues": {"nodes": […], "pageInfo": {…}}}}
    func pages(after page: PageInfo) throws -> [PageRequest] {
        guard page.envelope.flag("data.issues.pageInfo.hasNextPage") == true,
            let cursor = page.envelope.string("data.issues.pageInfo.endCursor")
        else { return [] }
        return [page.request(setting: "variables.after", to: .value(cursor))]
    }
}
// snippet.hide

func issues(url: URL, query: JSONLiteral, manager: SessionManager) {
    // snippet.show
    let body: JSONLiteral = ["query": query, "variables": ["first": 100]]
    let issues = MyRESTClient(
        manager.request(url, method: .post, body: .json(body)),
        listing: ItemListing(at: "data.issues.nodes", pagination: .githubGraphQL))
    // snippet.hide
    _ = issues
}

func listings(url: URL, manager: SessionManager) {
    // snippet.show
    let guessed = MyRESTClient(url: url, manager: manager)
    let named = MyRESTClient(
        url: url, manager: manager,
        listing: ItemListing(at: "data", pagination: .token(), maxConcurrentPages: 1))
    let numbered = MyRESTClient(
        url: url, manager: manager, listing: ItemListing(pagination: .number(), maxConcurrentPages: 8))
    let own = MyRESTClient(
        url: url, manager: manager, listing: ItemListing(at: "results", pagination: CursorPagination()))
    // snippet.hide
    _ = (guessed, named, numbered, own)
}

func pages(_ client: MyRESTClient, saved: inout ResumeToken?) async throws {
    // snippet.show
    for try await page in client.pages(as: Repository.self, from: saved) {
        print("page \(page.info.number): \(page.items.count) of \(page.info.envelope.integer("total") ?? 0)")
        saved = page.resume  // nil after the last page
    }
    // snippet.hide
}
