import Foundation
import RESTClientHTTP
import MockTransport
import RESTClientTestSupport
import Testing

// Written for the shared session on Linux, which keeps the protocols of its first use (PLATFORM A12).
#if canImport(FoundationNetworking)
/// Each test runs in a separate process: the shared session is global and keeps the protocols of its first use.
@Suite struct SharedSessionTests {
    @Test func `the shared session reaches the server only while the body runs, even if that throws`() async {
        await #expect(processExitsWith: .success) {
            let raw = try RawServer { _ in
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal"), .close]
            }
            // Other sessions may be used before.
            let other = URLSession(configuration: .ephemeral)
            try #require(try await text(other, raw.url("/")) == "real")

            let server = MockServer { Route("/") { Reply.text("mocked") } }
            let inside = try await server.replacingSharedSession {
                try await text(.shared, raw.url("/"))
            }
            try #require(inside == "mocked")
            try #require(try await text(.shared, raw.url("/")) == "real")
            try #require(server.requests.count == 1)

            let second = MockServer { Route("/") { Reply.text("second") } }
            let again = try await second.replacingSharedSession { try await text(.shared, raw.url("/")) }
            try #require(again == "second")
            await #expect(throws: CancellationError.self) {
                try await server.replacingSharedSession { throw CancellationError() }
            }
            try #require(try await text(.shared, raw.url("/")) == "real")
            try #require(try await text(other, raw.url("/")) == "real")
        }
    }

    @Test func `later requests of the shared session are refused, if asked for`() async {
        await #expect(processExitsWith: .success) {
            struct TestError: Error {}
            let raw = try RawServer { _ in
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal"), .close]
            }
            func refusal(_ session: URLSession = .shared) async throws -> String {
                do { return try await text(session, raw.url("/?token=s")) } catch let error as MockServerError
                {
                    return error.description
                }
            }
            let server = MockServer(fileID: "Shop/ShopTests.swift", line: 10) {
                Route("/") { Reply.text("mocked") }
            }
            let late = try await server.replacingSharedSession(refusingLaterRequests: true) {
                URLSession.shared.dataTask(with: try raw.url("/late"))
            }
            late.resume()
            let message = """
                GET \(try raw.url("/"))?token=***: this request of URLSession.shared began after replacingSharedSession of \
                the mock server at ShopTests.swift:10 had returned. Nothing was sent. In its closure, wait for the work \
                that sends the request, or cancel that work.
                """
            try #require(try await refusal() == message)
            // Another server is reached, and afterwards the requests are refused again, also after an error.
            let inside = try await MockServer { Route(.any) { Reply.text("second") } }
                .replacingSharedSession { try await refusal() }
            try #require(inside == "second")
            try #require(try await refusal() == message)
            try? await server.replacingSharedSession(refusingLaterRequests: true) { throw TestError() }
            var upload = URLRequest(try raw.url("/?token=s"), method: "PUT")
            upload.httpBodyStream = InputStream(data: Data("tea".utf8))
            await #expect(throws: MockServerError.self) { try await URLSession.shared.data(for: upload) }
            try #require(try await refusal(URLSession(configuration: .ephemeral)) == "real")
        }
    }

    @Test func `only one server at a time replaces the shared session`() async {
        await #expect(processExitsWith: .success) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let server = MockServer {
                            Route("/") { Reply.text("\(number)").delay(.milliseconds(1)) }
                        }
                        let url = try #require(URL(string: "http://shop.example/"))
                        let answer = try await server.replacingSharedSession { try await text(.shared, url) }
                        try #require(answer == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `nested replacement of the shared session throws`() async {
        await #expect(processExitsWith: .success) {
            let server = MockServer { Route("/") { Reply.text("mocked") } }
            let error = await #expect(throws: MockServerError.self) {
                try await server.replacingSharedSession { try await server.replacingSharedSession {} }
            }
            guard case .sharedSessionInUse(isNested: true) = error?.kind else { exit(1) }
            try await server.replacingSharedSession {}
        }
    }

    @Test func `replacing the shared session after its first use throws on Linux - PLATFORM A12`() async {
        await #expect(processExitsWith: .success) {
            _ = URLSession.shared
            let server = MockServer { Route("/") { Reply.text("mocked") } }
            do {
                try await server.replacingSharedSession {}
                exit(1)
            } catch let error as MockServerError {
                guard case .sharedSessionInUse(isNested: false) = error.kind else { exit(2) }
                try #require(
                    error.description == """
                        URLSession.shared was used before replacingSharedSession. On this platform the shared session \
                        keeps the protocols of its first use. Call replacingSharedSession first, or pass a session \
                        made from server.configuration.
                        """)
            }
        }
    }
}

private func text(_ session: URLSession, _ url: URL) async throws -> String {
    String(decoding: try await session.data(from: url).0, as: UTF8.self)
}
#endif
