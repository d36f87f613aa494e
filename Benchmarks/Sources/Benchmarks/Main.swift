import Foundation

@main
struct Main {
    static func main() async {
        do {
            try await run()
        } catch {
            print("Benchmarks: \(error)")
            exit(1)
        }
    }

    private static func run() async throws {
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
        case ("waiting", _): try await Waiting().run()
        case ("loopback", _): try await Loopback().run()
        case ("list", _): try BigList(nginx: Nginx()).run()
        case ("first", _): try await Promptness().firstItem()
        case ("start", _): try Promptness().startUp()
        case ("memory", _):
            try Memory(nginx: Nginx()).run(stall: arguments.dropFirst().first.flatMap { Int($0) } ?? 90)
        case ("typed", _): try await TypedItems(nginx: Nginx()).run()
        case ("pages", _): try await Paging().run()
        case ("growth", _):
            let largest = arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000_000
            try Growth(nginx: Nginx(), picture: URL(filePath: "growth.svg"), largest: largest).run()
        // What the others run as processes of their own.
        case ("bare", let url?): BareDelegate().run(url)
        case ("small-run", let url?) where arguments.count > 3:
            guard let way = SmallRequests.Way(rawValue: arguments[2]), let inFlight = Int(arguments[3]) else {
                throw Failure("no such run")
            }
            try await SmallRequests(url: url).runOnce(way, inFlight)
        case ("whole", let url?): try await TypedItems.readWhole(url)
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
                       Benchmarks waiting                for servers that take their time
                       Benchmarks loopback               a loopback server; prints its URL, ends with its input
                These start nginx themselves, and need jq and curl (Debian packages of these names):
                       Benchmarks list                   15 million strings: items, curl | jq, bare clients
                       Benchmarks first                  the first item of a list whose rest is slow
                       Benchmarks start                  starting the program
                       Benchmarks memory [SECONDS]       at any size, and with a reader that sleeps
                       Benchmarks typed                  items as Swift values, beside JSONDecoder
                       Benchmarks pages                  a thousand pages, one by one and ahead
                       Benchmarks growth [ITEMS]         time and memory from 10^3 items on, and their picture
                """)
        }
    }
}
