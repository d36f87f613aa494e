import Foundation
import MockTransport
import RESTClient

/// A collection that is served in pages. `PagedList` has the conventions of all kinds of APIs.
struct PagedCollection: Sendable {
    /// The way in which a page refers to the next one.
    enum Convention: String, CaseIterable, Sendable { case link, next, pageToken, totalPages, offset }

    var convention: Convention
    var items: [String]
    var pageSize: Int

    static let path = "http://shop.example/v1/items"

    var pageCount: Int { max(1, (items.count + pageSize - 1) / pageSize) }

    /// Returns the index of the requested page.
    func page(of request: ReceivedRequest) -> Int {
        switch convention {
        case .pageToken: request.query["pageToken"].flatMap { Int($0.dropFirst()) } ?? 0
        case .offset: request.number("offset") / pageSize
        case .link, .next, .totalPages: request.number("page", or: 1) - 1
        }
    }

    /// The body of a page.
    func body(_ page: Int) -> String {
        let start = max(0, min(page * pageSize, items.count))
        let list = items[start..<min(start + pageSize, items.count)].map { "\"\($0)\"" }
        return "{\"items\":[\(list.joined(separator: ","))]\(members(page))}"
    }

    func reply(to request: ReceivedRequest) -> Reply { reply(page: page(of: request)) }

    func reply(page: Int) -> Reply {
        let reply = Reply.text(body(page), as: .json)
        guard convention == .link, page + 1 < pageCount else { return reply }
        return reply.header(
            .link, "<\(Self.path)?page=1>; rel=\"first\", <\(Self.path)?page=\(page + 2)>; rel=\"next\"")
    }

    private func members(_ page: Int) -> String {
        let hasNext = page + 1 < pageCount
        return switch convention {
        case .link: ""
        case .next: ",\"next\":\(hasNext ? "\"\(Self.path)?page=\(page + 2)\"" : "null")"
        case .pageToken: hasNext ? ",\"nextPageToken\":\"t\(page + 1)\"" : ",\"kind\":\"list\""
        case .totalPages: ",\"page\":\(page + 1),\"total_pages\":\(pageCount)"
        case .offset: ",\"offset\":\(page * pageSize),\"limit\":\(pageSize),\"total\":\(items.count)"
        }
    }
}

extension PagedCollection {
    init(_ convention: Convention, count: Int = 7, pageSize: Int = 3) {
        self.init(convention: convention, items: (0..<count).map { "item \($0)" }, pageSize: pageSize)
    }

    var server: MockServer { MockServer { Route(.any) { request in reply(to: request) } } }
}

extension AsyncSequence {
    /// Returns all elements, and the error that has ended the sequence.
    func collect() async -> (elements: [Element], error: (any Error)?) {
        var elements: [Element] = []
        do {
            for try await element in self { elements.append(element) }
            return (elements, nil)
        } catch { return (elements, error) }
    }
}
