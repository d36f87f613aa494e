import Foundation
import RESTClientHTTP
import MockTransport
import Testing

@Suite struct CorruptionTests {
    @Test func `every member is dropped, renamed, retyped, nulled, nested and emptied in turn`() {
        let shapes = Corruption.variants(of: ["items": ["a"]]).map(\.description)
        #expect(
            shapes == [
                #"$ retyped: []"#,
                #"$ nulled: null"#,
                #"$ nested: {"nested":{"items":["a"]}}"#,
                #"$ emptied: {}"#,
                #"$.items dropped: {}"#,
                #"$.items renamed: {"items_":["a"]}"#,
                #"$.items retyped: {"items":{}}"#,
                #"$.items nulled: {"items":null}"#,
                #"$.items nested: {"items":{"nested":["a"]}}"#,
                #"$.items[0] retyped: {"items":[7]}"#,
                #"$.items[0] nulled: {"items":[null]}"#,
                #"$.items[0] nested: {"items":[{"nested":"a"}]}"#,
            ])
    }

    @Test func `all corruptions differ from each other and from the valid document`() throws {
        struct Shop: Codable, Equatable {
            struct Item: Codable, Equatable { var name: String; var price: Double; var isHot: Bool }
            var name: String
            var items: [Item]
        }
        let shop = Shop(
            name: "Corner",
            items: [.init(name: "tea", price: 2.5, isHot: true), .init(name: "milk", price: 1, isHot: false)])
        let corruptions = Corruption.variants(of: shop)
        #expect(corruptions.count > 40)
        #expect(Set(corruptions.map(\.description)).count == corruptions.count)
        #expect(Set(corruptions.map(\.change)) == Set(Corruption.Change.allCases))
        #expect(corruptions.contains { $0.path == "$.items[1].price" && $0.change == .retyped })
    }

    @Test(arguments: Corruption.variants(of: ["items": ["a"]]))
    func `every corruption fails to decode`(corruption: Corruption) async throws {
        struct List: Decodable { let items: [String] }
        let server = MockServer { Route(.any) { Reply.corrupted(corruption) } }
        let (data, response) = try await server.data("http://shop.example/")
        #expect(response.statusCode == 200)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(List.self, from: data) }
    }

    @Test func `corruptions of a value that cannot be encoded report an error`() async {
        let corruptions = Corruption.variants(of: Double.nan)
        #expect(corruptions.count == 1)
        #expect(corruptions.first?.description.contains("cannot be encoded") == true)
        let server = MockServer { Route(.any) { Reply.corrupted(corruptions[0]) } }
        await #expect(throws: MockServerError.self) { try await server.text("http://shop.example/") }
    }

    @Test func `a seed always gives the same garbage, and all seeds give all kinds`() async throws {
        let server = MockServer {
            Route("/:seed<Int>") { request in .garbage(seed: UInt64(request["seed", as: Int.self] ?? 0)) }
        }
        var kinds: Set<String> = []
        for seed in 0..<100 {
            let (first, response) = try await server.data("http://shop.example/\(seed)")
            let (second, _) = try await server.data("http://shop.example/\(seed)")
            #expect(first == second)
            let text = try #require(response.value(forHTTPHeaderField: "X-Garbage"))
            #expect(text.hasPrefix("seed \(seed), "))
            kinds.insert(String(text.drop { $0 != "," }.dropFirst(2)))
        }
        #expect(kinds.count == 9, "\(kinds)")
    }
}
