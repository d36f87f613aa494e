import Foundation
import MockTransport
import RESTClientHTTP
import RESTClientTestSupport
import Testing

// URLSession on Linux handles a 401 of a protocol as a challenge (PLATFORM A3, A9). Apple platforms deliver it.
#if canImport(FoundationNetworking)
@Suite struct ChallengeTests {
    private let server = MockServer {
        Route("/secret") {
            Reply.text("no", status: 401).header(.wwwAuthenticate, #"Basic realm="tea shop""#)
        }
        Route("/digest") {
            Reply.text("no", status: 401).header(.wwwAuthenticate, #"Digest realm="x", nonce="1""#)
        }
        Route("/quoted") {
            Reply.text("no", status: 401).header(.wwwAuthenticate, #"Basic charset="a\"b", realm="shop""#)
        }
        Route("/bearer") { Reply.text("no", status: 401).header(.wwwAuthenticate, "Bearer") }
        Route("/several") {
            Reply.text("no", status: 401)
                .header(.wwwAuthenticate, #"Digest realm="x", basic charset="UTF-8", realm = shop"#)
        }
        // Without the realm that RFC 7617 requires.
        Route("/unnamed") { Reply.text("no", status: 401).header(.wwwAuthenticate, "Basic") }
        Route("/plain") { Reply.text("no", status: 401) }
    }

    private func task(_ path: String, _ raw: RawServer, _ session: URLSession) throws -> URLSessionDataTask {
        session.dataTask(with: try raw.url(path))
    }

    private func isRefused(_ error: (any Error)?) -> Bool {
        if case .credentialAfterChallenge("GET", _) = (error as? MockServerError)?.kind {
            true
        } else {
            false
        }
    }

    @Test(arguments: ["/secret", "/quoted", "/several"], [true, false])
    func `a challenge answered with a credential fails with a mock error and reaches no socket`(
        path: String, inline: Bool
    ) async throws {
        let raw = try RawServer { _ in [.close] }
        let recorder = Recorder(answering: .useCredential)
        let session = server.session(recorder, isInline: inline)
        defer { session.finishTasksAndInvalidate() }
        let end = await recorder.run(try task(path, raw, session))
        #expect(isRefused(end.error))
        let text = (end.error as? MockServerError)?.description ?? ""
        #expect(text.hasPrefix("GET http://127.0.0.1:\(raw.port)\(path): the challenge of this 401"))
        #expect(text.contains("listen()"))
        #expect(recorder.challenges.count == 1)
        #expect(raw.requests.isEmpty)
        #expect(raw.connections == 0)
    }

    @Test func `the delegate receives the realm, the method and the response of a challenge`() async throws {
        let raw = try RawServer { _ in [.close] }
        let recorder = Recorder(answering: .cancelAuthenticationChallenge)
        let session = server.session(recorder)
        let end = await recorder.run(try task("/secret", raw, session))
        #expect((end.error as? URLError)?.code == .cancelled)
        let challenge = try #require(recorder.challenges.first)
        #expect(challenge.protectionSpace.realm == "tea shop")
        #expect(challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
        #expect(challenge.protectionSpace.host == "127.0.0.1")
        #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
        #expect(end.response?.statusCode == 401)
    }

    @Test(
        arguments: ["/secret", "/quoted", "/several", "/digest", "/bearer", "/plain"],
        [(false, false), (false, true), (true, false), (true, true)])
    func `a 401 is delivered if there is no Basic challenge, or if the delegate has no credential`(
        path: String, delegate: (hasCredential: Bool, isInline: Bool)
    ) async throws {
        let isBasic = ["/secret", "/quoted", "/several"].contains(path)
        guard !isBasic || !delegate.hasCredential else { return }
        let raw = try RawServer { _ in [.close] }
        let recorder = Recorder(answering: delegate.hasCredential ? .useCredential : .performDefaultHandling)
        let session = server.session(recorder, isInline: delegate.isInline)
        let end = await recorder.run(try task(path, raw, session))
        #expect(end.error == nil)
        #expect(end.response?.statusCode == 401)
        #expect(end.response?.url == (try raw.url(path)))
        #expect(recorder.challenges.isEmpty == !isBasic)
        #expect(raw.connections == 0)
    }

    @Test(arguments: ["/secret", "/quoted", "/several", "/digest", "/bearer", "/unnamed", "/plain"])
    func `a 401 is delivered to a session without a delegate`(path: String) async throws {
        let (data, response) = try await server.data("http://shop.example\(path)")
        #expect(String(decoding: data, as: UTF8.self) == "no")
        #expect(response.statusCode == 401)
        #expect(response.url?.path == path)
    }

    @Test(arguments: [true, false])
    func `a stored credential fails the request with a mock error and reaches no socket`(
        hasDelegate: Bool
    ) async throws {
        let raw = try RawServer { _ in [.close] }
        let configuration = try URLSessionConfiguration.notRetaining(server)
        configuration.urlCredentialStorage = CredentialStore()
        let recorder = Recorder(answering: .performDefaultHandling)
        let session = URLSession(
            configuration: configuration, delegate: hasDelegate ? recorder : nil, delegateQueue: nil)
        let url = try raw.url("/secret")
        let error: (any Error)?
        if hasDelegate {
            error = await recorder.run(session.dataTask(with: url)).error
        } else {
            error = await #expect(throws: (any Error).self) { try await session.data(from: url) }
        }
        #expect(isRefused(error))
        #expect(raw.connections == 0)
    }

    @Test func `the delegate of a task answers its challenge`() async throws {
        let raw = try RawServer { _ in [.close] }
        let recorder = Recorder(answering: .useCredential)
        let session = URLSession(configuration: server.configuration)
        let error = await #expect(throws: (any Error).self) {
            try await session.data(from: try raw.url("/secret"), delegate: recorder)
        }
        #expect(isRefused(error))
        #expect(recorder.challenges.count == 1)
        #expect(raw.connections == 0)
    }

    @Test func `a task that is cancelled during its challenge ends with its cancellation`() async throws {
        let raw = try RawServer { _ in [.close] }
        let recorder = Recorder(answering: nil)
        let session = server.session(recorder)
        let task = try task("/secret", raw, session)
        async let end = recorder.run(task)
        while recorder.challenges.isEmpty { await Task.yield() }
        DispatchQueue.global().async { task.cancel() }
        #expect((await end.error as? URLError)?.code == .cancelled)
        recorder.answerLast(.useCredential)
        #expect(raw.connections == 0)
    }
}
#endif
