import Foundation
import Testing

@testable import items

@Suite struct VersionTests {
    @Test func `the version is the one that the change log begins with`() throws {
        let package = URL(filePath: #filePath).appending(path: "../../../CHANGELOG.md").standardized
        let log = try String(contentsOf: package, encoding: .utf8)
        let first = try #require(log.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(first == "## \(Version.current) (\(Version.date))")
    }
}
