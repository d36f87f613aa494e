import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// The lifetime of a server. `make lifetimes` runs the ways to lose a server in release mode.
@Suite struct ServerLifetimeTests {
    private static let url = URL(string: "http://shop.example/items")

    private func text(_ session: URLSession) async throws -> String {
        let (data, _) = try await session.data(from: try #require(Self.url))
        return String(decoding: data, as: UTF8.self)
    }

    private static func makeServer() -> MockServer { MockServer { Route("/items") { Reply.text("tea") } } }

    @Test(arguments: ServerLifetime.all)
    func `a function that loses its server works or ends in the message`(lifetime: ServerLifetime) async {
        #expect(await lifetime.failure() == nil)
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
                    let session = URLSession(configuration: Self.makeServer().configuration)
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
