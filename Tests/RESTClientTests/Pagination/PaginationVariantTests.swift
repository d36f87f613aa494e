import Foundation
import RESTClient
import RESTClientTestSupport
import Testing

/// Lists of several sizes and shapes in the conventions of the recorded APIs, of other APIs as their
/// documentation describes them, and of imitations.
///
/// The hints of the errors are tested with the option of the command, in `PaginationHintTests`.
@Suite struct PaginationVariantTests {
    @Test(arguments: APITemplate.all)
    func `a list is complete in each of its variants`(_ api: APITemplate) async {
        var failures: [String] = []
        for variant in ListVariant.all(of: api) {
            let listing = await variant.list.list()
            guard let failure = Self.failure(of: listing, variant.list) else { continue }
            let requests = listing.requests.map { $0.query(percentEncoded: false) ?? "" }
            failures.append("  \(variant.name): \(failure) \(requests)")
        }
        #expect(failures.isEmpty, "\(api.name):\n\(failures.joined(separator: "\n"))")
    }

    /// Returns what is wrong with a listing, or `nil`.
    private static func failure(of listing: TemplateListing, _ list: TemplateList) -> String? {
        let expected = list.items.map { "\($0)" }
        if listing.items.count > Set(listing.items).count { return "an item twice" }
        let isFrugal = listing.requests.count <= max(1, list.pageCount) + 1
        guard let error = listing.error else {
            if listing.items != expected, list.api.visible != "no" {
                return "ended early, \(listing.items.count) of \(expected.count)"
            }
            return isFrugal ? nil : "\(listing.requests.count) requests"
        }
        if expected.count == listing.items.count { return "error although complete: \(error)" }
        if list.api.visible == "yes" { return "error: \(error)" }
        return isFrugal ? nil : "\(listing.requests.count) requests"
    }

    // MARK: Templates and recordings

    /// Recordings that no template serves: an error for a request without a body, or pages that contradict each other,
    /// such as the first page in the place of the second.
    private static let irregular: Set = [
        "notion-query", "monday", "aws-dynamodb", "json-api", "json-api-object", "mailgun", "sendgrid-link",
        "spotify", "spring-hal", "spring-page", "spring-slice", "x-search",
    ]

    @Test func `each recording has a template, and all fixtures can be read`() {
        #expect(Set(RecordedAPI.all.map(\.name)) == Set(APITemplate.recorded.map(\.name)))
        #expect(RecordedAPI.all.count == 123)
        #expect(APITemplate.documented.count > 400)
        #expect(APITemplate.imitations.count > 500)
    }

    @Test(arguments: APITemplate.recorded.filter { !irregular.contains($0.name) })
    func `a template serves the recorded pages`(_ api: APITemplate) async throws {
        let recording = try #require(api.recording)
        #expect(try await recording.differences(from: api) == [])
    }
}
