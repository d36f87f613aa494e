// Replaces the shared session, for code without an injected session.

import Foundation
import MockTransport

// snippet.hide
struct LegacyLoader {
    func load() async throws -> String {
        let url = URL(string: "https://shop.example/items")!
        return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    }
}

let server = MockServer { Route(.any) { Reply.text("tea") } }

// snippet.show
let text = try await server.replacingSharedSession {
    try await LegacyLoader().load()  // uses URLSession.shared
}
// snippet.hide
