import Foundation
import MockTransport

/// Measures the time to the first item of a slow list, and the startup time.
struct Latency {
    var rounds = 21

    /// Measures the time from the start of the process to its first output, with a server that waits after the first item.
    func firstItem() async throws {
        let items = try Shell.items
        let server = MockServer {
            Route(.any) { _ in
                .stream(
                    AsyncStream { chunks in
                        chunks.yield(Data(#"{"items": ["Sencha""#.utf8))
                        let rest = Task {
                            try? await Task.sleep(for: .milliseconds(200))
                            chunks.yield(Data(#", "Assam"]}"#.utf8))
                            chunks.finish()
                        }
                        chunks.onTermination = { _ in rest.cancel() }
                    }, as: .json)
            }.optional()
        }
        let loopback = try await server.listen()
        let url = loopback.url.appending(path: "items")
        for (name, command) in [
            ("items", "exec \(items) \(url)"), ("items --limit 1", "exec \(items) --limit 1 \(url)"),
            ("curl -sN (first byte)", "exec curl -sN \(url)"),
            ("curl -sN | jq", "curl -sN \(url) | jq --unbuffered -r '.items[]'"),
        ] {
            var times: [Double] = []
            for _ in 0..<rounds { times.append(try await firstByte(command)) }
            report("first item: \(name)", times)
        }
        await loopback.close()
    }

    func startUp() throws {
        for (name, command) in [
            ("items --version", "\(try Shell.items) --version"), ("curl --version", "curl --version"),
            ("jq --version", "jq --version"), ("empty command (the shell)", ":"),
        ] {
            let times = try (0..<rounds).map { _ in try Shell.run("\(command) > /dev/null").seconds }
            report("start: \(name)", times)
        }
    }

    private func firstByte(_ command: String) async throws -> Double {
        try await withCheckedThrowingContinuation { done in
            // A separate thread, because reading blocks.
            Thread.detachNewThread {
                let start = ContinuousClock.now
                guard let pipe = popen(command, "r") else {
                    return done.resume(throwing: Failure("cannot run \(command)"))
                }
                let byte = fgetc(pipe)
                let seconds = (ContinuousClock.now - start) / .seconds(1)
                while fgetc(pipe) != EOF {}
                pclose(pipe)
                if byte == EOF {
                    done.resume(throwing: Failure("no output of \(command)"))
                } else {
                    done.resume(returning: seconds)
                }
            }
        }
    }

    private func report(_ what: String, _ times: [Double]) {
        print(
            what.padding(toLength: 48, withPad: " ", startingAt: 0)
                + String(
                    format: "median %6.1f ms   fastest %6.1f ms   slowest %6.1f ms", times.median * 1e3,
                    (times.min() ?? .nan) * 1e3, (times.max() ?? .nan) * 1e3))
    }
}
