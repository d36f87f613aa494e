// Faults, network conditions and virtual time.

import Foundation
import MockTransport
import Testing

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

// snippet.hide
