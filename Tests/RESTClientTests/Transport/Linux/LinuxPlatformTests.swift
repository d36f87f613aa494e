// Tests of the Linux folder of the transport, which is empty on Apple platforms.
#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@testable import RESTClient

@Suite struct LinuxPlatformTests {
    @Test func `a sole task starts on the calling thread`() {
        let hasStarted = LockedState(false)
        LinuxPlatform.start(isSoleTask: true) { hasStarted.withLock { $0 = true } }
        #expect(hasStarted.withLock { $0 })
    }

    // The documentation advises against this option. If the test fails, the platform has repaired it.
    @Test func `a JSON5 number with two signs of base 16 ends the process`() async {
        await #expect(processExitsWith: .failure) {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            _ = try? decoder.decode([Int].self, from: Data("[0x0X]".utf8))
        }
    }

    @Test func `a request cancelled in the start queue is not sent`() async throws {
        let server = MockServer { Route(.any) { Reply.status(200) } }
        let manager = SessionManager(configuration: server.configuration)
        let events = manager.events()
        let door = DispatchSemaphore(value: 0)
        LinuxPlatform.start(isSoleTask: false) { door.wait() }
        defer { door.signal() }
        TransferCounter.taskStarted()
        defer { TransferCounter.end() }

        let url = try #require(URL(string: "http://shop.example/items"))
        let call = Task { try await manager.request(url).data() }
        for await event in events { if case .attempt = event.kind { break } }
        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        door.signal()
        await withCheckedContinuation { done in LinuxPlatform.start(isSoleTask: false) { done.resume() } }
        #expect(server.requests.isEmpty)
    }
}
#endif
