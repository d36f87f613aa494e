// Common Alamofire code, written with a session manager.

import Foundation
import RESTClient

// snippet.hide
struct Tea: Codable, Sendable {
    var name: String
}

let shop = URL(string: "https://shop.example")!

func requests(manager: SessionManager, draft: Tea) async throws {
    // snippet.show
    let teas = try await manager.request(shop.appending(path: "teas"), query: ["q": "green"]).decode([Tea].self)

    let stored = try await manager
        .request(shop.appending(path: "teas"), method: .post, body: .json(draft))
        .decode(Tea.self)
    // snippet.hide
    print(teas, stored)
}

func interceptors() -> SessionManager {
    // snippet.show
    let manager = SessionManager(
        interceptors: [
            .retry(maxAttempts: 3),
            .adapt { $0.setValue("de", forHTTPHeaderField: "Accept-Language") },
        ],
        monitor: .standardError)
    // snippet.hide
    return manager
}

func authentication() -> Authenticator {
    // snippet.show
    let session = Authenticator(for: shop) { refused, manager in  // called once for all requests that got a 401
        struct Token: Decodable { var value: String }
        let token = try await manager
            .request(shop.appending(path: "token"), method: .post, body: .form(["grant": "device"]))
            .decode(Token.self)
        return .bearer(token.value)
    }
    // snippet.hide
    return session
}

func transfers(manager: SessionManager, url: URL, file: URL, data: Data) async throws {
    // snippet.show
    for try await chunk in try await manager.request(url).stream().body { print(chunk.count) }
    _ = try await manager.request(url).progress { print($0.fractionCompleted) }.download(to: file)
    _ = try await manager.request(
        url, method: .post, body: .multipart(RequestBody.Part("file", .data(data), filename: "tea.png"))
    ).response()
    // snippet.hide
}
