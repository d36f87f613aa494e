// The first steps: a list, a custom item type, a request, an error.

import Foundation
import RESTClient

struct Repository: Decodable, Sendable {
    var name: String
    var stars: Int
}

func firstSteps() async throws {
    let client = MyRESTClient(
        url: URL(string: "https://api.example.com/repositories")!,
        listing: ItemListing(at: "data.repositories"))
    for try await repository in client.items(as: Repository.self) {
        print(repository.name)
    }
}
// snippet.hide

let shop = URL(string: "https://shop.example")!

func requests() async throws {
    struct Order: Codable, Sendable {
        var item: String
        var count: Int
    }
    // snippet.show
    let manager = SessionManager(interceptors: [.retry(), .bearer("secret", for: shop)])
    let order = try await manager
        .request(
            shop.appending(path: "orders"), method: .post, query: ["notify": "yes"],
            body: .json(Order(item: "tea", count: 2))
        )
        .timeout(.seconds(5))
        .decode(Order.self)
    // snippet.hide
    print(order)
}

func failures(_ client: MyRESTClient) async {
    // snippet.show
    do {
        print(try await client.getAvailableItems().count)
    } catch let error as RESTClientError {
        switch error.kind {
        case .status(404): print("there is no such collection")
        case .timedOut, .connection: print("try again later")
        default: print(error)  // the failure, the request and a hint
        }
    } catch {
        print(error)  // CancellationError
    }
    // snippet.hide
}
