import Foundation
import RESTClient

/// Compares the clients of this package with URLSession for many requests of a small JSON document.
///
/// Each candidate runs in its own processes, because two sessions in one process would wake each other's threads. Each run
/// uses several processes, because the thread scheduling of a process stays either fast or slow.
struct SmallRequests {
    enum Call: String {
        case plain, managed, list, plainObjects, objectList, engine, peer

        var name: String {
            switch self {
            case .plain, .plainObjects: "URLSession + JSONDecoder"
            case .managed: "SessionManager.decode"
            case .list: "getAvailableItems()"
            case .objectList: "getAvailableItems(as:)"
            case .engine: "the engine for Linux alone"
            case .peer: "async-http-client"
            }
        }
    }

    let url: URL
    var requests = 4_000
    var processes = 5

    /// Compares requests of one document.
    func run() async throws { try await compare("small JSON requests", [.plain, .managed]) }

    /// Compares lists of four items.
    static func runLists(_ nginx: Nginx) async throws {
        try await Self(url: try nginx.strings(4)).compare("lists of four strings", [.plain, .list])
        try await Self(url: try nginx.objects(4)).compare(
            "lists of four objects", [.plainObjects, .objectList])
    }

    /// Compares the clients with the engine alone, and with async-http-client if it was built.
    func runEngine() async throws {
        let peer = FileManager.default.isExecutableFile(atPath: Shell.peer)
        try await compare("small requests", [.plain, .managed, .list, .engine] + (peer ? [.peer] : []))
    }

    private func compare(_ title: String, _ calls: [Call]) async throws {
        for inFlight in [1, 32] {
            let comparison = Comparison(title: "\(title), \(inFlight) in flight", operations: requests)
            try await comparison.run(
                calls.map { call in
                    .measuring(call.name) {
                        try (0..<processes).reduce(into: Comparison.Cost()) { cost, _ in
                            cost += try inProcess(call, inFlight)
                        }
                    }
                })
        }
    }

    /// Returns the cost of a part of the requests in a new process.
    private func inProcess(_ call: Call, _ inFlight: Int) throws -> Comparison.Cost {
        let arguments = [url.absoluteString, String(requests / processes), String(inFlight)]
        do {
            switch call {
            case .engine: return try .inProcess(of: Shell.simulate, ["--engine-rate"] + arguments)
            case .peer: return try .inProcess(of: Shell.peer, arguments)
            default: return try .inProcess(["small-run"] + arguments + [call.rawValue])
            }
        } catch { throw Failure("cannot load \(url); start a server first") }
    }

    /// Runs a warm-up and the measured requests in the child process.
    func runOnce(_ call: Call, _ inFlight: Int) async throws {
        let one = operation(call)
        try await many(requests / 4, inFlight, one)
        try await Comparison.Cost.of { try await many(requests, inFlight, one) }.print()
    }

    private func operation(_ call: Call) -> @Sendable () async throws -> Void {
        switch call {
        case .plain: return plain(Document.self)
        case .plainObjects: return plain(TypedItems.Products.self)
        case .managed:
            let manager = SessionManager()
            return { [url] in _ = try await manager.request(url).decode(Document.self) }
        case .list:
            let client = MyRESTClient(url: url, manager: SessionManager())
            return { try expect(try await client.getAvailableItems().count, 4) }
        case .engine, .peer: return {}
        case .objectList:
            let client = MyRESTClient(url: url, manager: SessionManager())
            return { try expect(try await client.getAvailableItems(as: TypedItems.Product.self).count, 4) }
        }
    }

    private func plain<T: Decodable & Sendable>(_ type: T.Type) -> @Sendable () async throws -> Void {
        let session = URLSession(configuration: .ephemeral)
        return { [url] in
            let (data, _) = try await session.data(for: URLRequest(url: url))
            _ = try JSONDecoder().decode(type, from: data)
        }
    }

    private struct Document: Decodable, Sendable {
        var items: [String]
    }

    private func many(
        _ requests: Int, _ inFlight: Int, _ one: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight { group.addTask { for _ in 0..<requests / inFlight { try await one() } } }
            try await group.waitForAll()
        }
    }
}
