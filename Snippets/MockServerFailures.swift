// Expectations of a mock server, and how they fail a test.

import Foundation
import MockTransport

let server = MockServer {
    Route(.get, "/items") { Reply.json(["items": ["tea"]]) }
    Route(.post, "/items", .header(.authorization), .body(jsonContaining: ["name": "tea"])) {
        Reply.status(201)
    }.optional()
    Route(.get, "/items/:id<Int>") {
        Reply.status(503)
        Reply.json(["name": "tea"])
    }.optional()
    Route(.delete, "https://admin.example/**") { Reply.status(204) }.called(...1)
}
// snippet.hide
// snippet.show
try server.verify()
// snippet.hide
