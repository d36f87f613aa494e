import Foundation
import MockTransport
import RESTClient

/// A run of one `SimulationScenario` that checks the guarantees of the listing.
package struct Simulation: Sendable {
    package struct Result: Sendable {
        package let scenario: SimulationScenario
        /// Descriptions of the violated guarantees.
        package var violations: [String] = []
        package var counts = SimulationCounts()
    }

    /// The items that the consumer received, and the result of the listing.
    private struct Received: Sendable {
        enum End: Sendable {
            case complete
            case failed(RESTClientError)
            case cancelled
            /// The consumer left the loop.
            case stopped
            /// An error that is neither `RESTClientError` nor `CancellationError`.
            case unexpected(any Error)
        }

        var indices: [Int] = []
        var violations: [String] = []
        var end = End.complete
    }

    private let scenario: SimulationScenario
    private let clock = SimulationClock()
    private let server: SimulatedServer
    private let recorder: EventRecorder

    private init(_ scenario: SimulationScenario) {
        self.scenario = scenario
        server = SimulatedServer(scenario, clock: clock)
        recorder = EventRecorder(server.secrets)
    }

    /// Simulates the scenario of `seed`.
    @concurrent package static func run(seed: UInt64) async -> Result {
        await Simulation(SimulationScenario(seed: seed)).run()
    }

    private func run() async -> Result {
        let server = server
        let mock = MockServer(clock: clock) { Route(.any) { request in server.reply(to: request) } }
        let manager = manager(mock)
        let advancing = Task { await clock.advanceWhenIdle() }
        let received = await consume(client(manager))
        clock.stop()
        await advancing.value
        withExtendedLifetime(mock) {}
        return Result(scenario: scenario, violations: violations(received), counts: counts(received))
    }

    // MARK: Client

    private func manager(_ mock: MockServer) -> SessionManager {
        var interceptors: [any RequestInterceptor] = []
        let generator = LockedState(SeededGenerator(seed: scenario.backoffSeed))
        let random = { @Sendable in generator.withLock { Double.random(in: 0...1, using: &$0) } }
        if scenario.attempts > 1 {
            let budget = scenario.budget.map {
                RetryBudget(capacity: $0.capacity, tokensPerRequest: $0.perRequest)
            }
            interceptors.append(
                RetryPolicy(
                    maxAttempts: scenario.attempts, backoff: .exponential(random: random), budget: budget))
        }
        if case .bearerToken(let hasInitialToken, _) = scenario.credentials {
            interceptors.append(authenticator(hasInitialToken: hasInitialToken))
        }
        return SessionManager(
            configuration: mock.configuration, interceptors: interceptors,
            options: RequestOptions(timeouts: scenario.timeouts), monitor: recorder.monitor, clock: clock)
    }

    private var base: URL {
        // A loop to the first page is detected only if its URL is the one that the pages name.
        let query = scenario.collection.loop.map { _ in "?\(scenario.collection.paging.firstQuery)" } ?? ""
        return URL(string: "http://\(SimulatedServer.host)\(SimulatedServer.path)\(query)")
            ?? URL(filePath: "/")
    }

    private func authenticator(hasInitialToken: Bool) -> Authenticator {
        let tokens = URL(string: "/token", relativeTo: base)?.absoluteURL ?? base
        return Authenticator(
            for: base, credential: hasInitialToken ? .bearer("\(server.secrets.token)-0") : nil
        ) {
            _, manager in
            .bearer(try await manager.request(tokens, method: .put).string())
        }
    }

    private func client(_ manager: SessionManager) -> MyRESTClient {
        var headers: HTTPHeaders = [:]
        if case .headers = scenario.credentials {
            headers["X-Api-Key"] = server.secrets.key
            headers["Cookie"] = "session=\(server.secrets.cookie)"
        }
        let isPost = scenario.collection.paging.isPost
        let body: RequestBody? = isPost ? .json(["q": "tea"] as JSONLiteral) : nil
        return MyRESTClient(
            manager.request(base, method: isPost ? .post : .get, headers: headers, body: body),
            listing: scenario.listing)
    }

    // MARK: Consumer

    private func consume(_ client: MyRESTClient) async -> Received {
        let listing = Task { () -> Received in
            var received = Received()
            await list(client, into: &received)
            return received
        }
        guard case .cancelledAt(let time) = scenario.consumer else { return await listing.value }
        let clock = clock
        let canceller = Task {
            try await clock.sleep(until: .init(offset: time), tolerance: .zero)
            listing.cancel()
        }
        defer { canceller.cancel() }
        return await listing.value
    }

    /// Lists the items, and resumes after failures if the consumer does.
    private func list(_ client: MyRESTClient, into received: inout Received) async {
        let isLazy = scenario.api != .getAvailableItems
        var rounds = 1
        if case .resuming(let retries) = scenario.consumer, isLazy { rounds += retries }
        var token: ResumeToken?
        for round in 1...rounds {
            let before = received.indices.count
            server.noteListingStart()
            do {
                let isStopped = try await list(client, from: token, into: &received)
                received.end = isStopped ? .stopped : .complete
            } catch is CancellationError {
                received.end = .cancelled
            } catch let error as RESTClientError {
                received.end = .failed(error)
                if isLazy { check(error, received.indices.count - before, &received) }
            } catch {
                received.end = .unexpected(error)
            }
            guard round < rounds, case .failed(let error) = received.end,
                let next = error.listingProgress?.resume
            else { return }
            // The token is converted to text and back, as an application that saves it would.
            token = ResumeToken(rawValue: next.rawValue)
            if token == nil { received.violations.append("the resume token \(next) is not valid as text") }
        }
    }

    private func check(_ error: RESTClientError, _ count: Int, _ received: inout Received) {
        guard let listing = error.listingProgress else {
            return received.violations.append("the error has no listing progress: \(error.kind)")
        }
        if server.isPastTotalTimeout, case .fast = scenario.consumer {
            received.violations.append("failed long after the total timeout: \(error.kind)")
        }
        if listing.itemCount != count {
            received.violations.append(
                "the error reports \(listing.itemCount) items, but \(count) were received")
        }
    }

    /// Returns `true` if the consumer left the loop.
    private func list(
        _ client: MyRESTClient, from token: ResumeToken?, into received: inout Received
    ) async throws -> Bool {
        switch scenario.api {
        case .items:
            for try await item in client.items(as: IndexedItem.self, from: token) {
                if try await receive(item.index, &received) { return true }
            }
        case .pages:
            for try await page in client.pages(as: IndexedItem.self, from: token) {
                var isStopped = false
                // All items of a page count as received.
                for item in page.items where try await receive(item.index, &received) { isStopped = true }
                if isStopped { return true }
            }
        case .elements:
            for try await batch in client.elements(from: token) {
                var texts: [String] = []
                batch.forEach { element in
                    texts.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                }
                var isStopped = false
                for text in texts {
                    let index = received.indices.count
                    if text != scenario.collection.json(index) {
                        received.violations.append("element \(index) is \(text)")
                    }
                    if try await receive(index, &received) { isStopped = true }
                }
                if isStopped { return true }
            }
        case .getAvailableItems:
            received.indices += try await client.getAvailableItems(as: IndexedItem.self).map(\.index)
        }
        return false
    }

    /// Handles an item as the consumer does; returns `true` if the consumer leaves the loop.
    private func receive(_ index: Int, _ received: inout Received) async throws -> Bool {
        received.indices.append(index)
        let count = received.indices.count
        server.note(received: count)
        switch scenario.consumer {
        case .slow where count % 5 == 1:
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(2 * count * 17 % 4_000)))
        case .cancellingAfter(let limit) where count > limit: withUnsafeCurrentTask { $0?.cancel() }
        case .stoppingAfter(let limit) where count > limit: return true
        default: break
        }
        return false
    }

    // MARK: Checks

    private func violations(_ received: Received) -> [String] {
        var violations = received.violations + server.log.violations + recorder.violations
        let indices = received.indices
        let collection = scenario.collection
        if let index = indices.indices.first(where: { indices[$0] != $0 }) {
            violations.append("received item \(indices[index]) instead of \(index)")
        }
        switch received.end {
        case .complete:
            if indices.count != collection.count || collection.isEndless {
                violations.append("complete with \(indices.count) of \(collection.count) items")
            }
            if collection.loop != nil { violations.append("complete although the pages form a loop") }
            if collection.crossOriginPage != nil {
                violations.append("complete although a page is at another origin")
            }
            let longest = (0..<collection.count).map { collection.json($0).utf8.count }.max() ?? 0
            if longest > scenario.listing.maxItemBytes {
                violations.append("complete although an item is longer than maxItemBytes")
            }
        case .unexpected(let error): violations.append("unexpected error type: \(error)")
        case .cancelled:
            switch scenario.consumer {
            case .cancellingAfter, .cancelledAt: break
            default: violations.append("CancellationError without a cancellation")
            }
        case .failed(let error):
            if server.secrets.leak(in: "\(error) \(error.listingProgress?.resume?.rawValue ?? "")") {
                violations.append("the error contains a secret: \(error)")
            }
            if scenario.mustComplete { violations.append("failed without a fault or limit: \(error)") }
        case .stopped: break
        }
        return violations + retryViolations()
    }

    private func retryViolations() -> [String] {
        let events = recorder.counts
        let log = server.log
        var violations: [String] = []
        if scenario.attempts == 1, events.retries > 0 {
            violations.append("\(events.retries) retries without a retry policy")
        }
        if let budget = scenario.budget, scenario.attempts > 1 {
            let allowed = Double(budget.capacity) + budget.perRequest * Double(events.created)
            let charged = events.retries - events.requestedRetries
            if Double(charged) > allowed + 1e-6 {
                violations.append("\(charged) retries exceed the budget of \(allowed)")
            }
        }
        if events.retries > (scenario.attempts - 1) * events.created {
            violations.append("\(events.retries) retries of \(events.created) requests")
        }
        // Each request to the server is a new one, a retry, a redirect, or repeated with a new token.
        let expected = events.created + events.retries + events.redirects + log.unauthorizedReplies
        if log.requests > expected {
            violations.append(
                "the server received \(log.requests) requests, at most \(expected) were expected")
        }
        return violations
    }

    private func counts(_ received: Received) -> SimulationCounts {
        let log = server.log
        var counts = SimulationCounts()
        counts.listings = 1
        counts.items = received.indices.count
        counts.requests = log.requests
        counts.retries = recorder.counts.retries
        counts.crossOriginRequests = log.crossOriginRequests
        counts.tokenRequests = log.tokenRequests
        counts.virtualTime = clock.now.offset
        switch received.end {
        case .complete: counts.complete = 1
        case .failed, .unexpected: counts.failed = 1
        case .cancelled: counts.cancelled = 1
        case .stopped: counts.stopped = 1
        }
        return counts
    }
}

/// Counts the events of a session manager, and checks them for secrets.
private final class EventRecorder: Sendable {
    struct Counts: Sendable {
        var created = 0
        var retries = 0
        /// The retries after a `Retry-After`, which the budget does not limit.
        var requestedRetries = 0
        var redirects = 0
    }

    private let secrets: SimulatedServer.Secrets
    private let state = LockedState((counts: Counts(), violations: [String]()))

    init(_ secrets: SimulatedServer.Secrets) { self.secrets = secrets }

    var counts: Counts { state.withLock { $0.counts } }
    var violations: [String] { state.withLock { $0.violations } }

    var monitor: EventMonitor {
        EventMonitor { [self] event in
            let isLeak = secrets.leak(in: "\(event)")
            state.withLock { state in
                if isLeak { state.violations.append("an event contains a secret") }
                switch event.kind {
                case .created: state.counts.created += 1
                case .waiting(_, let reason):
                    state.counts.retries += 1
                    if reason.contains("(Retry-After)") { state.counts.requestedRetries += 1 }
                case .redirect: state.counts.redirects += 1
                default: break
                }
            }
        }
    }
}
