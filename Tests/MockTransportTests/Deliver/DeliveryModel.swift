import Foundation
import RESTClientHTTP

@testable import MockTransport

/// A single thread that runs all work of a mock server in a random order: its tasks, its reads of bodies, and the blocks of
/// the run loop that loads the protocols.
///
/// The run loop is that of Apple platforms: blocks run one after the other in the order in which they were added, and only
/// in blocks may a protocol be called or call its client.
final class DeliveryModel: TaskExecutor, @unchecked Sendable {
    // SAFETY: used by one thread only.
    private var random: SeededGenerator
    private var jobs: [UnownedJob] = []
    private var work: [@Sendable () -> Void] = []
    private var blocks: [@Sendable () -> Void] = []
    private(set) var isInRunLoop = false
    let clock = VirtualClock(.stepped)

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    // MARK: Adding work

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    func add(_ item: @escaping @Sendable () -> Void) { work.append(item) }

    func perform(_ block: @escaping @Sendable () -> Void) { blocks.append(block) }

    /// Adds a block, sometimes later: the thread that calls this can be preempted before the call.
    func wakeUp(_ block: @escaping @Sendable () -> Void) {
        if number(below: 2) == 0 { add { self.perform(block) } } else { perform(block) }
    }

    /// The work of a server on this thread.
    var deliveryWork: DeliveryWork {
        DeliveryWork(
            startTask: { Task(executorPreference: self, operation: $0) }, runBlocking: { self.add($0) },
            runHandler: { self.add($0) }, highWaterMark: 2)
    }

    /// Suspends the calling task for a random time.
    func pause() async { await withCheckedContinuation { continuation in add { continuation.resume() } } }

    // MARK: Running

    /// Runs one piece of work. Returns `false` if there is none until the clock advances.
    func runNext() -> Bool {
        let count = jobs.count + work.count
        guard count > 0 || !blocks.isEmpty else { return false }
        let number = number(below: count + (blocks.isEmpty ? 0 : 1))
        if number < jobs.count {
            jobs.remove(at: number).runSynchronously(on: asUnownedTaskExecutor())
        } else if number < count {
            work.remove(at: number - jobs.count)()
        } else {
            isInRunLoop = true
            blocks.removeFirst()()
            isInRunLoop = false
        }
        return true
    }

    /// Ends the next wait on the clock. Returns `false` if there is none.
    func advance() -> Bool {
        let count = clock.sleepCount
        _ = clock.endNextWait()
        return clock.sleepCount < count
    }

    /// Runs all work, and advances the clock when there is none.
    func runAll() { while runNext() || advance() {} }
}

/// A kind of reply, with the body and the end that its client must receive.
struct DeliveryCase: Sendable {
    enum End { case success, failure, never }

    let path: String
    let body: Data
    let end: End

    init(_ path: String, _ body: String, _ end: End = .success) {
        (self.path, self.body, self.end) = (path, Data(body.utf8), end)
    }

    static let all = [
        Self("now", "tea"), Self("late", "tea"), Self("drip", "0123456789"), Self("stream", "0123"),
        Self("handler", "tea"), Self("latehandler", "tea"),
        Self("echo", "milk"), Self("throws", "", .failure), Self("lost", "0123", .failure),
        Self("refused", "", .failure), Self("unmatched", "", .failure), Self("silent", "", .never),
        Self("stalled", "0123", .never), Self("open", "0123456789", .never),
    ]

    static func routes(_ model: DeliveryModel) -> [Route] {
        struct TestError: Error {}
        let digits = "0123456789"
        return [
            Route("/now") { Reply.text("tea") }, Route("/late") { Reply.text("tea").delay(.seconds(1)) },
            Route("/drip") { Reply.text(digits).dribble(chunks: 3, over: .seconds(3)) },
            Route("/stream") { _ in .stream(PausedChunks(model, ["01", "2", "3"].map { Data($0.utf8) })) },
            Route("/handler") { _ in
                await model.pause()
                return .text("tea")
            },
            Route("/latehandler") { _ in
                try await model.clock.sleep(for: .seconds(1))
                return .text("tea").delay(.seconds(1))
            },
            Route("/echo") { request in .text(request.text) },
            Route("/throws") { _ in
                await model.pause()
                throw TestError()
            },
            Route("/lost") { Reply.text(digits).delay(.seconds(2)).fault(.reset(.inBody(after: 4))) },
            Route("/refused") { Reply.fault(.refused) },
            Route("/silent") { Reply.text(digits).fault(.stall(.beforeHead)) },
            Route("/stalled") { Reply.text(digits).fault(.stall(.inBody(after: 4))) },
            Route("/open") { Reply.text(digits).fault(.stall(.atEnd)) },
        ]
    }
}

/// Chunks with a random time before each.
private struct PausedChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let model: DeliveryModel
    private var rest: ArraySlice<Data>

    init(_ model: DeliveryModel, _ chunks: [Data]) { (self.model, rest) = (model, chunks[...]) }

    func makeAsyncIterator() -> Self { self }

    mutating func next() async -> Data? {
        await model.pause()
        return rest.popFirst()
    }
}

/// A client of a protocol that checks every call.
final class CheckingClient: NSObject, URLProtocolClient, @unchecked Sendable {
    // SAFETY: used by one thread only.
    private enum Phase { case head, body, ended, stopped }

    private var phase = Phase.head
    private let isInRunLoop: () -> Bool
    private(set) var violations: [String] = []
    private(set) var body = Data()
    private(set) var error: (any Error)?

    init(isInRunLoop: @escaping () -> Bool) { self.isInRunLoop = isInRunLoop }

    var hasResponse: Bool { phase != .head }
    var hasEnded: Bool { phase == .ended }
    var isStopped: Bool { phase == .stopped }

    /// Records that the platform has ended the load, which is allowed at any time.
    func stop() { if phase != .ended { phase = .stopped } }

    private func check(_ call: String, in phases: Phase...) {
        if !phases.contains(phase) { violations.append("\(call) in phase \(phase)") }
        if !isInRunLoop() { violations.append("\(call) outside the run loop") }
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        check("response", in: .head)
        phase = .body
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        check("data", in: .body)
        body += data
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        check("end", in: .body)
        phase = .ended
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        check("failure", in: .head, .body)
        phase = .ended
        self.error = error
    }
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) { violations.append("redirect") }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        violations.append("cached response")
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        violations.append("challenge")
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        violations.append("cancelled challenge")
    }
}
