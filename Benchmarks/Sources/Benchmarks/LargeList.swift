import Foundation

// URLSession has its own module on Linux; the benchmarks run only there.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Compares `items` with other programs that list a large collection. Each program runs in its own process.
struct LargeList {
    let nginx: Nginx
    /// The size of the list in bytes.
    var size = 300_000_000
    var rounds = 9

    struct Candidate {
        let name: String
        let command: String
    }

    static func candidates(_ url: URL) throws -> [Candidate] {
        let items = try Shell.items
        let peer = Shell.peer
        let hasPeer = FileManager.default.isExecutableFile(atPath: peer)
        return [
            Candidate(name: "items", command: "\(items) \(url) > /dev/null"),
            Candidate(name: "items | wc -l", command: "\(items) \(url) | wc -l > /dev/null"),
            Candidate(name: "items --count", command: "\(items) --count \(url) > /dev/null"),
            Candidate(name: "curl -o /dev/null", command: "curl -s -o /dev/null \(url)"),
            Candidate(name: "bare URLSession delegate", command: "\(Shell.own) bare \(url) > /dev/null"),
        ]
            + (hasPeer
                ? [Candidate(name: "bare async-http-client", command: "\(peer) \(url) > /dev/null")] : [])
            + [
                Candidate(
                    name: "curl | jq -r '.items[]'", command: "curl -s \(url) | jq -r '.items[]' > /dev/null")
            ]
    }

    /// Measures short ASCII strings, and mixed text.
    func run() throws {
        try run("ASCII, strings of 17 bytes", nginx.strings(size / 20))
        let mixed = try Content(size: size, folder: nginx.folder.path).file(.mixed)
        try run("mixed text", nginx.url(URL(filePath: mixed).lastPathComponent))
    }

    private func run(_ text: String, _ url: URL) throws {
        let items = try Shell.items
        let isSame =
            try Shell.run(
                "curl -s \(url) | jq -r '.items[]' > \(nginx.folder.path)/jq.txt && \(items) \(url) | cmp - \(nginx.folder.path)/jq.txt"
            ).status == 0
        try? FileManager.default.removeItem(atPath: "\(nginx.folder.path)/jq.txt")
        print("\(text), \(size / 1_000_000) MB; items and jq print the same bytes: \(isSame)")

        let candidates = try Self.candidates(url)
        var runs = [[Shell.Run]](repeating: [], count: candidates.count)
        for round in 0..<rounds {
            for offset in candidates.indices {
                let index = (round + offset) % candidates.count
                runs[index].append(try Shell.run(candidates[index].command))
            }
        }
        let first = runs[0].map(\.seconds).median
        print("median of \(rounds) interleaved runs:")
        for (candidate, runs) in zip(candidates, runs) {
            let seconds = runs.map(\.seconds).median
            print(
                "  " + candidate.name.padding(toLength: 26, withPad: " ", startingAt: 0)
                    + String(
                        format: "%8.3f s  %6.0f MB/s  %6.2f × items  %6.2f s of CPU  %5d MB resident",
                        seconds,
                        Double(size) / seconds / 1e6, seconds / first,
                        runs.map(\.processorSeconds).median, (runs.map(\.peakResident).max() ?? 0) / 1_000_000
                    ))
        }
        guard runs.joined().allSatisfy({ $0.status == 0 }) else { throw Failure("a program failed") }
    }
}

/// A minimal client: a delegate on an inline queue that discards the bytes.
final class BareDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: `count` is changed in serial callbacks, and read after the last one.
    private var count = 0
    private let done = DispatchSemaphore(value: 0)

    private final class Inline: OperationQueue, @unchecked Sendable {
        // SAFETY: has no state.
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }

    func run(_ url: URL) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        URLSession(configuration: configuration, delegate: self, delegateQueue: Inline())
            .dataTask(with: url).resume()
        done.wait()
        print(count)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        count += data.count
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        done.signal()
    }
}
