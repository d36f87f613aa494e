import Foundation

/// Measures the memory for lists of different sizes, and with a consumer that sleeps.
struct Memory {
    let nginx: Nginx

    func run(stall: Int) throws {
        let items = try Shell.items
        for count in [0, 15_000_000, 150_000_000] {
            let run = try Shell.run("\(items) \(try nginx.strings(count)) > /dev/null")
            report("items, \(20 * count / 1_000_000) MB", run)
        }
        let count = 15_000_000
        let url = try nginx.strings(count)
        report("curl | jq, 300 MB", try Shell.run("curl -s \(url) | jq -r '.items[]' > /dev/null"))
        report(
            "curl | jq --stream, 20 MB", try Shell.run(JQStream.command(try nginx.strings(1_000_000))))
        report("data(for:) + JSONDecoder, 300 MB", try Shell.run("\(Shell.own) whole \(url)"))
        // The largest process in the pipeline is `items`; `wc` and `sleep` are small.
        let run = try Shell.run("\(items) \(url) | (sleep \(stall); test $(wc -l) = \(count))")
        report("items, 300 MB, the consumer sleeping for \(stall) s", run)
    }

    private func report(_ what: String, _ run: Shell.Run) {
        print(
            what.padding(toLength: 48, withPad: " ", startingAt: 0)
                + String(
                    format: "%6.1f MB  %8.2f s%@", Double(run.peakResident) / 1e6, run.seconds,
                    run.status == 0 ? "" : "  FAILED"))
    }
}

enum JQStream {
    /// Returns a command that parses with jq in constant memory.
    static func command(_ url: URL) -> String {
        "curl -s \(url) | jq -rn --stream 'fromstream(2|truncate_stream(inputs|select(.[0][0]==\"items\")))' > /dev/null"
    }
}

/// The peak resident memory of this process.
enum PeakMemory {
    static func report() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM") {
            print("peak resident: \(line)")
        }
    }
}
