import Foundation
import RESTClient

/// Compares the session manager with URLSession for many requests of a small JSON document.
///
/// Each candidate runs in its own processes, because two sessions in one process would wake each other's threads. Each run
/// uses several processes, because the thread scheduling of a process stays either fast or slow.
struct SmallRequests {
    enum Client: String, CaseIterable {
        case plain, managed

        var name: String {
            switch self {
            case .plain: "URLSession + JSONDecoder"
            case .managed: "SessionManager.decode"
            }
        }
    }

    let url: URL
    var requests = 4_000
    var processes = 5

    func run() async throws {
        for inFlight in [1, 32] {
            let comparison = Comparison(
                title: "small JSON requests, \(inFlight) in flight", operations: requests)
            try await comparison.run(
                Client.allCases.map { client in
                    .measuring(client.name) {
                        try (0..<processes).reduce(into: Comparison.Cost()) { cost, _ in
                            cost += try inProcess(client, inFlight)
                        }
                    }
                })
        }
    }

    /// Returns the cost of a part of the requests in a new process.
    private func inProcess(_ client: Client, _ inFlight: Int) throws -> Comparison.Cost {
        let process = Process()
        process.executableURL = URL(filePath: Shell.own)
        process.arguments = ["small-run", url.absoluteString, client.rawValue, String(inFlight)]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard process.terminationStatus == 0, figures.count == 2 else {
            throw Failure("cannot load \(url); start a server first")
        }
        return Comparison.Cost(time: figures[0], cpuTime: figures[1])
    }

    /// Runs a warm-up and the measured requests in the child process.
    func runOnce(_ client: Client, _ inFlight: Int) async throws {
        let one = request(client)
        let part = requests / processes
        try await many(part / 4, inFlight, one)
        let cost = try await Comparison.Cost.of { try await many(part, inFlight, one) }
        print(cost.time, cost.cpuTime)
    }

    private func request(_ client: Client) -> @Sendable () async throws -> Void {
        switch client {
        case .plain:
            let session = URLSession(configuration: .ephemeral)
            return { [url] in
                let (data, _) = try await session.data(for: URLRequest(url: url))
                _ = try JSONDecoder().decode(Document.self, from: data)
            }
        case .managed:
            let manager = SessionManager()
            return { [url] in _ = try await manager.request(url).decode(Document.self) }
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
