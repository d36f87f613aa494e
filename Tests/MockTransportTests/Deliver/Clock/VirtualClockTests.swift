import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import MockTransport

@Suite(.hangLimit) struct VirtualClockTests {
    @Test func `advance ends the next wait and returns its length`() async throws {
        let clock = VirtualClock(.stepped)
        let sleeper = Task {
            try await clock.sleep(for: .seconds(1))
            try await clock.sleep(for: .seconds(2))
        }
        #expect(try await clock.advance() == .seconds(1))
        #expect(try await clock.advance() == .seconds(2))
        try await sleeper.value
        #expect(clock.now.offset == .seconds(3))
    }

    @Test func `waits end in the order of their deadlines`() async throws {
        let clock = VirtualClock(.stepped)
        let diary = LockedState<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    diary.withLock { $0.append("\(seconds)") }
                }
            }
            while clock.sleepCount < 3 { await Task.yield() }
            for expected in 1...3 {
                while clock.now.offset < .seconds(expected) { try await clock.advance() }
                while diary.withLock({ $0.count }) < expected { await Task.yield() }
            }
            try await group.waitForAll()
        }
        #expect(diary.withLock { $0 } == ["1", "2", "3"])
    }

    @Test func `the clock does not advance for a sleep with a tolerance`() async throws {
        let clock = VirtualClock(.stepped)
        let timeout = Task { try await clock.sleep(for: .seconds(30), tolerance: .milliseconds(1)) }
        let error = await #expect(throws: VirtualClockError.self) {
            try await clock.advance(within: .milliseconds(50))
        }
        #expect(
            error?.description
                == "no task waited on the virtual clock within 0.05 seconds; timeouts are set for 30.0 seconds"
        )
        timeout.cancel()
        await #expect(throws: CancellationError.self) { try await timeout.value }
        #expect(clock.now.offset == .zero)
    }

    @Test func `a timeout fires when the clock passes it`() async throws {
        let clock = VirtualClock(.stepped)
        let diary = LockedState<[String]>([])
        let timeout = Task {
            try await clock.sleep(for: .seconds(30), tolerance: .zero)
            diary.withLock { $0.append("guard at \(clock.now.offset)") }
        }
        let wait = Task {
            try await clock.sleep(for: .seconds(60))
            diary.withLock { $0.append("wait at \(clock.now.offset)") }
        }
        while true {
            do { try await clock.advance(within: .milliseconds(20)) } catch { break }
        }
        try await timeout.value
        try await wait.value
        #expect(Set(diary.withLock { $0 }) == ["guard at 60.0 seconds", "wait at 60.0 seconds"])
    }

    @Test func `advancing by a duration ends the sleeps up to then, including new ones`() async throws {
        let clock = VirtualClock(.stepped)
        let diary = LockedState<[String]>([])
        let sleeper = Task {
            for _ in 0..<5 {
                try await clock.sleep(for: .seconds(2))
                diary.withLock { $0.append("\(clock.now.offset)") }
            }
        }
        try await clock.advance(by: .seconds(7))
        #expect(clock.now.offset == .seconds(7))
        #expect(diary.withLock { $0 } == ["2.0 seconds", "4.0 seconds", "6.0 seconds"])
        try await clock.advance(by: .seconds(3))
        try await sleeper.value
        #expect(diary.withLock { $0 }.count == 5)
    }

    @Test func `a sleep with a past deadline returns immediately`() async throws {
        let clock = VirtualClock(.stepped)
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
    }

    @Test func `a cancelled sleep throws, even if it was cancelled before it started`() async throws {
        let clock = VirtualClock(.stepped)
        for delay in 0..<50 {
            let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
            for _ in 0..<delay { await Task.yield() }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        await #expect(throws: VirtualClockError.self) { try await clock.advance(within: .milliseconds(10)) }
    }

    @Test func `a stalled reply is a wait that ends at the next timeout`() async throws {
        let clock = VirtualClock(.stepped)
        let server = MockServer(clock: clock) { Route(.any) { Reply.fault(.stall(.beforeHead)) } }
        let text = Task { try await server.text("http://shop.example/") }
        let timeout = Task { try await clock.sleep(for: .seconds(30), tolerance: .zero) }
        #expect(try await clock.advance() == .seconds(30))
        try await timeout.value
        withExtendedLifetime(text) {}
    }

    // MARK: Automatic

    @Test func `a delay of an hour takes no real time`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("tea").delay(.seconds(3_600)) } }
        var request = URLRequest(url: URL(literal: "http://shop.example/"))
        request.timeoutInterval = 7_200
        let start = ContinuousClock.now
        #expect(try await server.text(request) == "tea")
        #expect(clock.now.offset == .seconds(3_600))
        #expect(start.duration(to: .now) < .seconds(1800))
    }

    @Test func `the replies of several requests wait independently`() async throws {
        let server = MockServer(clock: VirtualClock()) {
            Route("/:seconds<Int>") { request in
                .text("done").delay(.seconds(request["seconds", as: Int.self] ?? 0))
            }
        }
        async let slow = server.text("http://h.example/30")
        async let medium = server.text("http://h.example/20")
        async let fast = server.text("http://h.example/10")
        _ = try await (slow, medium, fast)
        let durations = server.exchanges.map { ($0.request.url.path(), $0.duration) }.sorted { $0.0 < $1.0 }
        #expect(durations.map(\.0) == ["/10", "/20", "/30"])
        #expect(durations.map(\.1) == [.seconds(10), .seconds(20), .seconds(30)])
    }
    @Test func `a timeout fires for a stalled reply but not for other replies`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route("/stall") { Reply.fault(.stall(.afterHead)) }
            Route("/now") { Reply.text("now") }
        }
        let timeout = Task { try await clock.sleep(for: .seconds(30), tolerance: .zero) }
        for _ in 0..<10 { #expect(try await server.text("http://shop.example/now") == "now") }
        #expect(clock.now.offset == .zero)
        let stalled = Task { try await server.text("http://shop.example/stall") }
        try await timeout.value
        #expect(clock.now.offset == .seconds(30))
        withExtendedLifetime(stalled) {}
    }

    @Test func `a handler that waits on the clock does not stop it`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route(.any) { _ in
                try await clock.sleep(for: .seconds(10))
                async let first: Void = clock.sleep(for: .seconds(5))
                async let second: Void = clock.sleep(for: .seconds(7))
                _ = try await (first, second)
                return .text("tea").delay(.seconds(3))
            }
        }
        #expect(try await server.text("http://shop.example/") == "tea")
        #expect(clock.now.offset == .seconds(20))
    }

    @Test(.hangLimit)
    func `a handler that sends a request to its own server does not stop the clock`() async throws {
        let clock = VirtualClock()
        let own = LockedState<URLSession?>(nil)
        let server = MockServer(clock: clock) {
            Route("/outer") { _ in
                let session = try #require(own.withLock { $0 })
                let (data, _) = try await session.data(from: URL(literal: "http://shop.example/inner"))
                return .text("outer \(String(decoding: data, as: UTF8.self))").delay(.seconds(3))
            }
            Route("/inner") { Reply.text("inner").delay(.seconds(5)) }
        }
        own.withLock { $0 = URLSession(configuration: server.configuration) }
        #expect(try await server.text("http://shop.example/outer") == "outer inner")
        #expect(clock.now.offset == .seconds(8))
    }

    @Test func `the clock does not advance while a handler works`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) {
            Route("/slow") { _ in
                try await Task.sleep(for: .milliseconds(150))
                return .text("\(clock.now.offset)")
            }
        }
        async let other: Void = clock.sleep(for: .seconds(60))
        #expect(try await server.text("http://shop.example/slow") == "0.0 seconds")
        try await other
    }

    // Exit tests exist on macOS and Linux only, so the other arm is empty.
    #if os(macOS) || os(Linux)
    @Test func `forty steps are in order and take no time while all processors are busy`() async {
        // In a process without other tests. A step took a quarter of a second.
        await #expect(processExitsWith: .success) {
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                Thread.detachNewThread { while true {} }
            }
            let clock = VirtualClock()
            let server = MockServer(clock: clock) {
                Route("/compute") { _ in
                    let start = ContinuousClock.now
                    while start.duration(to: .now) < .milliseconds(200) {}
                    return .text("\(clock.now.offset)")
                }
            }
            let diary = LockedState<[Int]>([])
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 1...2 {
                    group.addTask {
                        for step in 0..<20 {
                            try await clock.sleep(until: .init(offset: .seconds(2 * step + lane)))
                            diary.withLock { $0.append(2 * step + lane) }
                        }
                    }
                }
                guard try await server.text("http://shop.example/compute") == "0.0 seconds" else {
                    fatalError("the clock advanced while a handler worked")
                }
                try await group.waitForAll()
            }
            let steps = diary.withLock { $0 }
            guard steps == Array(1...40) else { fatalError("\(steps)") }
            guard start.duration(to: .now) < .seconds(6) else { fatalError("\(start.duration(to: .now))") }
        }
    }
    #endif

    enum Hang: CaseIterable { case continuation, sleep, yields, reads, sleepOnOtherClock }

    /// All of them in the process; a socket differs in the reply.
    private static let hangs = Hang.allCases.map { ($0, false) } + [(.continuation, true)]

    @Test(.hangLimit, arguments: hangs)
    func `a handler that neither returns nor waits on the clock fails its request`(
        hang: Hang, isOnSocket: Bool
    ) async throws {
        let clock = VirtualClock(handlerLimit: .milliseconds(50))
        let other = VirtualClock(.stepped)
        let never = AsyncStream<Void>.makeStream()
        let server = MockServer(clock: clock) {
            Route("/never", fileID: "Shop/ShopTests.swift", line: 12) { _ in
                switch hang {
                // Ignores its cancellation.
                case .continuation: await Task.detached { for await _ in never.stream { break } }.value
                case .sleep: try await Task.sleep(for: .seconds(3_600))
                case .yields: while !Task.isCancelled { await Task.yield() }
                case .reads: while !Task.isCancelled, clock.now.offset < .seconds(1) { await Task.yield() }
                case .sleepOnOtherClock: try await other.sleep(for: .seconds(1))
                }
                return .text("late")
            }
            Route("/other") { Reply.text("tea").delay(.seconds(3)) }
        }
        let loopback = isOnSocket ? try await server.listen() : nil
        let session = URLSession(configuration: isOnSocket ? .ephemeral : server.configuration)
        let base = loopback?.url ?? URL(literal: "http://shop.example/")
        async let wait: Void = clock.sleep(for: .seconds(60))
        let message = """
            GET \(base.appending(path: "never")): the handler of Route("/never") at ShopTests.swift:12 has neither returned nor \
            waited on the virtual clock for 0.05 seconds of real time, and the clock cannot advance while it runs. Return a \
            reply, wait on the clock of the server, or create the VirtualClock with a longer handlerLimit.
            """
        do {
            let (data, response) = try await session.data(from: base.appending(path: "never"))
            #expect(isOnSocket && String(decoding: data, as: UTF8.self) == "\(message)\n")
            #expect((response as? HTTPURLResponse)?.statusCode == 500)
        } catch let error as MockServerError {
            #expect(!isOnSocket && error.description == message)
        }
        // The clock continues, and so does the connection.
        let (data, _) = try await session.data(from: base.appending(path: "other"))
        #expect(String(decoding: data, as: UTF8.self) == "tea")
        try await wait
        never.continuation.finish()
        #expect(throws: MockServerError.self) { try server.verify() }
        #expect(server.exchanges.first?.description.contains("rejected: GET") == true)
        await loopback?.close()
    }

    @Test(.hangLimit)
    func `a handler that waits on the clock, or for a request that does, is not stopped`() async throws {
        let clock = VirtualClock(.stepped, handlerLimit: .milliseconds(50))
        let own = LockedState<URLSession?>(nil)
        let server = MockServer(clock: clock) {
            Route("/sleep") { _ in
                try await clock.sleep(for: .seconds(1))
                return .text("tea")
            }
            Route("/request") { _ in
                let session = try #require(own.withLock { $0 })
                return .text(
                    "\(try await session.data(from: URL(literal: "http://shop.example/delay")).0.count)")
            }
            Route("/delay") { Reply.text("milk").delay(.seconds(1)) }
            Route("/never") { _ in
                try await Task.sleep(for: .seconds(3_600))
                return .text("late")
            }
        }
        own.withLock { $0 = URLSession(configuration: server.configuration) }
        async let waits = ["sleep", "request"].map { path in
            Task { try await server.text("http://shop.example/\(path)") }
        }
        while clock.sleepCount < 2 { await Task.yield() }
        // Takes at least as long as the limit.
        await #expect(throws: MockServerError.self) { try await server.text("http://shop.example/never") }
        try await clock.advance()
        var texts: [String] = []
        for wait in await waits { texts.append(try await wait.value) }
        #expect(texts == ["tea", "4"])
    }

    @Test(.hangLimit, arguments: [true, false])
    func `a test can wait on the clock before it yields the next chunk of a stream`(
        isOnSocket: Bool
    ) async throws {
        let clock = VirtualClock()
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let server = MockServer(clock: clock) { Route(.any) { Reply.stream(chunks) } }
        let loopback = isOnSocket ? try await server.listen() : nil
        let session = URLSession(configuration: isOnSocket ? .ephemeral : server.configuration)
        let url = loopback?.url ?? URL(literal: "http://shop.example/")
        async let data = session.data(from: url).0
        _ = try await server.requests(count: 1)
        for chunk in ["green ", "tea"] {
            try await clock.sleep(for: .seconds(20))
            continuation.yield(Data(chunk.utf8))
        }
        continuation.finish()
        #expect(String(decoding: try await data, as: UTF8.self) == "green tea")
        #expect(clock.now.offset == .seconds(40))
        await loopback?.close()
    }

    // MARK: Platforms

    @Test func `a request of an unknown sender suspends all holds until it is answered`() async {
        let clock = VirtualClock(.stepped)
        let handler = clock.hold()
        let request = clock.hold(senders: nil)
        // The delay of the reply suspends the hold for the work on the request.
        let delay = VirtualClock.$currentHold.withValue(request) {
            Task { try await clock.sleep(for: .seconds(1)) }
        }
        while clock.sleepCount == 0 { await Task.yield() }
        #expect(clock.isReady)
        request.release()
        #expect(!clock.isReady, "the handler continues")
        handler.release()
        #expect(clock.isReady)
        delay.cancel()
    }

    @Test func `without thread states a process is idle after 20 rounds without a change`() async {
        let reads = LockedState(0)
        let isIdle = await IdleDetector.isIdle {
            reads.withLock { $0 += 1 }
            return nil
        } while: {
            true
        }
        #expect(isIdle)
        #expect(reads.withLock { $0 } == 20)
    }
}

extension VirtualClock {
    /// The number of suspended sleeps.
    var sleepCount: Int { state.withLock { $0.sleeps.count } }

    /// `true` if a task waits and no work holds the clock.
    var isReady: Bool { state.withLock { $0.isReady } }
}
