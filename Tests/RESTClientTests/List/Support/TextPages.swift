import Foundation
import MockTransport
import RESTClient
import Testing

/// A list whose pages are texts, and are requested by `page`, an offset, or a token such as `c2`.
///
/// `<1>`, `<2>` and so on are the three items of full pages, with the ids from 1. A number before a page is that of its
/// link to the next one.
struct TextPages: Sendable, CustomTestStringConvertible {
    struct Item: Decodable, Sendable { var id: Int }

    let path: MemberPath
    let pages: [String]

    /// - Parameter row: The path of the list and the pages, separated by ` | `.
    init(_ row: some StringProtocol) {
        let parts = String(row).components(separatedBy: " | ")
        path = MemberPath(parts[0])
        pages = Array(parts.dropFirst())
    }

    var testDescription: String { "\(pages.prefix(2))" }

    /// Lists the items, and returns their ids and the error that has ended the list.
    func list(
        allowsIncomplete: Bool = false, query: String = "per_page=3"
    ) async -> (items: [Int], error: RESTClientError?) {
        let server = MockServer { Route(.any) { request in reply(to: request) } }
        var listing = ItemListing(at: path)
        listing.allowsIncomplete = allowsIncomplete
        let client = server.client(listing, path: "https://shop.example/items?\(query)")
        let result = await client.items(as: Item.self).collect()
        #expect(result.error == nil || result.error is RESTClientError)
        return (result.elements.map(\.id), result.error as? RESTClientError)
    }

    private func reply(to request: ReceivedRequest) -> Reply {
        let position = ["page", "cursor", "page_token", "token"].lazy.compactMap { request.query[$0] }.first
        let number = position.flatMap { Int($0.filter(\.isNumber)) } ?? request.number("offset") / 3 + 1
        let (body, next) = page(number)
        let reply = Reply.data(Data(body.utf8), as: .json)
        return next.map { reply.header("Link", #"</items?page=\#($0)>; rel="next""#) } ?? reply
    }

    /// Returns the body of a page, and the number of the page to which it has a link.
    func page(_ number: Int) -> (body: String, next: Substring?) {
        var body = pages[min(number, pages.count) - 1]
        let link = body.firstMatch(of: #/^\d /#)
        if let link { body.removeSubrange(link.range) }
        for page in 1...4 {
            let items = (3 * page - 2...3 * page).map { #"{"id": \#($0)}"# }
            body = body.replacing("<\(page)>", with: "[\(items.joined(separator: ", "))]")
        }
        return (body, link?.output.dropLast())
    }
}
