import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import items

@Suite(.hangLimit) struct DemoServerTests {
    /// Serves while `body` runs, and returns the messages.
    private func serving(
        _ name: String?, isQuiet: Bool = false,
        _ body: @escaping @Sendable (_ urls: [URL]) async throws -> Void
    ) async throws -> [String] {
        let urls = LockedState<[URL]>([])
        let said = LockedState<[String]>([])
        let messages = Messages(level: isQuiet ? .quiet : .normal) { text in said.withLock { $0.append(text) }
        }
        let failure = LockedState<(any Error)?>(nil)
        let scenario = try name.map { try Scenario(named: $0) }
        try await LocalServer(scenario, messages: messages).run(
            on: 0,
            writingURLs: { text in
                urls.withLock { urls in
                    urls = text.split(separator: "\n").compactMap { URL(string: String($0)) }
                }
            },
            until: {
                do { try await body(urls.withLock(\.self)) } catch { failure.withLock { $0 = error } }
            })
        if let failure = failure.withLock(\.self) { throw failure }
        return said.withLock(\.self)
    }

    private static func status(of url: URL) async throws -> Int? {
        let (_, response) = try await URLSession(configuration: .ephemeral).data(from: url)
        return (response as? HTTPURLResponse)?.statusCode
    }

    @Test func `all scenarios are served until the end`() async throws {
        let first = LockedState<URL?>(nil)
        _ = try await serving(nil) { urls in
            #expect(urls.map(\.path) == Scenario.all.map(\.path))
            #expect(urls.allSatisfy { $0.host() == "127.0.0.1" })
            first.withLock { $0 = urls.first }
            let status = try await Self.status(of: try #require(urls.first))
            #expect(status == 200)
        }
        let listed = first.withLock { $0 }
        let url = try #require(listed)
        await #expect(throws: URLError.self) { _ = try await Self.status(of: url) }
    }

    @Test func `the server logs each request with secrets masked and answers 404 for other paths`()
        async throws
    {
        let said = try await serving("flaky") { urls in
            let url = try #require(urls.first)
            #expect(urls.count == 1)
            #expect(
                try await Self.status(
                    of: url.appending(queryItems: [URLQueryItem(name: "token", value: "x")])) == 503)
            #expect(try await Self.status(of: url.deletingLastPathComponent().appending(path: "ok")) == 404)
            await #expect(throws: URLError.self) { _ = try await Self.status(of: url) }
            #expect(try await Self.status(of: url) == 200)
        }
        #expect(said.first?.hasPrefix("items: serving on http://127.0.0.1:") == true)
        #expect(
            said.dropFirst() == [
                "items: GET /flaky?token=***: 503 Service Unavailable\n", "items: GET /ok: 404 Not Found\n",
                "items: GET /flaky: reset(beforeHead)\n", "items: GET /flaky: 200 OK\n",
            ])
    }

    @Test func `--quiet hides the request log`() async throws {
        #expect(try await serving("ok", isQuiet: true) { _ = try await Self.status(of: $0[0]) } == [])
    }

    @Test(
        arguments: [
            (.EADDRINUSE, "port 80 is already in use", "omit --port to use any free port"),
            (.EACCES, "permission denied for port 80", "use a port from 1024"),
            (.EMFILE, "cannot listen on port 80: Too many open files", nil),
        ] as [(POSIXErrorCode, String, String?)])
    func `a port that cannot be used has a message`(code: POSIXErrorCode, message: String, hint: String?) {
        let error = CommandError(POSIXError(code), port: 80)
        #expect(error.message == message)
        #expect(error.hint == hint)
    }
}
