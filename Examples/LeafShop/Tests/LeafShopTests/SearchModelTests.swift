import Foundation
import MockTransport
import MockTransportTesting
import Observation
import RESTClient
import Testing

@testable import LeafShop

@MainActor @Suite(.mocked) struct SearchModelTests {
    private let clock = VirtualClock()

    private func model(_ server: MockServer) -> SearchModel {
        let manager = SessionManager(
            baseURL: URL(string: "https://shop.example"), configuration: server.configuration, clock: clock)
        return SearchModel(clock: clock, leaves: LeafShop(manager: manager).leaves(matching:))
    }

    private let sencha = Leaf(id: 1, name: "Sencha")

    @Test func `fast typing sends one request, after a delay`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "https://shop.example/leaves", .query("q", "sen")) {
                Reply.json(["items": [["id": 1, "name": "Sencha"]]])
            }
        }
        let model = model(server)
        for text in ["s", "se", "sen", " sen"] { model.text = text }
        #expect(model.state == .idle)
        await model.searching?.value
        #expect(model.state == .loaded([sencha]))
        #expect(server.requests.map(\.time) == [.milliseconds(300)])
    }

    @Test func `a search is cancelled by the next`() async throws {
        let (endings, ending) = AsyncStream.makeStream(of: Void.self)
        let server = MockServer(clock: clock) {
            Route(.get, "/leaves", .query("q", "s")) { _ in
                defer { ending.finish() }
                try await Task.sleep(for: .seconds(60))  // until the client cancels its request
                return .json(["items": []])
            }
            Route(.get, "/leaves", .query("q", "sencha")) {
                Reply.json(["items": [["id": 1, "name": "Sencha"]]])
            }
        }
        let model = model(server)
        model.text = "s"
        _ = try await server.requests(count: 1)
        #expect(model.state == .loading)
        model.text = "sencha"
        for await _ in endings {}
        await model.searching?.value
        #expect(model.state == .loaded([sencha]))
    }

    @Test func `a failed search can be repeated`() async throws {
        let server = MockServer(clock: clock) {
            Route(.get, "/leaves") {
                Reply.status(503)
                Reply.json(["items": [["id": 1, "name": "Sencha"]]])
            }
        }
        let model = model(server)
        model.text = "sencha"
        await model.searching?.value
        #expect(
            model.state
                == .failed(
                    """
                    HTTP 503 Service Unavailable: GET https://shop.example/leaves?q=sencha
                      hint: try again later
                    """))
        model.search()
        await model.searching?.value
        #expect(model.state == .loaded([sencha]))
    }

    @Test func `a preview needs no server`() async throws {
        let results = SearchModel { _ in [Leaf(id: 1, name: "Sencha")] }
        results.text = "sencha"
        await results.searching?.value
        #expect(results.state == .loaded([sencha]))
        let failure = SearchModel { _ in throw RESTClientError(.timedOut(.idle)) }
        failure.text = "sencha"
        await failure.searching?.value
        #expect(failure.state == .failed(RESTClientError(.timedOut(.idle)).localizedDescription))
    }

    @Test func `an empty text ends the search`() async throws {
        let server = MockServer(clock: clock) { Route(.any) { Reply.status(500) }.called(0) }
        let model = model(server)
        model.text = "s"
        model.text = " "
        await model.searching?.value
        #expect(model.state == .idle)
    }

    @Test func `a search that is cancelled just after its delay does not load`() async throws {
        let model = SearchModel(clock: ElapsedClock()) { _ in [Leaf(id: 1, name: "Sencha")] }
        model.text = "s"
        model.text = ""
        await model.searching?.value
        #expect(model.state == .idle)
    }

    /// A clock whose delays have already ended, so that a cancellation comes too late for them.
    private struct ElapsedClock: Clock {
        var now: ContinuousClock.Instant { ContinuousClock().now }
        var minimumResolution: Swift.Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Swift.Duration?) async throws {}
    }

    @Test func `a view is told about changes`() async throws {
        let server = MockServer(clock: clock) { Route(.get, "/leaves") { Reply.json(["items": []]) } }
        let model = model(server)
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = model.state
        } onChange: {
            change.finish()
        }
        model.text = "milk"
        for await _ in changes {}
        await model.searching?.value
        #expect(model.state == .loaded([]))
    }
}
