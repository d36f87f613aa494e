import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import RESTClientTestSupport
import Testing

/// Every kind of session, task, reply, challenge and redirect, beside a real server at the requested address.
@Suite struct NoConnectionTests {
    enum Setup: String, CaseIterable, Sendable {
        case configuration, copiedConfiguration, ownConfiguration, defaultConfiguration, releasedServer
    }

    enum Kind: String, CaseIterable, Sendable {
        case data, streamed, upload, uploadFile, uploadStream, download
        case dataCompletion, uploadCompletion, downloadCompletion, dataAsync, uploadAsync, downloadAsync
    }

    private static let answers: [URLSession.AuthChallengeDisposition?] = [
        nil, .useCredential, .performDefaultHandling, .cancelAuthenticationChallenge, .rejectProtectionSpace,
    ]

    /// Routes whose redirects and challenges lead to the real server.
    private static func routes(_ raw: RawServer) -> [Route] {
        let other = "http://127.0.0.1:\(raw.port)/other"
        let challenge = { (status: HTTPStatus, name: HTTPHeaders.Name, value: String) in
            Reply.text("no", status: status).header(name, value)
        }
        return [
            Route("/ok") { Reply.text("tea") },
            Route("/late") { Reply.text("tea").delay(.milliseconds(5)) },
            Route("/chunks") { Reply.text("green tea").dribble(chunks: 3, over: .milliseconds(6)) },
            Route("/301") { Reply.redirect(to: other, status: 301) },
            Route("/303") { Reply.redirect(to: "/ok", status: 303) },
            Route("/307") { Reply.redirect(to: other, status: 307) },
            Route("/308") {
                Reply.redirect(to: "//127.0.0.1:\(raw.port)/other", status: 308).delay(.milliseconds(5))
            },
            Route("/basic") { challenge(401, .wwwAuthenticate, #"Basic realm="shop""#) },
            Route("/basic-late") {
                challenge(401, .wwwAuthenticate, #"Basic realm="shop""#).delay(.milliseconds(5))
            },
            Route("/digest") { challenge(401, .wwwAuthenticate, #"Digest realm="shop", nonce="1""#) },
            Route("/negotiate") { challenge(401, .wwwAuthenticate, "Negotiate") },
            Route("/proxy") { challenge(407, "Proxy-Authenticate", #"Basic realm="shop""#) },
            Route("/error") { Reply.error(URLError(.notConnectedToInternet)) },
            Route("/refused") { Reply.fault(.refused) },
            Route("/reset") { Reply.fault(.reset(.inBody(after: 2))) },
            Route("/stall") { Reply.fault(.stall(.afterHead)) },
            Route("/file") { Reply.file(URL(string: other) ?? URL(fileURLWithPath: "/")) },
            Route("/once") {
                Reply.text("tea")
                Reply.text("milk")
            },
        ]
    }

    private static let paths =
        [
            "/ok", "/late", "/chunks", "/301", "/303", "/307", "/308", "/basic", "/basic-late", "/digest",
            "/negotiate",
        ]
        + ["/proxy", "/error", "/refused", "/reset", "/stall", "/file", "/once", "/unmatched"]

    @Test(.hangLimit, arguments: Setup.allCases)
    func `no request of a plain session opens a connection`(setup: Setup) async throws {
        let raw = try RawServer { _ in [.close] }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("body".utf8).write(to: file)
        var ended = 0
        for (round, answer) in Self.answers.enumerated() {
            let server = MockServer { Self.routes(raw) }
            let delegate = answer.map { AnsweringDelegate($0) }
            let session = URLSession(
                configuration: configuration(setup, server), delegate: delegate, delegateQueue: nil)
            for (column, kind) in Kind.allCases.enumerated()
            where delegate != nil || !Self.needsDelegate(kind) {
                // The session of a configuration gets each answer to each task and path, the others one of them.
                for (row, path) in Self.paths.enumerated()
                where setup == .configuration || (row + column) % Self.answers.count == round {
                    var request = URLRequest(url: try raw.url(path))
                    if path == "/stall" { request.timeoutInterval = 0.05 }
                    if "\(kind)".hasPrefix("upload") { request.httpMethod = "POST" }
                    if kind == .streamed {
                        request.httpMethod = "POST"
                        request.httpBodyStream = InputStream(data: Data("body".utf8))
                    }
                    await run(kind, request, file, session, delegate)
                    ended += 1
                }
            }
            session.invalidateAndCancel()
            if setup != .releasedServer { withExtendedLifetime(server) {} }
        }
        let withoutDelegate = Kind.allCases.filter { !Self.needsDelegate($0) }.count
        #expect(
            setup != .configuration
                || ended == (4 * Kind.allCases.count + withoutDelegate) * Self.paths.count)
        #expect(ended > 150)
        #expect(raw.connections == 0)
    }

    @Test(.hangLimit) func `no request of a manager opens a connection`() async throws {
        let raw = try RawServer { _ in [.close] }
        let server = MockServer { Self.routes(raw) }
        let manager = SessionManager(configuration: server.configuration)
        for path in Self.paths where path != "/stall" {
            _ = try? await manager.request(try raw.url(path)).data()
            _ = try? await manager.request(try raw.url(path), method: .post, body: .json(["a": 1])).data()
        }
        #expect(server.requests.count >= 2 * (Self.paths.count - 1))
        // A redirect to another path is followed in the mock.
        #expect(server.requests.contains { $0.url.path == "/other" })
        #expect(raw.connections == 0)
    }

    @Test(arguments: ["http", "https", "ftp", "ftps", "ws", "wss", "gopher", "HTTP", "FTP"])
    func `no scheme opens a connection`(scheme: String) async throws {
        let raw = try RawServer { _ in [.close] }
        let server = MockServer { Route("/ok") { Reply.text("tea") }.optional() }
        let session = URLSession(configuration: server.configuration)
        for path in ["/ok", "/unmatched"] {
            let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(raw.port)\(path)"))
            _ = try? await session.data(from: url)
        }
        #expect(server.requests.count == 2)
        #expect(raw.connections == 0)
    }

    // Exit tests exist on macOS and Linux only. There is no other arm.
    #if os(macOS) || os(Linux)
    @Test(.linuxOnly("the challenge of a protocol's response is that of URLSession on Linux"))
    func `no request of the replaced shared session opens a connection`() async {
        await #expect(processExitsWith: .success) {
            let raw = try RawServer { _ in [.close] }
            let server = MockServer(clock: VirtualClock()) { Self.routes(raw) }
            try await server.replacingSharedSession {
                for path in Self.paths {
                    _ = try? await URLSession.shared.data(from: try raw.url(path))
                    _ = try? await URLSession.shared.download(from: try raw.url(path))
                }
            }
            try #require(server.requests.count == Self.paths.count)
            try #require(raw.connections == 0)
        }
    }
    #endif

    // MARK: Requests

    private static func needsDelegate(_ kind: Kind) -> Bool {
        [.data, .streamed, .upload, .uploadFile, .uploadStream, .download].contains(kind)
    }

    private func configuration(_ setup: Setup, _ server: MockServer) -> URLSessionConfiguration {
        switch setup {
        case .configuration: return server.configuration
        case .copiedConfiguration:
            return server.configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        case .ownConfiguration, .defaultConfiguration, .releasedServer:
            let configuration: URLSessionConfiguration =
                setup == .defaultConfiguration ? .default : .ephemeral
            let type =
                setup == .releasedServer
                ? MockServer { Route(.any) { Reply.text("tea") } }.protocolClass : server.protocolClass
            configuration.protocolClasses = [type] + (configuration.protocolClasses ?? [])
            configuration.urlCache = nil
            return configuration
        }
    }

    private func run(
        _ kind: Kind, _ request: URLRequest, _ file: URL, _ session: URLSession,
        _ delegate: AnsweringDelegate?
    ) async {
        let body = Data("body".utf8)
        switch kind {
        case .data, .streamed: await delegate?.run(session.dataTask(with: request))
        case .upload: await delegate?.run(session.uploadTask(with: request, from: body))
        case .uploadFile: await delegate?.run(session.uploadTask(with: request, fromFile: file))
        case .uploadStream: await delegate?.run(session.uploadTask(withStreamedRequest: request))
        case .download: await delegate?.run(session.downloadTask(with: request))
        case .dataCompletion:
            await withCheckedContinuation { done in
                session.dataTask(with: request) { _, _, _ in done.resume() }.resume()
            }
        case .uploadCompletion:
            await withCheckedContinuation { done in
                session.uploadTask(with: request, from: body) { _, _, _ in done.resume() }.resume()
            }
        case .downloadCompletion:
            await withCheckedContinuation { done in
                session.downloadTask(with: request) { _, _, _ in done.resume() }.resume()
            }
        case .dataAsync: _ = try? await session.data(for: request)
        case .uploadAsync: _ = try? await session.upload(for: request, from: body)
        case .downloadAsync: _ = try? await session.download(for: request)
        }
    }
}

/// A delegate with one answer to all challenges.
private final class AnsweringDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate,
    @unchecked Sendable
{
    // SAFETY: all state is in the lock, the rest is immutable.
    private let answer: URLSession.AuthChallengeDisposition
    private let waiter = LockedState<CheckedContinuation<Void, Never>?>(nil)
    private let queue = DispatchQueue(label: "AnsweringDelegate")

    init(_ answer: URLSession.AuthChallengeDisposition) { self.answer = answer }

    func run(_ task: URLSessionTask) async {
        await withCheckedContinuation { continuation in
            waiter.withLock { $0 = continuation }
            task.resume()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let credential = URLCredential(user: "ann", password: "secret", persistence: .forSession)
        queue.async { [answer] in completionHandler(answer, answer == .useCredential ? credential : nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: Data("body".utf8))) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }?.resume()
    }
}
