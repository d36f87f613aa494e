import Foundation
import Testing

/// Everything hostile that is known, each with what it must get: the rows of the article Robustness.
@Suite(.timeLimit(.minutes(10))) struct RobustnessTests {
    @Test(.serialized, arguments: Hazard.all.filter { $0.topic == .json })
    func `a broken document gets its due`(hazard: Hazard) async throws { try await check(hazard) }

    @Test(.serialized, arguments: Hazard.all.filter { $0.topic == .http })
    func `a broken reply gets its due`(hazard: Hazard) async throws { try await check(hazard) }

    @Test(.serialized, arguments: Hazard.all.filter { [.redirects, .pages, .retry].contains($0.topic) })
    func `what leads on gets its due`(hazard: Hazard) async throws { try await check(hazard) }

    @Test(.serialized, arguments: Hazard.all.filter { [.terminal, .commandLine].contains($0.topic) })
    func `what is typed and shown gets its due`(hazard: Hazard) async throws { try await check(hazard) }

    private func check(_ hazard: Hazard) async throws {
        guard let run = try await hazard.run() else { return }
        #expect(run.status == hazard.code && !run.isSignal, "\(run.messages)")
        #expect(hazard.says.isEmpty || run.messages.contains(hazard.says), "\(run.messages)")
        #expect(hazard.hints.isEmpty || run.messages.contains(hazard.hints), "\(run.messages)")
        if let prints = hazard.prints { #expect(run.output == prints) }
        #expect(!run.messages.contains("pw5ecret"))
        // Whatever it was, nothing of it drives a terminal.
        let unsafe = (run.output + run.messages).unicodeScalars.first {
            $0 != "\n"
                && ($0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
                    || [0x202E, 0x2028].contains($0.value))
        }
        #expect(unsafe == nil)
    }

    @Test func `the article's table is this list`() throws {
        let article = Repository.article("Robustness")
        let old = try String(contentsOf: article, encoding: .utf8)
        let parts = old.components(separatedBy: Self.mark)
        try #require(parts.count == 2)
        let new = parts[0] + Self.mark + Self.table
        if ProcessInfo.processInfo.environment["UPDATE_ARTICLES"] != nil {
            try new.write(to: article, atomically: true, encoding: .utf8)
        } else {
            #expect(new == old, "UPDATE_ARTICLES=1 swift test --filter RobustnessTests writes it anew")
        }
        print("Robustness: \(Hazard.all.count) rows")
    }

    @Test(arguments: ["Promises", "FeatureTests"])
    func `every test that an article names exists`(article: String) throws {
        let text = try String(contentsOf: Repository.article(article), encoding: .utf8)
        var count = 0
        for line in text.split(separator: "\n") where line.hasPrefix("|") && line.hasSuffix("* |") {
            guard let cell = line.split(separator: "|").last else { continue }
            for name in cell.matches(of: /\*([^*]+)\*/).map(\.output.1) {
                #expect(Repository.tests.contains(String(name)), "\(name)")
                count += 1
            }
        }
        #expect(count > 20)
    }

    @Test func `every test that the list names exists`() {
        let tests = Repository.tests
        for case .test(let name) in Hazard.all.map(\.trial) { #expect(tests.contains(name), "\(name)") }
    }

    private static let mark = "<!-- The rest is written by RobustnessTests. -->\n"

    private static var table: String {
        var text = ""
        for topic in Hazard.Topic.allCases {
            text += "\n### \(topic.rawValue)\n\n| input | exit code | says | held by |\n|---|---|---|---|\n"
            for hazard in Hazard.all where hazard.topic == topic {
                var holder = "this list"
                if case .test(let name) = hazard.trial { holder = "*\(name)*" }
                let says = [hazard.says, hazard.hints].filter { !$0.isEmpty }.map { "`\($0)`" }.joined(
                    separator: ", ")
                text += "| \(hazard.input) | \(hazard.code) | \(says) | \(holder) |\n"
            }
        }
        return text
    }
}
