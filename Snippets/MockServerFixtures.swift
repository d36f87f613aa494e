// Fixtures by name, with rules for requests and values to mask.

import Foundation
import MockTransport

// snippet.hide
func replayed() throws -> MockServer {
    // snippet.show
    let server = try MockServer(fixture: "shop")
    // snippet.hide
    return server
}

func loose() throws -> MockServer {
    // snippet.show
    let server = try MockServer(fixture: "shop", matching: .ignoring(.queryItems("t"), .members("requestID")))
    // snippet.hide
    return server
}

func masked() throws -> MockServer {
    // snippet.show
    let server = try MockServer(fixture: "shop", masking: .members("email", "phone").headers("X-Tenant"))
    // snippet.hide
    return server
}

func served(file: URL) async throws -> LoopbackServer {
    // snippet.show
    let server = try MockServer(har: HAR(contentsOf: file))
    let loopback = try await server.listen()
    print(loopback.url)  // http://127.0.0.1:49152
    // snippet.hide
    return loopback
}
