// All pages of a collection, with automatic, named and custom pagination.

// snippet.hide
import Foundation
import RESTClient

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
