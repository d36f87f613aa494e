import Foundation
import MockTransport
import RESTClient
import Testing

/// The ways in which a function can lose the last reference to its server.
///
/// Each of them works, or fails with the message about a deallocated server. A release build releases an object after its
/// last use, so these tests are also run in release mode: copy the file into a package that depends on this one.
@Suite struct ServerLifetimeTests {
    private static let url = URL(string: "http://shop.example/items")

    private func text(_ session: URLSession) async throws -> String {
        let (data, _) = try await session.data(from: try #require(Self.url))
        return String(decoding: data, as: UTF8.self)
    }

    private static func makeServer() -> MockServer { MockServer { Route("/items") { Reply.text("tea") } } }

    private static func makeSession() -> URLSession { URLSession(configuration: makeServer().configuration) }

    private static func makeConfiguration() -> URLSessionConfiguration { makeServer().configuration }

    private static func makeManager() -> SessionManager {
        let server = makeServer()
        return SessionManager(configuration: server.configuration)
    }

    private static func makeClient() -> MyRESTClient? {
        let server = MockServer { Route("/items") { Reply.json(["items": ["tea"]]) } }
        return url.map { MyRESTClient(url: $0, manager: SessionManager(configuration: server.configuration)) }
    }

    private static func makeURL() async throws -> URL { try await makeServer().listen().url }

    @Test func `1. a function that returns only a session`() async throws {
        let session = Self.makeSession()
        for _ in 0..<3 { #expect(try await text(session) == "tea") }
    }

    @Test func `2. a function that returns only a configuration`() async throws {
        let configuration = Self.makeConfiguration()
        #expect(try await text(URLSession(configuration: configuration)) == "tea")
        #expect(try await text(URLSession(configuration: configuration)) == "tea")
    }

    @Test func `3. a function that returns only a manager`() async throws {
        let manager = Self.makeManager()
        let url = try #require(Self.url)
        for _ in 0..<3 { #expect(try await manager.request(url).string() == "tea") }
    }

    @Test func `4. a function that returns only a client`() async throws {
        let client = try #require(Self.makeClient())
        let items: [String] = try await client.getAvailableItems()
        #expect(items == ["tea"])
    }

    @Test func `5. a configuration in one expression`() async throws {
        let session = URLSession(
            configuration: MockServer { Route(.any) { Reply.text("tea") } }.configuration)
        #expect(try await text(session) == "tea")
    }

    @Test func `6. a session in one expression`() async throws {
        #expect(try await text(URLSession(configuration: Self.makeServer().configuration)) == "tea")
    }

    @Test func `7. a server whose last use is its configuration`() async throws {
        let server = Self.makeServer()
        let session = URLSession(configuration: server.configuration)
        for _ in 0..<3 { #expect(try await text(session) == "tea") }
    }

    @Test func `8. the URL of a socket in one expression`() async throws {
        let server = Self.makeServer()
        let url = try await server.listen().url
        for _ in 0..<3 {
            let (data, _) = try await URLSession(configuration: .ephemeral).data(
                from: url.appending(path: "items"))
            #expect(String(decoding: data, as: UTF8.self) == "tea")
        }
    }

    @Test func `9. a function that returns only the URL of a socket`() async throws {
        let url = try await Self.makeURL()
        for _ in 0..<3 {
            let (data, _) = try await URLSession(configuration: .ephemeral).data(
                from: url.appending(path: "items"))
            #expect(String(decoding: data, as: UTF8.self) == "tea")
        }
    }

    @Test func `10. a copy of a configuration`() async throws {
        let copy = try #require(Self.makeConfiguration().copy() as? URLSessionConfiguration)
        #expect(try await text(URLSession(configuration: copy)) == "tea")
    }

    @Test func `11. a request in progress whose server variable is replaced`() async throws {
        let clock = VirtualClock(.stepped)
        var server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(5)) } }
        let session = URLSession(configuration: server.configuration)
        async let answer = text(session)
        _ = try await server.requests(count: 1)
        server = Self.makeServer()
        #expect(try await clock.advance() == .seconds(5))
        #expect(try await answer == "late")
    }

    @Test func `12. a session that is released during its request`() async throws {
        let task = Task {
            let (data, _) = try await Self.makeSession().data(from: try #require(Self.url))
            return String(decoding: data, as: UTF8.self)
        }
        #expect(try await task.value == "tea")
    }

    @Test func `13. a loopback server whose mock server is released`() async throws {
        let loopback = try await Self.makeServer().listen()
        let (data, _) = try await URLSession(configuration: .ephemeral)
            .data(from: loopback.url.appending(path: "items"))
        #expect(String(decoding: data, as: UTF8.self) == "tea")
        await loopback.close()
    }

    @Test func `14. a configuration with only the protocol class ends in the message`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Self.makeServer().protocolClass]
        await expectMessage(URLSession(configuration: configuration))
    }

    @Test func `15. a configuration with another credential store ends in the message`() async throws {
        let configuration = Self.makeConfiguration()
        configuration.urlCredentialStorage = nil
        await expectMessage(URLSession(configuration: configuration))
    }

    private func expectMessage(_ session: URLSession) async {
        let error = await #expect(throws: (any Error).self) { try await text(session) }
        let message = "\((error as? MockServerError)?.description ?? "\(String(describing: error))")"
        #expect(message.contains("the mock server of this session was deallocated"))
        #expect(message.contains("GET http://shop.example/items"))
    }

    @Test func `a server is released with its last session`() async throws {
        weak var released: MockServer?
        do {
            let server = Self.makeServer()
            released = server
            let session = URLSession(configuration: server.configuration)
            #expect(try await text(session) == "tea")
            session.finishTasksAndInvalidate()
        }
        for _ in 0..<2_000 where released != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(released == nil)
    }

    @Test func `a server is released with its last manager`() async throws {
        weak var released: MockServer?
        do {
            let server = Self.makeServer()
            released = server
            let manager = SessionManager(configuration: server.configuration)
            #expect(try await manager.request(try #require(Self.url)).string() == "tea")
        }
        for _ in 0..<2_000 where released != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(released == nil)
    }

    // Exit tests exist on macOS and Linux only. There is no other arm.
    #if os(macOS) || os(Linux)
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm")))
    func `ten thousand servers leave no memory that grows`() async {
        await #expect(processExitsWith: .success) {
            func run(_ count: Int) async throws {
                for _ in 0..<count {
                    let session = Self.makeSession()
                    let (data, _) = try await session.data(from: try #require(Self.url))
                    guard data.count == 3 else { fatalError("no reply") }
                    session.finishTasksAndInvalidate()
                }
            }
            func residentMegabytes() -> Int {
                let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
                    separator: " ")
                return (pages.flatMap { Int($0[1]) } ?? 0) * 4_096 >> 20
            }
            // The first 4,097 servers create the protocol classes that later ones use again.
            try await run(5_000)
            let first = residentMegabytes()
            try await run(5_000)
            let middle = residentMegabytes()
            try await run(5_000)
            let last = residentMegabytes()
            print("resident: \(first) MB, \(middle) MB, \(last) MB")
            // 5,000 servers that stay would be more than 20 MB.
            guard last - middle < 8 else { fatalError("grew from \(first) over \(middle) to \(last) MB") }
        }
    }
    #endif
}
