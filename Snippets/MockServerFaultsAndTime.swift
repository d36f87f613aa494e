// Faults, network conditions, virtual time and wrong documents.

import Foundation
import MockTransport
import Testing

// snippet.hide
func loadItems(from session: URLSession) async throws -> [String] {
    struct Document: Decodable { var items: [String] }
    let (data, _) = try await session.data(from: URL(string: "https://shop.example/items")!)
    return try JSONDecoder().decode(Document.self, from: data).items
}

// snippet.show
let flaky = MockServer {
    Route(.get, "/items") {
        Reply.fault(.refused)
        Reply.fault(.reset(.beforeHead))
        Reply.json(["items": ["tea"]]).fault(.close(.inBody(after: 5)))
        Reply.json(["items": ["tea"]])
    }
}

let conditions = NetworkConditions(
    latency: .logNormal(median: .milliseconds(80), sigma: 0.5), bytesPerSecond: 50_000, loss: 0.01, seed: 7)
let slow = MockServer(clock: VirtualClock(), conditions: conditions) {
    Route(.get, "/items") { Reply.json(["items": ["tea"]]) }
}

let clock = VirtualClock()
let delayed = MockServer(clock: clock) {
    Route(.get, "/report") { Reply.text("done").delay(.seconds(3_600)) }
}

let stepped = VirtualClock(.stepped)
let answer = Task { try await stepped.sleep(for: .seconds(30)) }
let moved = try await stepped.advance()  // 30 seconds: the end of the next wait
try await answer.value

@Suite struct `A wrong document` {
    @Test(arguments: Corruption.variants(of: ["items": ["a"]]))
    func `every wrong shape is an error`(corruption: Corruption) async throws {
        let server = MockServer { Route(.any) { Reply.corrupted(corruption) } }
        await #expect(throws: (any Error).self) {
            try await loadItems(from: URLSession(configuration: server.configuration))
        }
    }
}
// snippet.hide
