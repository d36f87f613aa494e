import AsyncHTTPClient
import Foundation

/// `Peer URL` receives a body and prints the number of its bytes. `Peer URL REQUESTS IN_FLIGHT` requests a small list many
/// times, decodes it, and prints the elapsed time and the processor time in seconds.
@main
struct Main {
    private struct List: Decodable { var items: [String] }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else { return print("usage: Peer URL [REQUESTS IN_FLIGHT]") }
        guard arguments.count > 3, let requests = Int(arguments[2]), let inFlight = Int(arguments[3]) else {
            return print(try await receive(arguments[1]))
        }
        try await request(arguments[1], requests / 4, inFlight)
        let (start, processorStart) = (ContinuousClock.now, clock())
        try await request(arguments[1], requests, inFlight)
        let time = (ContinuousClock.now - start) / .seconds(1)
        print(time, Double(clock() - processorStart) / Double(CLOCKS_PER_SEC))
    }

    private static func receive(_ url: String) async throws -> Int {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: url), timeout: .minutes(10))
        var count = 0
        for try await chunk in response.body { count += chunk.readableBytes }
        return count
    }

    private static func request(_ url: String, _ requests: Int, _ inFlight: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    for _ in 0..<requests / inFlight {
                        let response = try await HTTPClient.shared.execute(
                            HTTPClientRequest(url: url), timeout: .minutes(1))
                        let body = try await response.body.collect(upTo: 1 << 20)
                        _ = try JSONDecoder().decode(List.self, from: Data(body.readableBytesView))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
