import Foundation
import MockTransport
import RESTClientTestSupport
import Testing

/// A 401 is delivered as it is. URLSession on Linux would send a credential to the network (PLATFORM A3, A9).
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

    private static let paths = ["/secret", "/quoted", "/several", "/digest", "/bearer", "/unnamed", "/plain"]

    @Test(arguments: paths, [true, false])
    func `a 401 is delivered to a session whose delegate and store have a credential`(
        path: String, isInline: Bool
    ) async throws {
        let raw = try RawServer { _ in [.close] }
        let recorder = Recorder(answering: .useCredential)
        let configuration = server.configuration
        configuration.urlCredentialStorage = CredentialStore()
        let session = URLSession(
            configuration: configuration, delegate: recorder, delegateQueue: isInline ? InlineQueue() : nil)
        defer { session.finishTasksAndInvalidate() }
        let end = await recorder.run(session.dataTask(with: try raw.url(path)))
        #expect(end.error == nil)
        #expect(end.response?.statusCode == 401)
        #expect(end.response?.url == (try raw.url(path)))
        #expect(recorder.challenges.isEmpty)
        #expect(raw.connections == 0)
    }

    @Test(arguments: paths)
    func `a 401 is delivered to a session without a delegate`(path: String) async throws {
        let (data, response) = try await server.data("http://shop.example\(path)")
        #expect(String(decoding: data, as: UTF8.self) == "no")
        #expect(response.statusCode == 401)
        #expect(response.url?.path == path)
    }

    @Test func `a 401 is delivered to a task with a delegate of its own`() async throws {
        let raw = try RawServer { _ in [.close] }
        let recorder = Recorder(answering: .useCredential)
        let session = URLSession(configuration: server.configuration)
        let (_, response) = try await session.data(from: try raw.url("/secret"), delegate: recorder)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(recorder.challenges.isEmpty)
        #expect(raw.connections == 0)
    }
}
