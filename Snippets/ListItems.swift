// Lists the items of a REST collection.

import Foundation
import RESTClient

// snippet.hide
struct Repository: Decodable, Sendable {
    var name: String
}

func readme() async throws {
    // snippet.show
    let client = MyRESTClient(url: URL(string: "https://api.example.com/items")!)
    for item in try await client.getAvailableItems() { print(item) }  // all of them, or an error
    let repositories = try await client.getAvailableItems(as: Repository.self)  // any Decodable
    client.getAvailableItems { items in print(items?.count ?? 0) }  // nil for any failure
    // snippet.hide
    print(repositories.count)
}
