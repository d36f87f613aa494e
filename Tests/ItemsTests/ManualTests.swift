import Foundation
import Testing

@testable import items

/// `Scripts/command install` checks the page with mandoc and groff.
@Suite struct ManualTests {
    @Test func `the manual page contains each option and exit status`() {
        let manual = Help.manual
        for option in Option.all { #expect(manual.contains("\\fB\(Help.roff("--\(option.name)"))\\fR")) }
        for code in ExitCode.allCases { #expect(manual.contains(".TP\n\\fB\(code.rawValue)\\fR\n")) }
    }

    @Test(arguments: [
        ("a-b", "a\\-b"), (".x", "\\&.x"), ("'x", "\\(aqx"), ("a\\b", "a\\eb"), ("\"a\"", "\\(dqa\\(dq"),
        ("~ ^", "\\(ti \\(ha"), ("a.b", "a.b"),
    ])
    func `special characters of roff are escaped`(text: String, roff: String) {
        #expect(Help.roff(text) == roff)
    }

    @Test func `no line of the manual page is too long or an unknown macro`() {
        for line in Help.manual.split(separator: "\n") {
            #expect(line.count <= 80 || line.hasPrefix("items ") || line.hasPrefix("\\fB"), "\(line)")
            #expect(!line.contains(/^\.(?!TH|S[HS]|PP|TP|br|R[SE]|nf|fi)/), "\(line)")
        }
    }
}

@Suite struct VersionTests {
    @Test func `the change log begins with the unreleased changes or with the version of the program`() throws
    {
        let package = URL(filePath: #filePath).appending(path: "../../../CHANGELOG.md").standardized
        let log = try String(contentsOf: package, encoding: .utf8)
        let sections = log.split(separator: "\n").filter { $0.hasPrefix("## ") }
        // A version gets its section, with a date, when it is tagged.
        let versions = sections.drop { $0 == "## Unreleased" }
        #expect(!versions.contains("## Unreleased") && sections.count - versions.count <= 1)
        if let newest = versions.first { #expect(newest == "## \(Version.current) (\(Version.date))") }
    }
}
