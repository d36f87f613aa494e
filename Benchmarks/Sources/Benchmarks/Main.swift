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
        case ("small", _):
            let nginx = try Nginx()
            try await SmallRequests(url: try nginx.strings(4)).run()
        case ("engine", _):
            let nginx = try Nginx()
            try await SmallRequests(url: try nginx.strings(4)).runEngine()
        case ("small-list", _): try await SmallRequests.runLists(Nginx())
        case ("mock", _): try await MockRequests().run(matching: arguments.dropFirst().joined(separator: " "))
        case ("stream", let url?):
            let pause = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
            try await Transfers(url: url).stream(pause: .microseconds(pause))
        case ("upload", let url?) where arguments.count > 2:
            try await Transfers(url: url).upload(URL(filePath: arguments[2]))
        case ("leaks", _):
            var leaks = Leaks()
            if let count = arguments.dropFirst().first.flatMap({ Int($0) }) { leaks.requests = count }
            try await leaks.run()
        case ("download", let url?) where arguments.count > 2:
            try await ResumedDownload(url: url, target: URL(filePath: arguments[2])).run()
        case ("begin-download", let url?) where arguments.count > 2:
            try await ResumedDownload(url: url, target: URL(filePath: arguments[2])).begin()
        case ("two-streams", let url?): try await Transfers(url: url).streamTwo()
        case ("waiting", _): try await Waiting().run()
        case ("loopback", _): try await Loopback().run()
        case ("content", _): try Content().run(picture: URL(filePath: "content.svg"))
        case ("forms", _): try Content().runForms()
        case ("list", _): try LargeList(nginx: Nginx()).run()
        case ("first", _): try await Latency().firstItem()
        case ("start", _): try Latency().startUp()
        case ("memory", _):
            try Memory(nginx: Nginx()).run(stall: arguments.dropFirst().first.flatMap { Int($0) } ?? 90)
        case ("typed", _): try await TypedItems(nginx: Nginx()).run()
        case ("dates", _): try await TypedItems(nginx: Nginx()).runDates()
        case ("pages", _): try await Paging().run()
        case ("scaling", _):
            let largest = arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000_000
            try Scaling(nginx: Nginx(), picture: URL(filePath: "scaling.svg"), largest: largest).run()
        // Child processes of the other benchmarks.
        case ("bare", let url?): BareDelegate().run(url)
        case ("small-run", let url?) where arguments.count > 4:
            guard let requests = Int(arguments[2]), let inFlight = Int(arguments[3]),
                let call = SmallRequests.Call(rawValue: arguments[4])
            else {
                throw Failure("invalid arguments of small-run")
            }
            try await SmallRequests(url: url, requests: requests).runOnce(call, inFlight)
        case ("mock-run", _) where arguments.count > 4:
            guard let candidate = MockRequests.Candidate(rawValue: arguments[1]),
                let number = Int(arguments[2]), let inFlight = Int(arguments[3]),
                let requests = Int(arguments[4])
            else {
                throw Failure("invalid arguments of mock-run")
            }
            try await MockRequests(requests: requests).runOnce(candidate, number, inFlight)
        case ("whole", let url?): try await TypedItems.readWhole(url)
        default:
            print(
                """
                usage: Benchmarks COMMAND
                  small URL                  small requests, compared with URLSession; without URL from nginx
                  mock [TEXT]                mock replies, compared with a custom URLProtocol
                  stream URL [MICROSECONDS]  a large body, with a pause after each chunk
                  two-streams URL            two large bodies and other requests alternately
                  upload URL FILE            upload of a large file
                  leaks [REQUESTS]           resources that remain in use after many requests
                  download URL FILE          a large download that is killed and resumed
                  waiting                    waiting for slow servers
                  loopback                   runs a loopback server and prints its URL; exits when stdin is closed
                  content                    items on files with eight kinds of text: jq, simdjson, with a plot
                  forms                      all forms of the output of items
                The following commands start nginx, and need jq and curl (Debian packages):
                  list                       15 million strings: items, curl | jq, minimal clients
                  first                      time to the first item of a slow list
                  start                      startup time
                  memory [SECONDS]           memory for large lists, and with a sleeping consumer
                  small-list                 lists of four items, compared with URLSession
                  engine                     small requests, compared with the engine for Linux alone (make release)
                  typed                      typed items, compared with JSONDecoder
                  dates                      the same with dates and keys in snake case
                  pages                      a thousand pages, sequential and concurrent
                  scaling [ITEMS]            time and memory from 10^3 items on, with a plot
                """)
        }
    }
}
