import Foundation

@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let url = arguments.dropFirst().first.flatMap { URL(string: $0) }
        switch (arguments.first, url) {
        case ("small", let url?): try await SmallRequests(url: url).run()
        case ("mock", _): try await MockRequests().run()
        case ("stream", let url?):
            let pause = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
            try await Transfers(url: url).stream(pause: .microseconds(pause))
        case ("upload", let url?) where arguments.count > 2:
            try await Transfers(url: url).upload(URL(filePath: arguments[2]))
        case ("leftovers", _):
            var leftovers = Leftovers()
            if let count = arguments.dropFirst().first.flatMap({ Int($0) }) { leftovers.requests = count }
            try await leftovers.run()
        case ("download", let url?) where arguments.count > 2:
            try await KilledDownload(url: url, target: URL(filePath: arguments[2])).run()
        case ("begin-download", let url?) where arguments.count > 2:
            try await KilledDownload(url: url, target: URL(filePath: arguments[2])).begin()
        case ("two-streams", let url?): try await Transfers(url: url).streamTwo()
        case ("loopback", _): try await Loopback().run()
        default:
            print(
                """
                usage: Benchmarks small URL              small requests beside plain URLSession
                       Benchmarks mock                   mock replies beside a URLProtocol written by hand
                       Benchmarks stream URL [MICROSECONDS]  a large body, the reader pausing at each chunk
                       Benchmarks two-streams URL        two large bodies in turn, a request between their chunks
                       Benchmarks upload URL FILE        a large file
                       Benchmarks leftovers [REQUESTS]   what requests leave behind in the process
                       Benchmarks download URL FILE      a large download, killed half-way and taken up
                       Benchmarks loopback               a loopback server; prints its URL, ends with its input
                """)
        }
    }
}
