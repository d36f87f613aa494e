import Foundation
import RESTClient

/// Compares typed items with decoding the whole body with `JSONDecoder`.
struct TypedItems {
    let nginx: Nginx

    struct Strings: Decodable { var items: [MyItem] }
    struct Product: Decodable, Sendable {
        struct Origin: Decodable { var country: String, year: Int }
        var id: Int, name: String, price: Double, inStock: Bool, tags: [String], origin: Origin, note: String?
    }
    struct Products: Decodable, Sendable { var items: [Product] }
    struct Issue: Decodable, Sendable {
        var issueId: Int, title: String, isOpen: Bool, createdAt: Date, commentCount: Int, updatedAt: Date
    }
    struct Issues: Decodable { var items: [Issue] }

    func run() async throws {
        let strings = try nginx.strings(1_000_000)
        let objects = try nginx.objects(150_000)
        try await Comparison(title: "20 MB, a million strings", operations: 1_000_000).run([
            .init(name: "data(for:) + JSONDecoder") {
                try expect(try await Self.whole(Strings.self, strings).items.count, 1_000_000)
            },
            .init(name: "getAvailableItems()") {
                try expect(try await MyRESTClient(url: strings).getAvailableItems().count, 1_000_000)
            },
            .init(name: "for try await in items()") {
                var count = 0
                for try await _ in MyRESTClient(url: strings).items() { count += 1 }
                try expect(count, 1_000_000)
            },
        ])
        try await Comparison(title: "20 MB, 150,000 objects", operations: 150_000).run([
            .init(name: "data(for:) + JSONDecoder") {
                try expect(try await Self.whole(Products.self, objects).items.count, 150_000)
            },
            .init(name: "getAvailableItems(as:)") {
                try expect(
                    try await MyRESTClient(url: objects).getAvailableItems(as: Product.self).count, 150_000)
            },
            .init(name: "for try await in items(as:)") {
                var count = 0
                for try await _ in MyRESTClient(url: objects).items(as: Product.self) { count += 1 }
                try expect(count, 150_000)
            },
        ])
    }

    /// Compares lists with dates and keys in snake case, decoded with the same decoder.
    func runDates() async throws {
        let issues = try nginx.issues(10_000)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let client = MyRESTClient(url: issues, listing: ItemListing(decoder: decoder))
        try await Comparison(title: "1.5 MB, 10,000 objects with dates and snake case", operations: 10_000)
            .run([
                .init(name: "data(for:) + JSONDecoder") {
                    try expect(try await Self.whole(Issues.self, issues, decoder).items.count, 10_000)
                },
                .init(name: "getAvailableItems(as:)") {
                    try expect(try await client.getAvailableItems(as: Issue.self).count, 10_000)
                },
                .init(name: "for try await in items(as:)") {
                    var count = 0
                    for try await _ in client.items(as: Issue.self) { count += 1 }
                    try expect(count, 10_000)
                },
            ])
    }

    private static func whole<T: Decodable>(
        _ type: T.Type, _ url: URL, _ decoder: JSONDecoder = JSONDecoder()
    ) async throws -> T {
        let (data, _) = try await URLSession.shared.data(for: URLRequest(url: url))
        return try decoder.decode(type, from: data)
    }

    /// Decodes the whole list, in a child process.
    static func readWhole(_ url: URL) async throws { print(try await whole(Strings.self, url).items.count) }
}

func expect(_ count: Int, _ expected: Int) throws {
    if count != expected { throw Failure("\(count) items instead of \(expected)") }
}
