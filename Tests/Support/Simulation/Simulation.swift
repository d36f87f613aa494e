import Foundation
import RESTClientHTTP
import MockTransport
import RESTClient

/// One listing as its seed makes it: runs it, and says what it should not have done.
package struct Simulation: Sendable {
    /// How the consumer saw it end.
    enum End: Sendable {
        case complete
        case failed(RESTClientError)
        case cancelled
        /// The consumer had enough.
        case left
        /// An error that is not ours to throw.
        case strange(any Error)
    }

    /// What a run came to.
    package struct Result: Sendable {
        package let scenario: Scenario
        /// What is broken; empty when all holds.
        package var broken: [String] = []
        package var tally = Tally()
    }

    private struct Delivery: Sendable {
        var numbers: [Int] = []
        var wrong: [String] = []
        var end = End.complete
    }

    private let scenario: Scenario
    private let clock = SimulationClock()
    private let server: SimulatedServer
    private let watch: EventWatch

    private init(_ scenario: Scenario) {
        self.scenario = scenario
        server = SimulatedServer(scenario, clock: clock)
        watch = EventWatch(server.secrets)
    }

    /// Runs the scenario of `seed` to its end.
    @concurrent package static func run(seed: UInt64) async -> Result {
        let simulation = Simulation(Scenario(seed: seed))
        return await simulation.run()
    }

    private func run() async -> Result {
        let server = server
        let mock = MockServer(clock: clock) { Route(.any) { request in server.reply(to: request) } }
        let manager = manager(mock)
        let driver = Task { await clock.drive() }
        let delivery = await consume(client(manager))
        clock.stop()
        await driver.value
        var result = Result(scenario: scenario)
        result.broken = broken(delivery)
        result.tally = tally(delivery)
        withExtendedLifetime(mock) {}
        return result
    }

    // MARK: The client

    private func manager(_ mock: MockServer) -> SessionManager {
        var interceptors: [any RequestInterceptor] = []
        let dice = LockedState(SeededGenerator(seed: scenario.backoffSeed))
        let random = { @Sendable in dice.withLock { Double.random(in: 0...1, using: &$0) } }
        if scenario.attempts > 1 {
            let budget = scenario.budget.map {
                RetryBudget(capacity: $0.capacity, tokensPerRequest: $0.perRequest)
            }
            interceptors.append(
                RetryPolicy(
                    maxAttempts: scenario.attempts, backoff: .exponential(random: random), budget: budget))
        }
        if case .token(let isThereAtFirst, _) = scenario.identity {
            interceptors.append(authenticator(isThereAtFirst))
        }
        return SessionManager(
            configuration: mock.configuration, interceptors: interceptors,
            options: RequestOptions(timeouts: scenario.timeouts), monitor: watch.monitor, clock: clock)
    }

    private var base: URL {
        // A first page that is led back to is known by its own URL only.
        let query = scenario.collection.trap.map { _ in "?\(scenario.collection.query(of: 0))" } ?? ""
        return URL(string: "http://\(SimulatedServer.host)\(SimulatedServer.path)\(query)")
            ?? URL(filePath: "/")
    }

    private func authenticator(_ isThereAtFirst: Bool) -> Authenticator {
        let tokens = URL(string: "/token", relativeTo: base)?.absoluteURL ?? base
        return Authenticator(
            for: base, credential: isThereAtFirst ? .bearer("\(server.secrets.token)-0") : nil
        ) {
            _, manager in
            .bearer(try await manager.request(tokens, method: .put).string())
        }
    }

    private func client(_ manager: SessionManager) -> MyRESTClient {
        var headers: HTTPHeaders = [:]
        if case .headers = scenario.identity {
            headers["X-Api-Key"] = server.secrets.key
            headers["Cookie"] = "session=\(server.secrets.cookie)"
        }
        return MyRESTClient(manager.request(base, headers: headers), listing: scenario.listing)
    }

    // MARK: The consumer

    private func consume(_ client: MyRESTClient) async -> Delivery {
        let reading = Task { () -> Delivery in
            var delivery = Delivery()
            switch scenario.collection.kind {
            case .word: await read(client, as: Word.self, into: &delivery)
            case .figure: await read(client, as: Figure.self, into: &delivery)
            case .record: await read(client, as: Record.self, into: &delivery)
            case .pair: await read(client, as: Pair.self, into: &delivery)
            }
            return delivery
        }
        guard case .cancelledAt(let moment) = scenario.consumer else { return await reading.value }
        let clock = clock
        let canceller = Task {
            try await clock.sleep(until: .init(offset: moment), tolerance: .zero)
            reading.cancel()
        }
        defer { canceller.cancel() }
        return await reading.value
    }

    /// Reads, and goes on behind a failure if that is the consumer's way.
    private func read<Item: Numbered>(
        _ client: MyRESTClient, as type: Item.Type, into delivery: inout Delivery
    ) async {
        var rounds = 1
        if case .resuming(let most) = scenario.consumer, scenario.door != .whole { rounds += most }
        var token: ResumeToken?
        for round in 1...rounds {
            let before = delivery.numbers.count
            server.noteRound()
            do {
                let isLeft = try await read(client, as: type, from: token, into: &delivery)
                delivery.end = isLeft ? .left : .complete
            } catch is CancellationError {
                delivery.end = .cancelled
            } catch let error as RESTClientError {
                delivery.end = .failed(error)
                if scenario.door != .whole { check(error, delivery.numbers.count - before, &delivery) }
            } catch {
                delivery.end = .strange(error)
            }
            guard round < rounds, case .failed(let error) = delivery.end, let next = error.listing?.resume
            else { return }
            // Through text, as over a restart of the process.
            token = ResumeToken(rawValue: next.rawValue)
            if token == nil { delivery.wrong.append("the resume token \(next) does not survive as text") }
        }
    }

    private func check(_ error: RESTClientError, _ count: Int, _ delivery: inout Delivery) {
        // Of pages only whole ones are handed out; the error counts what was handed out.
        guard let listing = error.listing else {
            return delivery.wrong.append("an error does not say how far the listing got: \(error.kind)")
        }
        if server.isOvertime, case .fast = scenario.consumer {
            delivery.wrong.append("the total timeout has long passed: \(error.kind)")
        }
        if listing.items != count {
            delivery.wrong.append("the error says \(listing.items) items, \(count) came")
        }
    }

    /// True when the consumer left.
    private func read<Item: Numbered>(
        _ client: MyRESTClient, as type: Item.Type, from token: ResumeToken?, into delivery: inout Delivery
    ) async throws -> Bool {
        switch scenario.door {
        case .items:
            for try await item in client.items(as: type, from: token) {
                if try await take(item.number, &delivery) { return true }
            }
        case .pages:
            for try await page in client.pages(as: type, from: token) {
                var isLeft = false
                // What has been handed out has been handed out.
                for item in page.items where try await take(item.number, &delivery) { isLeft = true }
                if isLeft { return true }
            }
        case .elements:
            for try await batch in client.elements(from: token) {
                var texts: [String] = []
                batch.forEach { element in
                    texts.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                }
                var isLeft = false
                for text in texts {
                    let number = delivery.numbers.count
                    if text != scenario.collection.json(number) {
                        delivery.wrong.append("element \(number) is \(text)")
                    }
                    if try await take(number, &delivery) { isLeft = true }
                }
                if isLeft { return true }
            }
        case .whole:
            delivery.numbers += try await client.getAvailableItems(as: type).map(\.number)
        }
        return false
    }

    /// Takes an item as the consumer does; true when that was enough.
    private func take(_ number: Int, _ delivery: inout Delivery) async throws -> Bool {
        delivery.numbers.append(number)
        let count = delivery.numbers.count
        server.note(consumed: count)
        switch scenario.consumer {
        case .slow where count % 5 == 1:
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(2 * count * 17 % 4_000)))
        case .cancellingAfter(let most) where count > most: withUnsafeCurrentTask { $0?.cancel() }
        case .leavingAfter(let most) where count > most: return true
        default: break
        }
        return false
    }

    // MARK: The verdict

    private func broken(_ delivery: Delivery) -> [String] {
        var broken = delivery.wrong + server.ledger.wrong + watch.wrong
        let numbers = delivery.numbers
        let collection = scenario.collection
        if let place = numbers.indices.first(where: { numbers[$0] != $0 }) {
            broken.append("item \(numbers[place]) came in place of \(place): lost or doubled")
        }
        if case .complete = delivery.end {
            if numbers.count != collection.count || collection.isEndless {
                broken.append("called complete with \(numbers.count) of \(collection.count) items")
            }
            if collection.trap != nil { broken.append("called complete although the pages go in a circle") }
            if collection.lure != nil { broken.append("called complete although a page is elsewhere") }
            let longest = (0..<collection.count).map { collection.json($0).utf8.count }.max() ?? 0
            if longest > scenario.listing.maxItemBytes {
                broken.append("an item is longer than maxItemBytes")
            }
        }
        switch delivery.end {
        case .strange(let error): broken.append("an error of another kind: \(error)")
        case .cancelled:
            switch scenario.consumer {
            case .cancellingAfter, .cancelledAt: break
            default: broken.append("CancellationError, and nobody cancelled")
            }
        case .failed(let error):
            if server.secrets.leak(in: "\(error) \(error.listing?.resume?.rawValue ?? "")") {
                broken.append("a secret is in the error: \(error)")
            }
            if scenario.isCalm { broken.append("failed although nothing was in the way: \(error)") }
        case .complete, .left: break
        }
        return broken + brokenBudget()
    }

    private func brokenBudget() -> [String] {
        let counts = watch.counts
        let ledger = server.ledger
        var broken: [String] = []
        if scenario.attempts == 1, counts.waits > 0 {
            broken.append("\(counts.waits) retries without a policy")
        }
        if let budget = scenario.budget, scenario.attempts > 1 {
            let most = Double(budget.capacity) + budget.perRequest * Double(counts.created)
            if Double(counts.waits) > most + 1e-6 {
                broken.append("\(counts.waits) retries, where the budget has \(most)")
            }
        }
        if counts.waits > (scenario.attempts - 1) * counts.created {
            broken.append("\(counts.waits) retries of \(counts.created) requests")
        }
        // Whatever comes to the server was asked for, tried again, redirected, or refused for its token.
        let explained = counts.created + counts.waits + counts.redirects + ledger.refusals
        if ledger.requests > explained {
            broken.append("\(ledger.requests) requests came, \(explained) are explained")
        }
        return broken
    }

    private func tally(_ delivery: Delivery) -> Tally {
        var tally = Tally()
        tally.listings = 1
        tally.items = delivery.numbers.count
        tally.requests = server.ledger.requests
        tally.retries = watch.counts.waits
        tally.strangers = server.ledger.strangers
        tally.renewals = server.ledger.renewals
        tally.time = clock.now.offset
        switch delivery.end {
        case .complete: tally.complete = 1
        case .failed, .strange: tally.failed = 1
        case .cancelled: tally.cancelled = 1
        case .left: tally.left = 1
        }
        return tally
    }
}
