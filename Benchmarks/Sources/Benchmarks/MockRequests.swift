import Foundation
import MockTransport

/// Compares a mock with a minimal URLProtocol, both in a session with an inline delegate queue.
struct MockRequests {
    var requests = 5_000

    func run() async throws {
        let server = MockServer {
            Route(.get, "/items") { Reply.data(StubProtocol.body, as: .json) }
            Route(.get, "/items/:id<Int>") { Reply.data(StubProtocol.body, as: .json) }
        }
        let mock = Client(server.configuration)
        let stub = Client(StubProtocol.configuration)
        let one = ["http://shop.example/items"]
        let many = (0..<100).map { "http://shop.example/items/\($0)" }
        for (title, texts) in [("one URL", one), ("a hundred URLs alternately", many)] {
            let urls = texts.compactMap { URL(string: $0) }
            for inFlight in [1, 32] {
                let each = requests / inFlight
                let comparison = Comparison(
                    title: "mock replies, \(title), \(inFlight) in flight", operations: requests)
                try await comparison.run([
                    .init(name: "custom URLProtocol") {
                        await stub.fetch(each, of: urls, inFlight: inFlight)
                    },
                    .init(name: "MockServer") { await mock.fetch(each, of: urls, inFlight: inFlight) },
                ])
            }
        }
        print("  requests kept by the server: \(server.requests.count)")
    }

    /// A minimal client: a delegate on an inline queue.
    private final class Client: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        // SAFETY: `session` is set once, in `init`; `waiting` is accessed only while `lock` is held.
        private let lock = NSLock()
        private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        private var session = URLSession.shared

        private final class Inline: OperationQueue, @unchecked Sendable {
            // SAFETY: has no state.
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

/// A minimal URLProtocol that replies immediately to every request.
final class StubProtocol: URLProtocol {
    static let body = Data(#"{"items": ["tea", "milk", "sugar", "lemon"], "total": 4}"#.utf8)

    /// The configuration of a session that uses the protocol.
    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [StubProtocol.self]
        return configuration
    }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: [
                    "Content-Type": "application/json", "Content-Length": "\(Self.body.count)",
                ])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Self.body)
        client?.urlProtocolDidFinishLoading(self)
    }
}
