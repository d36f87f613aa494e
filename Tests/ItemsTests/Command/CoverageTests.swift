import Foundation
import Testing

@testable import items

/// Checks that the tables of shell tests and of messages cover all options, exit codes and environment
/// variables.
@Suite struct CoverageTests {
    /// The source lines of all shell tests in this folder, and the lines of the table of messages.
    private static let lines: [Substring] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let tests = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let files = (tests ?? []) + [Repository.file("Tests/ItemMessages.txt")]
        return files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined()
            .split(separator: "\n")
    }()

    @Test func `each option has a shell test`() {
        var words: Set<Substring> = []
        for line in Self.lines where line.contains("items ") || line.contains("\"$items\"") {
            words.formUnion(line.split(whereSeparator: { " \"=;".contains($0) }))
        }
        for option in Option.all {
            for spelling in ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []) {
                #expect(words.contains(spelling[...]), "no line has \(spelling)")
            }
        }
    }

    @Test(arguments: ExitCode.allCases)
    func `each exit code has a shell test`(code: ExitCode) {
        switch code {
        // Covered by `ProgramTests` and `InterruptionTests`.
        case .brokenPipe, .terminated, .hungUp: break
        case .success: break
        default:
            #expect(
                Self.lines.contains {
                    $0 == "[\(code.rawValue)]" || $0.contains("exit: .\(code),")
                        || $0.contains("exit: .\(code))")
                })
        }
    }

    @Test(arguments: [
        "ITEMS_URL", "ITEMS_TOKEN_FILE", "http_proxy", "HTTPS_PROXY", "NO_PROXY", "NO_COLOR",
    ])
    func `each environment variable has a shell test and a manual entry`(name: String) {
        #expect(Self.lines.contains { $0.contains("\(name)=") })
        #expect(Help.manual.contains(Help.roff(name)))
    }
}
