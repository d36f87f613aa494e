// swift-format-ignore-file: NeverForceUnwrap
// A program that uses both libraries. Scripts/consumer compares its output.

import Foundation
import MockTransport
import RESTClient

// URLSession has its own module on Linux. RESTClient exports it; a program may import it as well.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let server = MockServer {
    Route(.get, "http://notNil/") { Reply.json(["items": ["a", "b", "c"]]) }
    Route(.get, "http://concepts/") { Reply.json(["concepts": ["a", "b"]]) }
    Route(.get, "http://handler/items/:id") { request in
        let attempt = request.headers["X-Attempt"] ?? "none"
        return .json(["items": [.value(request["id"] ?? "none"), .value(attempt)]])
    }
    Route(.any) { Reply.text("GARBAGE") }
}
let configuration = URLSessionConfiguration.ephemeral
configuration.protocolClasses?.insert(server.protocolClass, at: 0)
let counter = Counter()
let manager = SessionManager(configuration: configuration, interceptors: [counter, AttemptHeader()])

func show(_ name: String, _ url: String) async {
    do {
        print(name, try await MyRESTClient(url: URL(string: url)!, manager: manager).getAvailableItems())
    } catch let error as RESTClientError {
        print(name, error.kind)
    } catch {
        print(name, error)
    }
}

await show("notNil:", "http://notNil")
await show("concepts:", "http://concepts")
await show("nil:", "http://nil")
await show("handler:", "http://handler/items/7")
let items = await withCheckedContinuation { done in
    MyRESTClient(url: URL(string: "http://nil")!, manager: manager).getAvailableItems {
        done.resume(returning: $0)
    }
}
print("closure:", items ?? "nil")
print("requests:", server.requests.count, counter.requests)
