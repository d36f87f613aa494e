import Foundation
import RESTClient
import RESTClientTestSupport
import Testing

/// Lists of several sizes and shapes in the conventions of the recorded APIs, of other APIs as their
/// documentation describes them, and of imitations.
///
/// `make lists` lists all variants, in release mode. The hints of the errors are tested with the option of the command, in
/// `PaginationHintTests`.
@Suite struct PaginationVariantTests {
    @Test(arguments: APITemplate.some)
    func `some lists are complete in some of their variants`(_ api: APITemplate) async {
        for variant in ListVariant.some(of: api) {
            let failure = await variant.failure()
            #expect(failure == nil, "\(api.name), \(variant.name)")
        }
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
        #expect(APITemplate.signs.count > 200)
    }

    @Test(arguments: APITemplate.recorded.filter { !irregular.contains($0.name) })
    func `a template serves the recorded pages`(_ api: APITemplate) async throws {
        let recording = try #require(api.recording)
        #expect(try await recording.differences(from: api) == [])
    }
}
