import RESTClient
import RESTClientHTTP
import RESTClientTestSupport
import Testing

@testable import items

/// The option that the message of an incomplete list suggests, with which the list is complete.
@Suite struct PaginationHintTests {
    @Test(
        arguments: APITemplate.some.filter {
            $0.visible == "yes, but not the name of the parameter"
        })
    func `the suggested option completes the list`(_ api: APITemplate) async throws {
        for variant in ListVariant.some(of: api) where variant.list.hasOwnItems {
            guard let error = await variant.list.list().error else { continue }
            // The name of the parameter can be known from the documentation of the API only.
            guard let option = Self.option(in: error) else { continue }
            let listing = await variant.list.list(by: try PaginationOption(option).value)
            #expect(listing.error == nil, "\(variant.name): \(option)")
            #expect(listing.items == variant.list.items.map { "\($0)" }, "\(variant.name): \(option)")
            #expect(
                listing.requests.count <= variant.list.pageCount + 1,
                "\(variant.name): \(option) \(listing.requests)")
        }
    }

    @Test(arguments: [
        ("next-id", "token:PARAMETER,next-id"), ("CB-AFTER", "token:PARAMETER,header:CB-AFTER"),
        ("x-after", "token:PARAMETER,header:x-after"),
    ])
    func `the example names a member or a header field`(name: String, example: String) {
        let kind = RESTClientError.Kind.pagination(.unknownToken(in: MemberPath(names: [name]), "13"))
        let message = CommandError(RESTClientError(kind) as any Error).text()
        #expect(message.contains("--pagination \(example)"))
    }

    /// The value of `--pagination` in the printed message.
    private static func option(in error: RESTClientError) -> String? {
        let message = CommandError(error as any Error).text()
        guard let range = message.firstRange(of: "most likely: --pagination ") else { return nil }
        let text = message[range.upperBound...].prefix { $0 != "\n" }
        return text.first == "'" ? String(text.dropFirst().prefix { $0 != "'" }) : String(text)
    }
}
