// Tests of the Linux folder of the transport, which is empty on Apple platforms.
#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@testable import RESTClient

@Suite struct LinuxPlatformTests {
    @Test func `a task starts on the calling thread`() {
        let starter = TaskStarter()
        for _ in 0...TaskStarter.maxCallers {
            let hasStarted = LockedState(false)
            LinuxPlatform.start(by: starter) { hasStarted.withLock { $0 = true } }
            #expect(hasStarted.withLock { $0 })
        }
    }

    @Test func `while two callers start tasks, other tasks start on the queue`() {
        let starter = TaskStarter()
        let hasStarted = LockedState(false)
        starter.queue.suspend()
        LinuxPlatform.start(by: starter) {
            LinuxPlatform.start(by: starter) {
                LinuxPlatform.start(by: starter) { hasStarted.withLock { $0 = true } }
            }
        }
        #expect(!hasStarted.withLock { $0 })
        starter.queue.resume()
        starter.queue.sync {}
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
        let starter = LinuxPlatform.starter
        for _ in 0..<TaskStarter.maxCallers {
            while !starter.addCaller() { await Task.yield() }
        }
        defer { for _ in 0..<TaskStarter.maxCallers { starter.removeCaller() } }
        starter.queue.async { door.wait() }
        defer { door.signal() }

        let url = try #require(URL(string: "http://shop.example/items"))
        let call = Task { try await manager.request(url).data() }
        for await event in events { if case .attempt = event.kind { break } }
        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        door.signal()
        await withCheckedContinuation { done in starter.queue.async { done.resume() } }
        #expect(server.requests.isEmpty)
    }
}
#endif
