// Recording real traffic and replaying it; the same routes on a socket.

import Foundation
import MockTransport
import RESTClient

// snippet.hide
func recorded(cassette: URL) throws -> MockServer {
    // snippet.show
    let recorder = MockServer { Route(.any) { Reply.passthrough } }
    // … requests through recorder.configuration …
    try recorder.recording.write(to: cassette)

    let replay = try MockServer { try HAR(contentsOf: cassette).routes() }
    // snippet.hide
    return replay
}

func recordOrReplay(file: URL) throws -> MockServer {
    // snippet.show
    let server = try MockServer(cassette: file)  // records the first time, replays from then on
    // snippet.hide
    return server
}

func atRecordedSpeed(cassette: URL) throws -> MockServer {
    // snippet.show
    let server = try MockServer(clock: VirtualClock()) { try HAR(contentsOf: cassette).routes(speed: 1) }
    // snippet.hide
    return server
}

func overASocket() async throws -> MyRESTClient {
    // snippet.show
    let server = MockServer { Route(.get, "/items") { Reply.json(["items": ["tea"]]) } }
    let loopback = try await server.listen()
    let client = MyRESTClient(url: loopback.url.appending(path: "items"))
    // snippet.hide
    return client
}
