import Foundation
import MockTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A mock's reply through a session with an inline delegate queue, beside the least that a URLProtocol can do.
struct MockRequests {
    var requests = 5_000

    func run() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.data(Stub.body, as: .json) }
            Route(.get, "/items/:id<Int>") { Reply.data(Stub.body, as: .json) }
        }
        let mock = Client(server.configuration)
        let stub = Client(Stub.configuration)
        let one = ["http://shop.example/items"]
        let many = (0..<100).map { "http://shop.example/items/\($0)" }
        for (title, texts) in [("one URL", one), ("a hundred URLs in turn", many)] {
            let urls = texts.compactMap { URL(string: $0) }
            for inFlight in [1, 32] {
                let each = requests / inFlight
                let contest = Contest(
                    title: "mock replies, \(title), \(inFlight) in flight", operations: requests)
                try await contest.hold([
                    .init(name: "URLProtocol written by hand") {
                        await stub.fetch(each, of: urls, inFlight: inFlight)
                    },
                    .init(name: "MockServer") { await mock.fetch(each, of: urls, inFlight: inFlight) },
                ])
            }
        }
        print("  requests kept by the server: \(server.requests.count)")
    }

    /// The thinnest client: a delegate on an inline queue.
    private final class Client: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        // SAFETY: `session` is set once, in `init`; `waiting` is touched with `lock` held only.
        private let lock = NSLock()
        private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        private var session = URLSession.shared

        private final class Inline: OperationQueue, @unchecked Sendable {
            // SAFETY: has no state of its own.
            override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
        }

        init(_ configuration: URLSessionConfiguration) {
            super.init()
            session = URLSession(configuration: configuration, delegate: self, delegateQueue: Inline())
        }

        func fetch(_ count: Int, of urls: [URL], inFlight: Int) async {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<inFlight {
                    group.addTask { [self] in
                        for number in 0..<count {
                            let task = session.dataTask(with: urls[number % urls.count])
                            await withCheckedContinuation { done in
                                lock.withLock { waiting[task.taskIdentifier] = done }
                                task.resume()
                            }
                        }
                    }
                }
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
        {
            lock.withLock { waiting.removeValue(forKey: task.taskIdentifier) }?.resume()
        }
    }
}
