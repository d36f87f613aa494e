import Foundation
import MockTransport

/// Compares a mock with a minimal URLProtocol, both in a session with an inline delegate queue.
///
/// Each candidate runs in processes of its own, because two sessions in one process would wake each other's threads.
struct MockRequests {
    enum Candidate: String {
        case stub, mock

        var name: String {
            switch self {
            case .stub: "custom URLProtocol"
            case .mock: "MockServer"
            }
        }
    }

    var requests = 5_000

    /// Runs the comparisons whose titles contain `text`.
    func run(matching text: String = "") async throws {
        for (number, test) in Self.cases.enumerated() where text.isEmpty || test.title.contains(text) {
            for inFlight in [1, 32] {
                let comparison = Comparison(
                    title: "mock replies, \(test.title), \(inFlight) in flight", operations: requests)
                let candidates: [Candidate] = [.stub, .mock]
                try await comparison.run(
                    candidates.map { candidate in
                        .measuring(candidate.name) {
                            try .inProcess([
                                "mock-run", candidate.rawValue, String(number), String(inFlight),
                                String(requests),
                            ])
                        }
                    })
            }
        }
    }

    /// Runs a warm-up and the measured requests of one comparison in the child process.
    func runOnce(_ candidate: Candidate, _ number: Int, _ inFlight: Int) async throws {
        let test = Self.cases[number]
        let server = MockServer { test.routes }
        let client = Client(candidate == .stub ? StubProtocol.configuration : server.configuration)
        // Calls each route at least once.
        await client.fetch(max(requests / 4, test.requests.count), of: test.requests, inFlight: 1)
        await Comparison.Cost.of {
            await client.fetch(requests / inFlight, of: test.requests, inFlight: inFlight)
        }.print()
        if candidate == .mock { try server.verify() }
    }

    /// The routes of a server, and requests that they answer.
    private struct Case {
        let title: String
        let requests: [URLRequest]
        let routes: [Route]

        init(_ title: String, _ paths: [String], body: Data? = nil, routes: [Route]) {
            self.title = title
            self.routes = routes
            requests = paths.compactMap { URL(string: "http://shop.example\($0)") }.map { url in
                var request = URLRequest(url: url)
                if let body {
                    request.httpMethod = "POST"
                    request.httpBody = body
                }
                return request
            }
        }
    }

    private static var cases: [Case] {
        let reply = Reply.data(StubProtocol.body, as: .json)
        return [
            Case("one URL", ["/items"], routes: [Route(.get, "/items") { reply }]),
            Case(
                "a hundred URLs in turn, with a capture", (0..<100).map { "/items/\($0)" },
                routes: [Route(.get, "/items/:id<Int>") { reply }]),
            Case(
                "200 routes", (0..<200).map { "/api/shelves/\($0)/items" },
                routes: (0..<200).map { number in Route(.get, "/api/shelves/\(number)/items") { reply } }),
            Case(
                "200 routes with captures", (0..<200).map { "/api/shelf\($0)/items/7" },
                routes: (0..<200).map { number in Route(.get, "/api/shelf\(number)/items/:id") { reply } }),
            Case(
                "a JSON body", ["/orders"], body: StubProtocol.body,
                routes: [Route(.post, "/orders", .body(jsonContaining: ["total": 4])) { reply }]),
        ]
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

        func fetch(_ count: Int, of requests: [URLRequest], inFlight: Int) async {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<inFlight {
                    group.addTask { [self] in
                        for number in 0..<count {
                            let task = session.dataTask(with: requests[number % requests.count])
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
