import Foundation
import RESTClientTestingSupport
import Testing

/// Runs all robustness cases. The tables beside this file are the list of broken and hostile inputs.
@Suite(.hangLimit) struct RobustnessTests {
    @Test(arguments: RobustnessCase.json)
    func `an invalid document ends with its documented exit code and message`(
        testCase: RobustnessCase
    ) async throws { try await check(testCase) }

    @Test(arguments: RobustnessCase.http)
    func `an invalid response ends with its documented exit code and message`(
        testCase: RobustnessCase
    ) async throws { try await check(testCase) }

    @Test(arguments: RobustnessCase.redirects + RobustnessCase.pages + RobustnessCase.retry)
    func `redirects, pages and retries end with their documented exit code and message`(
        testCase: RobustnessCase
    ) async throws { try await check(testCase) }

    @Test(arguments: RobustnessCase.terminal)
    func `hostile text ends with its documented exit code and message`(
        testCase: RobustnessCase
    ) async throws {
        try await check(testCase)
    }

    private func check(_ testCase: RobustnessCase) async throws {
        guard testCase.isApplicable else { return }
        let run = try await testCase.run()
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
}

/// The files of the repository that tests read.
enum Repository {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func file(_ path: String) -> URL { root.appending(path: path) }
}
