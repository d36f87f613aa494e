import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import RESTClientTestSupport
import Testing

@testable import MockTransport

/// Request bodies that are read from a stream.
@Suite struct BodyStreamTests {
    private let server = MockServer { Route(.any) { Reply.text($0.text) } }

    private func request(_ stream: InputStream, timeout: TimeInterval = 60) -> URLRequest {
        var request = URLRequest(URL(literal: "http://shop.example/items"), method: "POST")
        request.httpBodyStream = stream
        request.timeoutInterval = timeout
        return request
    }

    @Test(.hangLimit) func `a body that does not arrive times out`() async throws {
        let stream = GatedStream(parts: ["green "])
        let error = await #expect(throws: URLError.self) {
            try await server.text(request(stream, timeout: 0.05))
        }
        #expect(error?.code == .timedOut)
        #expect(server.requests.isEmpty)
        stream.open(parts: ["tea", "!"])
        await stream.untilClosed()
        // The part that arrives after the timeout is the last one to be read.
        #expect(stream.reads == 2)
        #expect(server.requests.isEmpty)
    }

    @Test(.hangLimit) func `a cancelled request does not read the rest of its body`() async throws {
        let stream = GatedStream(parts: ["green "])
        let recorder = Recorder()
        let session = server.session(recorder)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request(stream))
        async let transcript = recorder.run(task)
        await stream.untilBlocked()
        task.cancel()
        #expect(await transcript.lines == [.failure(URLError.cancelled.rawValue)])
        stream.open(parts: ["tea", "!"])
        await stream.untilClosed()
        #expect(stream.reads == 2)
        #expect(server.requests.isEmpty)
    }

    /// PLATFORM A35.
    @Test func `a stream that was closed is an error`() async throws {
        let stream = InputStream(data: Data("tea".utf8))
        stream.open()
        stream.close()
        let error = await #expect(throws: URLError.self) { try await server.text(request(stream)) }
        #expect(error?.code == .requestBodyStreamExhausted)
    }

    @Test func `a timer that has fired cannot be paused`() {
        let timer = InactivityTimer(
            .seconds(60), ServerClock(clock), URL(literal: "http://shop.example/items")
        ) { false }
        timer.start(elapsed: .seconds(61)) {}
        _ = timer.deadlineReached()
        #expect(!timer.pause())
    }

    @Test func `a delay of the interval after a body is not a timeout`() async throws {
        let server = MockServer(clock: VirtualClock()) {
            Route(.any) { Reply.text("tea").delay(.seconds(60)) }
        }
        #expect(try await server.text(request(InputStream(data: Data("milk".utf8)))) == "tea")
    }

    @Test(.hangLimit)
    func `a client can wait on the clock before it sends the rest of its body`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) { Route(.any) { Reply.text($0.text).delay(.seconds(1)) } }
        let stream = GatedStream(parts: ["green "])
        let request = request(stream)
        async let text = server.text(request)
        await stream.untilBlocked()
        try await clock.sleep(for: .seconds(20))
        stream.open(parts: ["tea"])
        #expect(try await text == "green tea")
        #expect(clock.now.offset == .seconds(21))
    }

    @Test(.hangLimit)
    func `a body that does not arrive times out while the test waits on the clock`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) { Route(.any) { Reply.text($0.text) } }
        let stream = GatedStream(parts: ["green "])
        defer { stream.open(parts: []) }
        let request = request(stream)
        let text = Task { try await server.text(request) }
        await stream.untilBlocked()
        try await clock.sleep(for: .seconds(60))
        let error = await #expect(throws: URLError.self) { try await text.value }
        #expect(error?.code == .timedOut)
        #expect(clock.now.offset == .seconds(60))
    }

    @Test(.hangLimit) func `each part of a body restarts the interval`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) { Route(.any) { Reply.text($0.text) } }
        let stream = GatedStream(parts: ["green "])
        let request = request(stream)
        async let text = server.text(request)
        for part in ["tea ", "leaf"] {
            await stream.untilBlocked()
            try await clock.sleep(for: .seconds(40))
            if part == "leaf" { stream.open(parts: [part]) } else { stream.send(part) }
        }
        #expect(try await text == "green tea leaf")
        #expect(clock.now.offset == .seconds(80))
    }

    @Test func `a stream that fails fails the request`() async throws {
        let error = await #expect(throws: (any Error).self) {
            try await server.text(request(GatedStream(parts: ["green ", nil])))
        }
        #expect((error as? POSIXError)?.code == .EIO, "\(String(describing: error))")
        #expect(server.requests.isEmpty)
    }

    private let clock = VirtualClock(.stepped)
}

/// A stream that waits for further parts after its first ones.
private final class GatedStream: InputStream {
    private struct State {
        /// The parts to read. `nil` is a failure, an empty part is the end.
        var parts: [String?]
        var reads = 0
    }

    private let state: LockedState<State>
    private let gate = DispatchSemaphore(value: 0)
    private let blocked = AsyncStream<Void>.makeStream()
    private let closed = AsyncStream<Void>.makeStream()

    init(parts: [String?]) {
        state = LockedState(State(parts: parts))
        super.init(data: Data())
    }

    /// The number of parts that were read.
    var reads: Int { state.withLock { $0.reads } }

    func untilBlocked() async { for await _ in blocked.stream { break } }

    func untilClosed() async { for await _ in closed.stream { break } }

    /// Lets the reader continue with the last parts.
    func open(parts: [String?]) { add(parts + [""]) }

    /// Lets the reader continue with a part, after which it waits again.
    func send(_ part: String) { add([part]) }

    private func add(_ parts: [String?]) {
        state.withLock { $0.parts = parts }
        gate.signal()
    }

    override var streamError: (any Error)? { POSIXError(.EIO) }

    override func open() {}

    override func close() { closed.continuation.yield() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        if state.withLock({ $0.parts.isEmpty }) {
            blocked.continuation.yield()
            gate.wait()
        }
        let part = state.withLock { state -> String? in
            state.reads += 1
            return state.parts.removeFirst()
        }
        guard let part else { return -1 }
        Data(part.utf8).copyBytes(to: buffer, count: part.utf8.count)
        return part.utf8.count
    }
}
