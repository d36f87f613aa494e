import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@testable import RESTClient

@Suite struct StartQueueTests {
    @Test func `somebody alone starts at once, on the caller's thread`() {
        let hasStarted = LockedState(false)
        StartQueue.run(isAlone: true) { hasStarted.withLock { $0 = true } }
        #expect(hasStarted.withLock { $0 })
    }

    #if canImport(FoundationNetworking)
    @Test func `a request that is cancelled while it waits for its turn is never sent`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = SessionManager(configuration: server.configuration)
        let events = manager.events()
        let door = DispatchSemaphore(value: 0)
        StartQueue.run(isAlone: false) { door.wait() }
        defer { door.signal() }
        InFlight.begin()
        defer { InFlight.end() }

        let url = try #require(URL(string: "http://shop.example/items"))
        let call = Task { try await manager.request(url).data() }
        for await event in events { if case .attempt = event.kind { break } }
        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        door.signal()
        await withCheckedContinuation { done in StartQueue.run(isAlone: false) { done.resume() } }
        #expect(server.requests.isEmpty)
    }
    #endif
}
