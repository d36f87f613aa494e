import AsyncHTTPClient

/// Receives a body and discards the bytes.
@main
struct Main {
    static func main() async throws {
        guard CommandLine.arguments.count > 1 else { return print("usage: Peer URL") }
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: CommandLine.arguments[1]), timeout: .minutes(10))
        var count = 0
        for try await chunk in response.body { count += chunk.readableBytes }
        print(count)
    }
}
