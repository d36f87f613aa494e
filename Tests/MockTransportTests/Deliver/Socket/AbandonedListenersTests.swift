import Foundation
import RESTClientTestingSupport
import Testing

@testable import MockTransport

@Suite struct AbandonedListenersTests {
    @Test func `the oldest sockets of deallocated servers are closed`() async throws {
        let abandoned = AbandonedListeners(limit: 2)
        let core = ServerCore(router: Router([]), clock: ContinuousClock(), conditions: .none)
        var listeners: [Listener] = []
        for _ in 0..<3 {
            let listener = Listener(
                try .listening(port: 0), on: EventLoop(), core: core, limits: .init(),
                authority: "127.0.0.1")
            listener.start()
            abandoned.add(listener)
            listeners.append(listener)
        }
        #expect(await listeners[0].isClosed)
        #expect(await !listeners[1].isClosed)
        #expect(await !listeners[2].isClosed)
        for listener in listeners { await abandoned.close(at: listener.port) }
        #expect(await listeners[2].isClosed)
    }

    @Test(.hangLimit) func `the port of the oldest socket is free as soon as it is closed`() async throws {
        let abandoned = AbandonedListeners(limit: 0)
        let core = ServerCore(router: Router([]), clock: ContinuousClock(), conditions: .none)
        let listener = Listener(
            try .listening(port: 0), on: EventLoop(), core: core, limits: .init(), authority: "127.0.0.1")
        listener.start()
        // The socket is closed on this queue.
        let gate = DispatchSemaphore(value: 0)
        await listener.eventLoop.queue.async { gate.wait() }
        abandoned.add(listener)
        gate.signal()
        await abandoned.close(at: listener.port)
        try Socket.listening(port: listener.port).close()
    }

    @Test func `few sockets are kept if the process can have few descriptors`() {
        #expect([256, 1_024, 1 << 20, 3, -1].map(AbandonedListeners.limit) == [32, 128, 256, 0, 256])
    }
}
