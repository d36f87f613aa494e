import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

@Suite(.hangLimit) struct ConnectionMetricsTests {
    @Test func `a mock has no connection`() async throws {
        let server = MockServer { Route(.any) { Reply.text("tea") } }
        let events = LockedState<[SessionEvent]>([])
        let manager = SessionManager(
            configuration: server.configuration,
            monitor: EventMonitor { event in events.withLock { $0.append(event) } })
        let url = try #require(URL(string: "http://shop.example/"))
        let response = try await manager.request(url).response()
        #expect(response.attempts.count == 1)
        #expect(response.attempts.allSatisfy { $0.connection == nil })
        #expect(events.withLock { $0.allSatisfy { $0.connection == nil } })
    }

    @Test func `the first request opens a connection, and the second reuses it`() async throws {
        let loopback = try await MockServer { Route(.any) { Reply.text("tea").repeats() } }.listen()
        let last = LockedState<SessionEvent?>(nil)
        let manager = SessionManager(
            configuration: .ephemeral, monitor: EventMonitor { event in last.withLock { $0 = event } })
        func connection(_ method: HTTPMethod, _ body: RequestBody?) async throws -> ConnectionMetrics {
            let request = manager.request(loopback.url, method: method, body: body)
            let connection = try #require(try await request.response().attempts.first?.connection)
            #expect(last.withLock { $0?.connection } == connection)
            #expect(connection.remoteAddress == "127.0.0.1")
            #expect(connection.remotePort == loopback.url.port)
            #expect(connection.httpVersion == "HTTP/1.1")
            #expect(connection.secureConnection == nil)
            #expect(connection.wait.map { $0 >= .zero && $0 < .seconds(600) } == true)
            return connection
        }
        let first = try await connection(.get, nil)
        #expect(first.isReused == false)
        #expect(first.domainLookup.map { $0 >= .zero } == true)
        #expect(first.connect.map { $0 >= .zero } == true)
        #expect(first.description == "127.0.0.1:\(loopback.url.port ?? 0) (HTTP/1.1)")
        for second in [try await connection(.get, nil), try await connection(.post, .data(Data(count: 9)))] {
            #expect(second.isReused == true)
            #expect(second.domainLookup == nil)
            #expect(second.connect == nil)
            #expect(second.description.hasSuffix(" (HTTP/1.1, reused)"))
        }
    }

    @Test func `the wait is the time of the server`() async throws {
        let clock = VirtualClock()
        let server = MockServer(clock: clock) { Route(.any) { Reply.text("tea").delay(.seconds(3)) } }
        let loopback = try await server.listen()
        let manager = SessionManager(configuration: .ephemeral, clock: clock)
        let attempt = try #require(try await manager.request(loopback.url).response().attempts.first)
        #expect(attempt.connection?.wait == .seconds(3))
    }

    @Test func `an attempt without a response has the connection`() async throws {
        let loopback = try await MockServer { Route(.any) { Reply.fault(.reset(.beforeHead)) } }.listen()
        let request = SessionManager(configuration: .ephemeral).request(loopback.url, method: .post)
        let error = try await failure { try await request.response() }
        #expect(error.attempts.first?.connection?.remotePort == loopback.url.port)
        #expect(error.attempts.first?.connection?.wait == nil)
    }

    @Test func `a description has what is known`() {
        var connection = ConnectionMetrics()
        #expect("\(connection)" == "an unknown address")
        (connection.remoteAddress, connection.remotePort) = ("::1", 80)
        #expect("\(connection)" == "[::1]:80")
    }
}
