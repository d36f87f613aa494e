import Foundation
import MockTransport

/// Runs a loopback server until its standard input is closed.
struct Loopback {
    func run() async throws {
        let server = MockServer {
            Route(.get, "/items.json") {
                Reply.json(["items": ["tea", "milk", "sugar", "lemon"], "total": 4])
            }
            Route(.get, "/great") { Reply.data(Data(count: 1 << 20)) }
            Route(.post, "/in") { request in .text("\(request.body.count)") }
        }
        var limits = LoopbackServer.Limits()
        limits.recordedRequests = 100
        limits.bodyBytes = 1 << 20
        let loopback = try await server.listen(limits: limits)
        FileHandle.standardOutput.write(Data("\(loopback.url.absoluteString)\n".utf8))
        await withCheckedContinuation { end in
            Thread.detachNewThread {
                while readLine() != nil {}
                end.resume()
            }
        }
        await loopback.close()
    }
}
