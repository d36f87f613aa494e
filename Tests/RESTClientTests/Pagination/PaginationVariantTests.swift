import Foundation
import MockTransport
import RESTClient
import RESTClientHTTP
import Testing

/// Lists of several sizes and shapes in the conventions of the recorded and the documented APIs.
@Suite struct PaginationVariantTests {
    private struct Variant: Sendable {
        let name: String
        let list: TemplateList
    }

    private static func variants(of api: PagedAPI) -> [Variant] {
        func list(
            _ count: Int, _ size: Int, _ change: (inout TemplateList) -> Void = { _ in }
        ) -> TemplateList {
            var list = TemplateList(api, count: count, size: size)
            change(&list)
            return list
        }
        let names = RecordedAPI.all.map(\.name)
        var variants = [
            Variant(name: "as it is", list: list(7, 3)), Variant(name: "full last page", list: list(6, 3)),
            Variant(name: "page size 1", list: list(4, 1)), Variant(name: "empty list", list: list(0, 3)),
            Variant(name: "one page", list: list(2, 3)), Variant(name: "one full page", list: list(3, 3)),
        ]
        if !names.contains(api.name) { return variants }
        variants += [
            Variant(name: "strings", list: list(7, 3) { $0.setItems($0.ids.map { .value($0) }) }),
            Variant(
                name: "objects without id",
                list: list(7, 3) {
                    $0.setItems($0.items.indices.map { ["title": .value("Tea \($0)"), "tags": ["a", "b"]] })
                }),
            Variant(name: "reversed members", list: list(7, 3) { $0.order = .reversed }),
            Variant(name: "list first", list: list(6, 3) { $0.order = .listFirst }),
            Variant(name: "list last", list: list(7, 3) { $0.order = .listLast }),
        ]
        for style in NameStyle.allCases {
            for count in [6, 7] {
                variants.append(
                    Variant(
                        name: "\(style), \(count) items", list: list(count, 3) { $0.rename = style.rename }))
            }
        }
        return variants
    }

    struct Listing {
        var items: [String] = []
        var requests: [URL] = []
        var error: RESTClientError?
    }

    static func listing(
        _ list: TemplateList, _ pagination: StandardPagination = .automatic
    ) async throws -> Listing {
        let server = MockServer { Route(.any) { request in list.reply(to: request) } }
        let client = MyRESTClient(
            url: try #require(list.url), manager: SessionManager(configuration: server.configuration),
            listing: ItemListing(at: list.path, pagination: pagination))
        var listing = Listing()
        do {
            for try await batch in client.elements() {
                batch.forEach { element in
                    listing.items.append(element.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
                }
            }
        } catch let error as RESTClientError {
            listing.error = error
        }
        listing.requests = server.requests.map(\.url)
        return listing
    }

    @Test(arguments: PagedAPI.recorded + PagedAPI.documented)
    func `a list is complete in each of its variants`(_ api: PagedAPI) async throws {
        var failures: [String] = []
        for variant in Self.variants(of: api) {
            let list = variant.list
            let listing = try await Self.listing(list)
            if let failure = try await Self.failure(of: listing, list, in: api) {
                let requests = listing.requests.map { $0.query(percentEncoded: false) ?? "" }
                failures.append("  \(variant.name): \(failure) \(requests)")
            }
        }
        #expect(failures.isEmpty, "\(api.name):\n\(failures.joined(separator: "\n"))")
    }

    /// Returns what is wrong with a listing, or `nil`.
    private static func failure(
        of listing: Listing, _ list: TemplateList, in api: PagedAPI
    ) async throws -> String? {
        let expected = list.items.map { "\($0)" }
        if listing.items.count > Set(listing.items).count { return "an item twice" }
        guard let error = listing.error else {
            if listing.items != expected, api.visible != "no" {
                return "ended early, \(listing.items.count) of \(expected.count)"
            }
            let isFrugal = listing.requests.count <= max(1, list.pageCount) + 1
            return isFrugal ? nil : "\(listing.requests.count) requests"
        }
        if expected.count == listing.items.count { return "error although complete: \(error)" }
        if api.visible == "yes" { return "error: \(error)" }
        // The error suggests a pagination that completes the list, if the response contains its name.
        guard api.visible == "yes, but not the name of the parameter", list.hasOwnItems else { return nil }
        guard let suggestion = error.suggestedPagination else { return "no suggestion: \(error)" }
        #expect("\(error)".contains("\(suggestion)"))
        let second = try await Self.listing(list, StandardPagination(suggestion))
        return second.error == nil && second.items == expected
            ? nil : "\(second.items.count) of \(expected.count) items with \(suggestion)"
    }

    /// The recordings that are not listed by a query item: lists in a POST, by a range, by a path or by one cursor.
    private static let withoutTemplate: Set = [
        "heroku", "crossref-scroll", "notion-query", "monday", "salesforce", "aws-dynamodb",
        "elasticsearch-after", "stac-post",
    ]

    @Test func `each recording has a template, unless it is listed in another way`() {
        #expect(
            Set(RecordedAPI.all.map(\.name)).subtracting(PagedAPI.recorded.map(\.name))
                == Self.withoutTemplate)
    }
}

/// The styles in which servers write the names of members.
enum NameStyle: CaseIterable {
    case camel, snake, kebab, pascal

    var rename: @Sendable (String) -> String {
        { name in
            // Prefixes such as `@odata.` and `_` are not part of the name.
            let prefix = name.prefix { !$0.isLetter }
            guard !prefix.contains("@"), !name.contains(where: ":.".contains),
                name.contains(where: \.isLetter)
            else { return name }
            let words = Self.words(of: name.dropFirst(prefix.count))
            let capitalized = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            switch self {
            case .camel: return prefix + words[0] + capitalized.dropFirst().joined()
            case .snake: return prefix + words.joined(separator: "_")
            case .kebab: return prefix + words.joined(separator: "-")
            case .pascal: return prefix + capitalized.joined()
            }
        }
    }

    private static func words(of name: some StringProtocol) -> [String] {
        var words: [String] = [""]
        var wasLower = false
        for character in name {
            if "_-. ".contains(character) || character.isUppercase && wasLower { words.append("") }
            if !"_-. ".contains(character) { words[words.count - 1] += character.lowercased() }
            wasLower = character.isLowercase || character.isNumber
        }
        return words.filter { !$0.isEmpty }
    }
}
