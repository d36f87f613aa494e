// swift-format-ignore-file: NeverForceUnwrap
// A program whose default isolation is the main actor. Scripts/consumer compares its output.

import Foundation
import MockTransport
import RESTClient

let server = MockServer {
    Route(.get, "/teas", .header("Accept-Language", "de")) { Reply.json([["name": "Grün"]]) }
}
let manager = SessionManager(configuration: server.configuration, interceptors: [Language()])
let model = TeaModel(manager.request(URL(string: "https://shop.example/teas")!))
try await model.load()
print("model:", model.teas.map(\.name), model.fraction)
