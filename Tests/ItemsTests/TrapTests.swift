import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@testable import items

#if canImport(Glibc)
/// The platform's HTTP library ends the process on some replies; newer ones do so no more (PLATFORM B).
@Suite(.timeLimit(.minutes(5))) struct TrapTests {
    @Test func `it ends with 70, names the request, and leaves no file`() async throws {
        let server = MockServer {
            Route("/list") { Reply.redirect(to: "//%2f/x") }
        }
        let loopback = try await server.listen()
        let folder = FileManager.default.temporaryDirectory.appending(path: "items-trap-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let run = try await Program.run(
            "-o", folder.appending(path: "list").path, "\(loopback.url.absoluteString)/list?token=secret")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        #expect(!run.messages.contains("secret"))
        // Mended, it is a redirect that is refused.
        guard run.status != 6 else { return }
        #expect(run.status == 70)
        #expect(
            run.messages.hasSuffix(
                """
                items: internal error: the platform's HTTP library gave up on the reply to \
                GET \(loopback.url.absoluteString)/list?token=***
                  hint: the same URL with curl -v may show what is wrong with the reply

                """))
    }
}
#endif
