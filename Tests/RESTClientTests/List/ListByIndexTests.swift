import Foundation
import MockTransport
import RESTClient
import RESTClientTestSupport
import Testing

/// Lists that are elements of other lists, as in the responses of the World Bank.
@Suite struct ListByIndexTests {
    private static func page(_ number: Int, of total: Int) -> JSONLiteral {
        let items = (number * 3 - 3..<min(number * 3, total)).map { JSONLiteral(.integer($0)) }
        return [
            [
                "page": .value(number), "pages": .value((total + 2) / 3), "per_page": "3",
                "total": .value(total),
            ], JSONLiteral(.array(items)),
        ]
    }

    @Test(arguments: [2, 7, 8])
    func `all pages of a list beside its metadata in a list are read`(total: Int) async throws {
        let server = MockServer {
            Route(.any) { request in
                Reply.json(Self.page(request.number("page", or: 1), of: total))
            }
        }
        let client = server.client(ItemListing(at: "[1]"), path: "https://shop.example/items")
        #expect(try await client.getAvailableItems(as: Int.self) == Array(0..<total))
        #expect(server.requests.count == (total + 2) / 3)
    }

    @Test(arguments: [
        (#"[{"page": 1, "pages": 3}, ["tea"]]"#, "the items are at [1], beside [0].page: 1"),
        (#"[ {"note": "", "next": "/b"} , [] ]"#, #"the items are at [1], beside [0].next: "/b""#),
        (#"[{"page": 1, "pages": 3}, ["tea"], []]"#, nil), (#"[{"name": "a"}, ["tea"]]"#, nil),
        (#"[{"page": 1}, {"page": 2}]"#, nil), (#"[["tea"], ["milk"]]"#, nil),
    ])
    func `a list that is metadata and another list is incomplete`(
        document: String, text: String?
    ) async throws {
        let server = MockServer { Route(.any) { Reply.data(Data(document.utf8), as: .json) } }
        let client = server.client(ItemListing(at: .root), path: "https://shop.example/items")
        let (_, error) = await client.items(as: JSONLiteral.self).collect()
        #expect((error as? RESTClientError)?.kind == text.map { .incompleteList($0) })
    }

    @Test(arguments: [1, 2, 7, .max])
    func `the elements are the same in chunks of each size`(size: Int) throws {
        let text =
            #"[[7], {"a": [], "total": 9, "b": [{"x": 1}, {"l": [1, "a]", {"l": [2]}], "n": 3}], "c": 1}, "[1]", 2]"#
        let scan = Scan(text, at: "[1].b[1].l", pieces: size)
        #expect(scan.elements == ["1", #""a]""#, #"{"l": [2]}"#])
        let envelope = Envelope(stringLiteral: try #require(scan.envelope))
        #expect(envelope.integer("[1].total") == 9)
        #expect(envelope.integer("[1].b[1].n") == 3)
        #expect(envelope.integer("[3]") == 2)
    }

    @Test(arguments: [
        (#"[{"a": 1}]"#, "[1]", #"expected a list at "[1]", found "[0]"; lists are at ".""#),
        (#"[{"a": 1}, {"b": 2}]"#, "[1]", #"expected a list at "[1]", found an object; lists are at ".""#),
        (
            #"{"a": [1, {"b": [2]}]}"#, "a[0]",
            #"expected a list at "a[0]", found a number; lists are at "a[1].b""#
        ),
        (#"{"a": {"0": 1}}"#, "a[0]", #"expected a list at "a[0]", found "0""#),
        (#"{"a": [1]}"#, ".", #"expected a list at ".", found an object; lists are at "a""#),
        (#"[[1], [2,]]"#, "[1]", "not valid JSON at byte 9 ($[1][1]): a comma before the end of a list"),
    ])
    func `a list that is missing is named by its index`(
        document: String, path: MemberPath, text: String
    ) {
        #expect(Scan(document, at: path).failure?.description == text)
    }
}
