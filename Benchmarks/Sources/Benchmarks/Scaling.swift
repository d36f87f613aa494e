import Foundation

/// Measures time and memory for increasing numbers of items, and plots them.
struct Scaling {
    let nginx: Nginx
    let picture: URL
    var largest = 100_000_000

    func run() throws {
        let items = try Shell.items
        let candidates: [(name: String, most: Int, command: (URL) -> String)] = [
            ("items", largest, { "\(items) \($0) > /dev/null" }),
            ("curl | jq", 10_000_000, { "curl -s \($0) | jq -r '.items[]' > /dev/null" }),
            ("data(for:) + JSONDecoder", 10_000_000, { "\(Shell.own) whole \($0) > /dev/null" }),
            ("curl | jq --stream", 1_000_000, { JQStream.command($0) }),
        ]
        var time = Plot(title: "Seconds until the last item", unit: "s")
        var memory = Plot(title: "Peak resident memory", unit: "MB")
        for (name, most, command) in candidates {
            let empty = try measure(command(try nginx.strings(0))).seconds
            print(name + String(format: ": %.4f s for an empty list", empty))
            var times = Plot.Series(name: name)
            var sizes = Plot.Series(name: name)
            var count = 1_000
            while count <= min(most, largest) {
                let (seconds, resident) = try measure(command(try nginx.strings(count)))
                print(
                    String(
                        format: "  %@ items: %.3f s, %.1f ns an item, %.1f MB", count.short, seconds,
                        (seconds - empty) / Double(count) * 1e9, resident / 1e6))
                times.points.append((Double(count), seconds))
                sizes.points.append((Double(count), resident / 1e6))
                count *= 10
            }
            time.series.append(times)
            memory.series.append(sizes)
        }
        try Plot.svg([time, memory]).write(to: picture, atomically: true, encoding: .utf8)
        print("wrote \(picture.lastPathComponent)")
    }

    private func measure(_ command: String) throws -> (seconds: Double, resident: Double) {
        var runs: [Shell.Run] = []
        // The first run fills the file cache.
        try Shell.run(command)
        // Long runs need fewer repetitions.
        while runs.count < 21, runs.count < 3 || runs.reduce(0, { $0 + $1.seconds }) < 6 {
            runs.append(try Shell.run(command))
            guard runs.allSatisfy({ $0.status == 0 }) else { throw Failure("failed: \(command)") }
            if runs[0].seconds > 10 { break }
        }
        return (runs.map(\.seconds).median, Double(runs.map(\.peakResident).max() ?? 0))
    }
}
