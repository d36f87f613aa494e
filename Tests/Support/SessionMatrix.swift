import Foundation
package import MockTransport

/// A kind of session and an answer to challenges. Its tasks request every kind of reply, challenge and redirect from a mock
/// server, at the address of a real one.
package struct SessionMatrix: Sendable, CustomStringConvertible {
    private enum Setup: String, CaseIterable {
        case configuration, copiedConfiguration, ownConfiguration, defaultConfiguration, releasedServer
    }

    private enum Kind: String, CaseIterable {
        case data, streamed, upload, uploadFile, uploadStream, download
        case dataCompletion, uploadCompletion, downloadCompletion, dataAsync, uploadAsync, downloadAsync
    }

    private static let answers: [URLSession.AuthChallengeDisposition?] = [
        nil, .useCredential, .performDefaultHandling, .cancelAuthenticationChallenge, .rejectProtectionSpace,
    ]

    /// All kinds of sessions with all answers.
    package static let all = Setup.allCases.flatMap { setup in
        answers.indices.map { Self(setup: setup, answer: $0) }
    }

    private let setup: Setup
    /// The index of the answer.
    private let answer: Int

    package var description: String {
        "\(setup), answer \(Self.answers[answer].map { "\($0.rawValue)" } ?? "none")"
    }

    /// Routes whose redirects and challenges lead to the real server.
    package static func routes(_ raw: RawServer) -> [Route] {
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

    /// The paths of `routes(_:)`, and one without a route.
    package static let paths =
        [
            "/ok", "/late", "/chunks", "/301", "/303", "/307", "/308", "/basic", "/basic-late", "/digest",
            "/negotiate",
        ]
        + ["/proxy", "/error", "/refused", "/reset", "/stall", "/file", "/once", "/unmatched"]

    /// Runs tasks of every kind, and returns their number and that of the connections to the real server.
    ///
    /// - Parameter isComplete: A Boolean value that indicates whether each task requests all paths. Otherwise, each path is
    ///   requested by each kind of task with one of the answers.
    package func run(isComplete: Bool) async throws -> (ended: Int, connections: Int) {
        let raw = try RawServer { _ in [.close] }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("body".utf8).write(to: file)
        let server = MockServer { Self.routes(raw) }
        let delegate = Self.answers[answer].map { Recorder(body: Data("body".utf8), answering: $0) }
        let session = URLSession(configuration: configuration(server), delegate: delegate, delegateQueue: nil)
        var ended = 0
        for (column, kind) in Kind.allCases.enumerated() where delegate != nil || !Self.needsDelegate(kind) {
            for (row, path) in Self.paths.enumerated()
            where isComplete || (row + column) % Self.answers.count == answer {
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
        return (ended, raw.connections)
    }

    private static func needsDelegate(_ kind: Kind) -> Bool {
        [.data, .streamed, .upload, .uploadFile, .uploadStream, .download].contains(kind)
    }

    private func configuration(_ server: MockServer) -> URLSessionConfiguration {
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
        _ delegate: Recorder?
    ) async {
        let body = Data("body".utf8)
        switch kind {
        case .data, .streamed: _ = await delegate?.run(session.dataTask(with: request))
        case .upload: _ = await delegate?.run(session.uploadTask(with: request, from: body))
        case .uploadFile: _ = await delegate?.run(session.uploadTask(with: request, fromFile: file))
        case .uploadStream: _ = await delegate?.run(session.uploadTask(withStreamedRequest: request))
        case .download: _ = await delegate?.run(session.downloadTask(with: request))
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
