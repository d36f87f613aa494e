import Foundation
import MockTransport
import RESTClient

/// A way in which a function loses the last reference to its server.
///
/// Each of them works, or fails with the message about a deallocated server, in debug and in release mode: a release build
/// releases an object after its last use.
package struct ServerLifetime: Sendable, CustomStringConvertible {
    package let description: String
    private let expected: String
    private let run: @Sendable () async throws -> String

    /// - Parameter run: Loses a server and returns the text of its reply.
    private init(
        _ description: String, _ expected: String = "tea", run: @escaping @Sendable () async throws -> String
    ) {
        (self.description, self.expected, self.run) = (description, expected, run)
    }

    /// Returns what differs from the expected reply or error, or `nil`.
    package func failure() async -> String? {
        let found: String
        do { found = try await run() } catch {
            found = (error as? MockServerError)?.description ?? "\(error)"
        }
        return found.hasPrefix(expected) ? nil : "\(description): expected \(expected), found \(found)"
    }

    private static let message =
        "GET http://shop.example/items: the mock server of this session was deallocated."

    // Only on Linux do the proxies of a configuration keep the server, too.
    #if canImport(FoundationNetworking)
    private static let withoutCredentialStore = "tea"
    #else
    private static let withoutCredentialStore = message
    #endif

    package static let all: [Self] = [
        Self("a function that returns only a session") {
            let session = makeSession()
            return try await text(session, count: 3)
        },
        Self("a function that returns only a configuration") {
            let configuration = makeConfiguration()
            _ = try await text(URLSession(configuration: configuration))
            return try await text(URLSession(configuration: configuration))
        },
        Self("a function that returns only a manager") {
            let manager = makeManager()
            for _ in 0..<2 { _ = try await manager.request(url()).string() }
            return try await manager.request(url()).string()
        },
        Self("a function that returns only a client") {
            let items: [String] = try await makeClient().getAvailableItems()
            return items.joined()
        },
        Self("a configuration in one expression") {
            let session = URLSession(
                configuration: MockServer { Route(.any) { Reply.text("tea") } }.configuration)
            return try await text(session)
        },
        Self("a session in one expression") {
            try await text(URLSession(configuration: makeServer().configuration))
        },
        Self("a server whose last use is its configuration") {
            let server = makeServer()
            let session = URLSession(configuration: server.configuration)
            return try await text(session, count: 3)
        },
        Self("the URL of a socket in one expression") {
            let server = makeServer()
            let url = try await server.listen().url
            return try await text(URLSession(configuration: .ephemeral), url, count: 3)
        },
        Self("a function that returns only the URL of a socket") {
            let url = try await makeURL()
            return try await text(URLSession(configuration: .ephemeral), url, count: 3)
        },
        Self("a copy of a configuration") {
            guard let copy = makeConfiguration().copy() as? URLSessionConfiguration else { return "no copy" }
            return try await text(URLSession(configuration: copy))
        },
        Self("a request in progress whose server variable is replaced", "late") {
            let clock = VirtualClock(.stepped)
            var server = MockServer(clock: clock) { Route(.any) { Reply.text("late").delay(.seconds(5)) } }
            let session = URLSession(configuration: server.configuration)
            async let answer = text(session)
            _ = try await server.requests(count: 1)
            server = makeServer()
            try await clock.advance()
            return try await answer
        },
        Self("a session that is released during its request") {
            try await Task { try await text(makeSession()) }.value
        },
        Self("a loopback server whose mock server is released") {
            let loopback = try await makeServer().listen()
            let reply = try await text(URLSession(configuration: .ephemeral), loopback.url)
            await loopback.close()
            return reply
        },
        Self("a configuration with only the protocol class", message) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [makeServer().protocolClass]
            return try await text(URLSession(configuration: configuration))
        },
        Self("a configuration with another credential store", withoutCredentialStore) {
            let configuration = makeConfiguration()
            configuration.urlCredentialStorage = nil
            return try await text(URLSession(configuration: configuration))
        },
    ]

    /// Creates 15,000 servers one after another, and returns what the process has kept of the last 5,000, or `nil`.
    ///
    /// The first 4,097 servers create the protocol classes that later ones use again. On platforms other than Linux, nothing is measured.
    package static func memoryFailure() async throws -> String? {
        var megabytes: [Int] = []
        for _ in 0..<3 {
            for _ in 0..<5_000 {
                let session = makeSession()
                guard try await text(session) == "tea" else { return "no reply" }
                session.finishTasksAndInvalidate()
            }
            megabytes.append(residentMegabytes())
        }
        // 5,000 servers that stay would be more than 20 MB.
        return megabytes[2] - megabytes[1] < 8 ? nil : "the memory grew: \(megabytes) MB"
    }

    // Only Linux has `/proc`. On other platforms the memory counts as constant.
    #if os(Linux)
    private static func residentMegabytes() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { Int($0[1]) } ?? 0) * 4_096 >> 20
    }
    #else
    private static func residentMegabytes() -> Int { 0 }
    #endif

    // MARK: Functions that lose their server

    private static func url() throws -> URL {
        guard let url = URL(string: "http://shop.example/items") else { throw URLError(.badURL) }
        return url
    }

    /// Returns the last of `count` replies.
    private static func text(_ session: URLSession, _ base: URL? = nil, count: Int = 1) async throws -> String
    {
        let url = try base?.appending(path: "items") ?? url()
        for _ in 1..<count { _ = try await session.data(from: url) }
        return String(decoding: try await session.data(from: url).0, as: UTF8.self)
    }

    private static func makeServer() -> MockServer { MockServer { Route("/items") { Reply.text("tea") } } }

    private static func makeSession() -> URLSession { URLSession(configuration: makeServer().configuration) }

    private static func makeConfiguration() -> URLSessionConfiguration { makeServer().configuration }

    private static func makeManager() -> SessionManager {
        let server = makeServer()
        return SessionManager(configuration: server.configuration)
    }

    private static func makeClient() throws -> MyRESTClient {
        let server = MockServer { Route("/items") { Reply.json(["items": ["tea"]]) } }
        return MyRESTClient(url: try url(), manager: SessionManager(configuration: server.configuration))
    }

    private static func makeURL() async throws -> URL { try await makeServer().listen().url }
}
