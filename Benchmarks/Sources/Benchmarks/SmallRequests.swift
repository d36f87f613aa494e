import Foundation
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One small JSON document, fetched and decoded many times: what the session manager costs beside plain URLSession.
///
/// Nobody has both in one process, where two sessions that take turns wake each other's threads. So each run has processes
/// of its own, and more than one, because each falls into a faster or a slower rhythm of threads and stays in it.
struct SmallRequests {
    enum Way: String, CaseIterable {
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
            let contest = Contest(title: "small JSON requests, \(inFlight) in flight", operations: requests)
            try await contest.hold(
                Way.allCases.map { way in
                    .measuring(way.name) {
                        try (0..<processes).reduce(into: Contest.Cost()) { cost, _ in
                            cost += try inProcess(way, inFlight)
                        }
                    }
                })
        }
    }

    /// What a process took for its part of the requests.
    private func inProcess(_ way: Way, _ inFlight: Int) throws -> Contest.Cost {
        let process = Process()
        process.executableURL = URL(filePath: Shell.own)
        process.arguments = ["small-run", url.absoluteString, way.rawValue, String(inFlight)]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard process.terminationStatus == 0, figures.count == 2 else {
            throw Failure("\(url) cannot be fetched; is there a server?")
        }
        return Contest.Cost(time: figures[0], work: figures[1])
    }

    /// What each of them does: a warm-up, and the requests that count.
    func runOnce(_ way: Way, _ inFlight: Int) async throws {
        let one = request(way)
        let part = requests / processes
        try await many(part / 4, inFlight, one)
        let cost = try await Contest.Cost.of { try await many(part, inFlight, one) }
        print(cost.time, cost.work)
    }

    private func request(_ way: Way) -> @Sendable () async throws -> Void {
        switch way {
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
