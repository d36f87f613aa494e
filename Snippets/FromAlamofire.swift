// Common Alamofire code, written with a session manager.

import Foundation
import RESTClient

// snippet.hide
struct Tea: Codable, Sendable {
    var name: String
}

let shop = URL(string: "https://shop.example")!

func requests(manager: SessionManager) async throws {
    // snippet.show
    let teas = try await manager.request(shop.appending(path: "teas"), query: ["q": "green"]).decode([Tea].self)
    // snippet.hide
    print(teas)
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
