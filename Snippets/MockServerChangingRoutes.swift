// Conditions of routes, priorities, and routes that change while a server runs.

import Foundation
import MockTransport

// snippet.hide
func outage() -> MockServer {
    // snippet.show
    let server = MockServer {
        Route(.any) { Reply.status(503) }.limit(1).priority(.high)
        Route(.get, "/items") { Reply.json(["items": ["tea"]]) }
    }
    // snippet.hide
    return server
}

func running(_ server: MockServer, loadItems: () async throws -> Void) async throws {
    // snippet.show
    server.enqueue(.status(503), .status(401))  // the next two requests, whatever they are
    server.addRoutes {
        Route(.get, "/items") { Reply.json(["items": []]) }.named("empty list")
    }
    server.removeRoutes(named: "empty list")

    try await server.withRoutes {
        Route(.get, "/items") { Reply.fault(.refused) }
    } perform: {
        try await loadItems()
    }

    server.reset()  // the routes of the initializer, not called yet
    // snippet.hide
}

func account() -> MockServer {
    // snippet.show
    let account = MockServer {
        Route(.get, "/me") { Reply.status(401) }
        Route(.post, "/login") { Reply.status(204) }.then("signed in")
        Route(.get, "/me") { Reply.json(["name": "Ann"]) }.when("signed in")
        Route(.post, "/logout") { Reply.status(204) }.then("signed out")
    }
    // snippet.hide
    return account
}

func events() -> MockServer {
    MockServer {
        // snippet.show
        Route(.get, "/events") {
            Reply.events(.init("tea", name: "added", id: "1"), .init("milk", id: "2", delay: .seconds(5)))
        }
        // snippet.hide
    }
}

func conditions(endpoint: URL, build: String?) -> MockServer {
    // snippet.show
    let search = MockServer {
        Route(.get, .url(endpoint)) { Reply.text("this URL, possibly with further query items") }
        Route(.get, .path(matching: /^\/items\/(?<id>[0-9]+)$/)) { request in .text(request["id"] ?? "") }
        Route(.get, "/search?q=*", .query("page", nil)) { Reply.text("the first page of any search") }
        Route(.basicAuth("me", "secret"), .header("X-Build", build)) {
            Reply.text("without X-Build if it is nil")
        }
    }
    // snippet.hide
    return search
}
