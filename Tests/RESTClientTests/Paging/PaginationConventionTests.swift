import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

@Suite struct PaginationConventionTests {
    @Test func `preset names are unique words`() {
        let names = PaginationConvention.presets.map(\.name)
        #expect(names.count >= 60)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } })
    }

    @Test(arguments: PaginationConvention.presets.map(\.text))
    func `the text of a preset is valid`(text: String) {
        #expect(PaginationConvention(rule: text) != nil)
    }

    @Test func `the guide has the number of presets and a row for each`() throws {
        let guide = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/RESTClient/RESTClient.docc/PagingPresets.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        #expect(text.contains("\(PaginationConvention.presets.count) presets"))
        for preset in PaginationConvention.presets {
            let list = preset.list.map { "`\($0)`" } ?? "–"
            #expect(text.contains("` | `\(preset.name)` | \(list) |"), "\(preset.name)")
        }
    }
}
