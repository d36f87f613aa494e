import Foundation
import MockTransport
import RESTClient

/// A collection that is served in pages, in one of the usual conventions.
struct PagedCollection: Sendable {
    /// The way in which a page refers to the next one.
    enum Convention: String, CaseIterable, Sendable {
        case link, linkUnquoted, next, nextRelative, nextQuery, nextURLBesideToken, linksNext, hal, paging,
            laravel
        case odata, pageToken, kubernetes, nextCursor, slack, moreWithCursor, moreWithPage, totalPages,
            metaPages
        case pages, zeroBased, pageSizeAndTotal, nextNumber, offset, offsetInBody
    }

    var convention: Convention
    var items: [String]
    var pageSize: Int

    static let path = "http://shop.example/v1/items"

    var pageCount: Int { max(1, (items.count + pageSize - 1) / pageSize) }

    /// Returns the index of the requested page.
    func page(of request: ReceivedRequest) -> Int {
        let query = request.query
        func token(_ name: String) -> Int { query[name].flatMap { Int($0.dropFirst()) } ?? 0 }
        return switch convention {
        case .pageToken: token("pageToken")
        case .kubernetes: token("continue")
        case .nextCursor, .slack, .moreWithCursor: token("cursor")
        case .zeroBased: query["page"].flatMap { Int($0) } ?? 0
        case .offset, .offsetInBody: (query["offset"].flatMap { Int($0) } ?? 0) / pageSize
        default: (query["page"].flatMap { Int($0) } ?? 1) - 1
        }
    }

    func slice(_ page: Int) -> ArraySlice<String> {
        let start = max(0, min(page * pageSize, items.count))
        return items[start..<min(start + pageSize, items.count)]
    }

    /// The body of a page.
    func body(_ page: Int) -> String {
        let list = slice(page).map { "\"\($0)\"" }.joined(separator: ",")
        let members = members(page)
        return "{\"items\":[\(list)]\(members.isEmpty ? "" : ",\(members)")}"
    }

    func reply(to request: ReceivedRequest) -> Reply { reply(page: page(of: request)) }

    func reply(page: Int) -> Reply {
        let reply = Reply.text(body(page), as: .json)
        guard page + 1 < pageCount else { return reply }
        switch convention {
        case .link:
            return reply.header(
                .link, "<\(Self.path)?page=1>; rel=\"first\", <\(Self.path)?page=\(page + 2)>; rel=\"next\"")
        case .linkUnquoted: return reply.header(.link, "</v1/items?page=\(page + 2)>;rel=next")
        default: return reply
        }
    }

    private func members(_ page: Int) -> String {
        let hasNext = page + 1 < pageCount
        let number = page + 2
        func link(_ text: String) -> String { hasNext ? "\"\(text)\"" : "null" }
        let absolute = link("\(Self.path)?page=\(number)")
        return switch convention {
        case .link, .linkUnquoted: ""
        case .next: "\"next\":\(absolute)"
        case .nextRelative: "\"next\":\(link("/v1/items?page=\(number)"))"
        case .nextQuery: "\"next\":\(link("?page=\(number)"))"
        case .nextURLBesideToken: "\"next\":\(link("t\(number)")),\"next_url\":\(absolute)"
        case .linksNext: "\"links\":{\"self\":\"x\",\"next\":\(absolute)}"
        case .hal: hasNext ? "\"_links\":{\"next\":{\"href\":\(absolute)}}" : "\"_links\":{}"
        case .paging: "\"paging\":{\"next\":\(absolute)}"
        case .laravel: "\"current_page\":\(page + 1),\"next_page_url\":\(absolute)"
        case .odata: hasNext ? "\"@odata.nextLink\":\(absolute)" : "\"@odata.count\":\(items.count)"
        case .pageToken: hasNext ? "\"nextPageToken\":\"t\(page + 1)\"" : "\"kind\":\"list\""
        case .kubernetes: "\"metadata\":{\"continue\":\"\(hasNext ? "t\(page + 1)" : "")\"}"
        case .nextCursor: "\"next_cursor\":\(link("t\(page + 1)"))"
        case .slack: "\"response_metadata\":{\"next_cursor\":\"\(hasNext ? "t\(page + 1)" : "")\"}"
        case .moreWithCursor: "\"has_more\":\(hasNext),\"cursor\":\"t\(page + 1)\""
        case .moreWithPage: "\"has_more\":\(hasNext),\"page\":\(page + 1)"
        case .totalPages: "\"page\":\(page + 1),\"total_pages\":\(pageCount)"
        case .pages: "\"page\":\(page + 1),\"pages\":\(pageCount)"
        case .metaPages: "\"meta\":{\"current_page\":\(page + 1),\"last_page\":\(pageCount)}"
        case .zeroBased: "\"page\":\(page),\"page_count\":\(pageCount)"
        case .pageSizeAndTotal: "\"page\":\(page + 1),\"per_page\":\(pageSize),\"total\":\(items.count)"
        case .nextNumber: "\"page\":\(page + 1),\"next_page\":\(hasNext ? "\(number)" : "null")"
        case .offset, .offsetInBody:
            "\"offset\":\(page * pageSize),\"limit\":\(pageSize),\"total\":\(items.count)"
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
