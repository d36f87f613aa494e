import Foundation
import Testing

@testable import items

/// `Scripts/command manual` checks the page with mandoc and groff.
@Suite struct ManualTests {
    @Test func `the manual page contains each option and exit status`() {
        for option in Option.all {
            #expect(Manual.page.contains("\\fB\(Roff.plain("--\(option.name)"))\\fR"))
        }
        for code in ExitCode.allCases {
            #expect(
                Manual.page.contains(".TP\n\\fB\(code.rawValue)\\fR\n\(Roff.plain(code.meaning.prefix(20)))"))
        }
    }

    @Test(arguments: [
        ("a-b", "a\\-b"), (".x", "\\&.x"), ("'x", "\\(aqx"), ("a\\b", "a\\eb"), ("\"a\"", "\\(dqa\\(dq"),
        ("~ ^", "\\(ti \\(ha"), ("a.b", "a.b"),
    ])
    func `special characters of roff are escaped`(text: String, roff: String) {
        #expect(Roff.plain(text) == roff)
    }

    @Test func `filled text contains no macros`() {
        var roff = Roff()
        roff.line(String(repeating: ".word ", count: 40))
        for line in roff.text.split(separator: "\n") {
            #expect(line.count <= 80 && line.hasPrefix("\\&."))
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
