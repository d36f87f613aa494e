import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

@Suite struct PaginationConventionTests {
    /// Recordings that lack a page that their own links or numbers name.
    private static let incomplete: Set = [
        "salesforce", "json-api", "json-api-object", "spring-hal", "spring-page", "spring-paged-model",
        "spring-slice",
    ]

    private func list(
        _ api: RecordedAPI
    ) async throws -> (items: [String], requests: Int, error: (any Error)?) {
        let server = MockServer { Route(.any) { request in api.reply(to: request) } }
        let (items, error) = await server.client(
            ItemListing(at: api.listPath), path: "https://api.example\(api.target)"
        ).texts()
        return (items, server.requests.count, error)
    }

    @Test(arguments: RecordedAPI.all)
    func `a list is complete, or its end is an error`(_ api: RecordedAPI) async throws {
        // The recorded second page of these is the first one again.
        guard !api.name.hasPrefix("json-api") else { return }
        let (items, requests, error) = try await list(api)
        #expect(Set(items).count == items.count, "an item was delivered twice")
        if error == nil, api.visible != "no" { #expect(items.count == api.ids.count, "the list ended early") }
        guard api.visible == "yes", !Self.incomplete.contains(api.name) else { return }
        #expect(error == nil)
        #expect(items.count == api.ids.count)
        #expect(requests <= api.exchanges.count + 1)
    }

    @Test func `preset names are unique words`() {
        let names = PaginationConvention.presets.map(\.name)
        #expect(names.count >= 60)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } })
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
