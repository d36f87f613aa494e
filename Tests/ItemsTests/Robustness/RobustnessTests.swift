import Foundation
import RESTClientTestingSupport
import Testing

/// Runs all robustness cases, which are also the rows of `Documentation/Robustness.md`.
@Suite(.hangLimit) struct RobustnessTests {
    @Test(.serialized, arguments: RobustnessCase.all.filter { $0.topic == .json })
    func `an invalid document ends with its documented exit code and message`(
        testCase: RobustnessCase
    ) async throws { try await check(testCase) }

    @Test(.serialized, arguments: RobustnessCase.all.filter { $0.topic == .http })
    func `an invalid response ends with its documented exit code and message`(
        testCase: RobustnessCase
    ) async throws { try await check(testCase) }

    @Test(
        .serialized,
        arguments: RobustnessCase.all.filter { [.redirects, .pages, .retry].contains($0.topic) })
    func `redirects, pages and retries end with their documented exit code and message`(
        testCase: RobustnessCase
    ) async throws { try await check(testCase) }

    @Test(.serialized, arguments: RobustnessCase.all.filter { [.terminal, .commandLine].contains($0.topic) })
    func `hostile arguments and output end with their documented exit code and message`(
        testCase: RobustnessCase
    ) async throws {
        try await check(testCase)
    }

    private func check(_ testCase: RobustnessCase) async throws {
        guard testCase.isApplicable, let run = try await testCase.run() else { return }
        #expect(run.status == testCase.code && !run.isSignal, "\(run.messages)")
        #expect(testCase.message.isEmpty || run.messages.contains(testCase.message), "\(run.messages)")
        #expect(testCase.hint.isEmpty || run.messages.contains(testCase.hint), "\(run.messages)")
        if let output = testCase.output { #expect(run.output == output) }
        #expect(!run.messages.contains("pw5ecret"))
        // No output may control a terminal.
        let unsafe = (run.output + run.messages).unicodeScalars.first {
            $0 != "\n"
                && ($0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
                    || [0x202E, 0x2028].contains($0.value))
        }
        #expect(unsafe == nil)
    }

    @Test func `the table of the article is generated from this list`() throws {
        let article = Repository.article("Robustness")
        let old = try String(contentsOf: article, encoding: .utf8)
        let parts = old.components(separatedBy: Self.mark)
        try #require(parts.count == 2)
        let new = parts[0] + Self.mark + Self.table
        if ProcessInfo.processInfo.environment["UPDATE_ARTICLES"] != nil {
            try new.write(to: article, atomically: true, encoding: .utf8)
        } else {
            #expect(new == old, "update it with UPDATE_ARTICLES=1 swift test --filter RobustnessTests")
        }
        print("Robustness: \(RobustnessCase.all.count) rows")
    }

    @Test(arguments: ["Guarantees", "ClientTests"])
    func `every test named by an article exists`(article: String) throws {
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

    @Test func `every test named by the list exists`() {
        let tests = Repository.tests
        for case .test(let name) in RobustnessCase.all.map(\.method) {
            #expect(tests.contains(name), "\(name)")
        }
    }

    private static let mark = "<!-- The rest is written by RobustnessTests. -->\n"

    private static var table: String {
        var text = ""
        for topic in RobustnessCase.Topic.allCases {
            text +=
                "\n### \(topic.rawValue)\n\n| input | exit code | message | tested by |\n|---|---|---|---|\n"
            for testCase in RobustnessCase.all where testCase.topic == topic {
                var holder = "this list"
                if case .test(let name) = testCase.method { holder = "*\(name)*" }
                let message = [testCase.message, testCase.hint].filter { !$0.isEmpty }.map { "`\($0)`" }
                    .joined(
                        separator: ", ")
                text += "| \(testCase.input) | \(testCase.code) | \(message) | \(holder) |\n"
            }
        }
        return text
    }
}

/// The files of the repository that tests read.
enum Repository {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func file(_ path: String) -> URL { root.appending(path: path) }

    static func article(_ name: String) -> URL { file("Documentation/\(name).md") }

    /// The names of all tests with raw identifiers.
    static let tests: Set<String> = {
        let folder = root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for part in text.components(separatedBy: "func `").dropFirst() {
                names.insert(String(part.prefix { $0 != "`" }))
            }
        }
        return names
    }()
}
