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

func pages(_ client: MyRESTClient, saved: inout ResumeToken?) async throws {
    // snippet.show
    for try await page in client.pages(as: Repository.self, from: saved) {
        print("page \(page.info.number): \(page.items.count) of \(page.info.envelope.integer("total") ?? 0)")
        saved = page.resume  // nil after the last page
    }
    // snippet.hide
}
