// swift-format-ignore-file: NeverForceUnwrap
// The first sample of the README, word for word.

import Foundation
import RESTClient

struct Repository: Decodable, Sendable {
    var name: String
}

func readme() async throws {
    let client = MyRESTClient(url: URL(string: "https://api.example.com/items")!)
    for item in try await client.getAvailableItems() { print(item) }  // all of them, or an error
    let repositories = try await client.getAvailableItems(as: Repository.self)  // any Decodable
    client.getAvailableItems { items in print(items?.count ?? 0) }  // nil for any failure
    print(repositories.count)
}
