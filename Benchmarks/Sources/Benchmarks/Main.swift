import Foundation

@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.dropFirst().first.flatMap { URL(string: $0) }) {
        case ("small", let url?): try await SmallRequests(url: url).run()
        default: print("usage: Benchmarks small URL")
        }
    }
}
