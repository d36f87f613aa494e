// A server with routes, and a session that uses it.

import Foundation
import MockTransport

let server = MockServer {
    Route(.get, "/items/:id<Int>") { request in .json(["id": .value(request["id"] ?? "")]) }
    Route(.post, "/items", .header(.authorization), .body(jsonContaining: ["name": "tea"])) {
        Reply.status(503).header(.retryAfter, "30")
        Reply.json(["id": 7], status: 201).delay(.milliseconds(80))
    }.called(2)
}
let session = URLSession(configuration: server.configuration)
// snippet.hide
