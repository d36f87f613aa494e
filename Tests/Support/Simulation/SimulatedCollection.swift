import Foundation
import MockTransport
import RESTClient

/// A random paginated collection: a paged list of the mock server, whose pages can be uneven, endless, form a loop or lead
/// to another origin.
package struct SimulatedCollection: Sendable {
    /// The JSON type of the items. Each item contains its index.
    enum ItemType: CaseIterable, Sendable { case string, number, object, array }

    /// The way in which a numbered collection reports its total while it is listed.
    enum ReportedTotal: CaseIterable, Sendable { case exact, growing, shrinking }

    let itemType: ItemType
    let paging: SimulatedPaging
    let reportedTotal: ReportedTotal
    /// A page that names an earlier page, or itself, as the next one.
    let loop: (from: Int, to: Int)?
    /// A page that names a next page at another origin.
    let crossOriginPage: Int?
    /// `true` if every page names a next one.
    let isEndless: Bool
    /// The index of the first item of each page, and the total count.
    private let bounds: [Int]
    private let salt: UInt64
    private let list: PagedList

    init(_ random: inout SeededGenerator) {
        let paging = SimulatedPaging(&random)
        self.paging = paging
        let anyType = ItemType.allCases.randomElement(using: &random) ?? .string
        itemType = paging.convention.lastItemMember == nil ? anyType : .object
        reportedTotal = ReportedTotal.allCases.randomElement(using: &random) ?? .exact
        let isEndless = paging.canLoop && Int.random(in: 0..<20, using: &random) == 0
        self.isEndless = isEndless
        salt = random.next()

        let count = isEndless ? 400 : Int.random(in: 0...40, using: &random)
        let pageSize = Int.random(in: max(1, count / 10)...max(4, count / 2), using: &random)
        let isUneven = paging.canBeUneven && Bool.random(using: &random)
        var bounds = [0]
        while let last = bounds.last, last < count {
            bounds.append(
                min(count, last + (isUneven ? Int.random(in: 0...pageSize, using: &random) : pageSize)))
        }
        if bounds.count == 1 { bounds.append(0) }
        self.bounds = bounds
        let pages = bounds.count - 1
        var loop: (from: Int, to: Int)?
        if paging.canLoop, !isEndless, pages > 1, Int.random(in: 0..<12, using: &random) == 0 {
            let from = Int.random(in: 0..<pages - 1, using: &random)
            let to = Int.random(in: 0...from, using: &random)
            // An empty page that leads to itself ends the list.
            if bounds[to] < bounds[from + 1] { loop = (from, to) }
        }
        self.loop = loop
        var crossOriginPage: Int?
        if paging.hasLinks, !isEndless, loop == nil, pages > 1, Int.random(in: 0..<12, using: &random) == 0 {
            crossOriginPage = Int.random(in: 0..<pages - 1, using: &random)
        }
        self.crossOriginPage = crossOriginPage

        let (type, salt) = (itemType, salt)
        let texts = (0..<count).map { Self.json($0, type, salt, paging.convention.lastItemMember) }
        var list = PagedList(texts: texts, size: pageSize, by: paging.convention, at: paging.path)
        list.links = paging.links
        // A server that ignores the parameter sends the first page again, too.
        list.pastEnd = pages > 1 ? paging.pastEnd : .emptyPage
        list.deviations.bounds = bounds
        list.deviations.isListLast = Bool.random(using: &random)
        list.deviations.separator = Bool.random(using: &random) ? "," : " ,\n "
        if isEndless { list.deviations.next = { $0 + 1 } }
        if let loop {
            list.deviations.next = { page in
                page == loop.from ? loop.to : page + 1 < pages ? page + 1 : nil
            }
        }
        if let crossOriginPage {
            list.deviations.origin = { $0 == crossOriginPage ? "http://\(SimulatedServer.otherHost)" : nil }
        }
        list.deviations.reported = { [reportedTotal] in Self.reported($0, after: $1, reportedTotal) }
        self.list = list
    }

    /// `true` if a resume token identifies a position. It does not contain the earlier pages, so a resumed listing detects
    /// a loop only later, and does not detect that the first page it requests is the last page again.
    var canBeResumed: Bool { loop == nil && !(paging.isUncounted && list.pastEnd == .lastPage) }

    var pageCount: Int { bounds.count - 1 }
    var count: Int { bounds.last ?? 0 }

    /// Returns the indices of the items on `page`; empty after the last page.
    func items(of page: Int) -> Range<Int> {
        page < pageCount ? bounds[page]..<bounds[page + 1] : count..<count
    }

    /// Returns the number of pages up to `page` that contain an item with the index `start` or later.
    func pagesWithItems(from start: Int, through page: Int) -> Int {
        (0...max(0, min(page, pageCount - 1))).count { !items(of: $0).isEmpty && bounds[$0 + 1] > start }
    }

    /// Returns the JSON text of an item.
    func json(_ index: Int) -> String { Self.json(index, itemType, salt, paging.convention.lastItemMember) }

    private static func json(_ index: Int, _ type: ItemType, _ salt: UInt64, _ member: MemberPath?) -> String
    {
        let variant = (salt ^ UInt64(index) &* 0x9E37_79B9) % 7
        let text = ["", " tea", " thé", #" \"quoted\""#, #" \u00e9\ud83c\udf75"#, " 🍵🍵", #" [{,}] \\"#][
            Int(variant)]
        let cursor = member.flatMap { $0 == "id" ? nil : "\"\($0)\":\(index)," } ?? ""
        return switch type {
        case .string: "\"\(index)\(text)\""
        case .number: "\(index)"
        case .object: "{\"name\":\"\(text)\",\(cursor)\"id\":\(index),\"tags\":[null,true,{}]}"
        case .array: "[\(index),\"\(text)\"]"
        }
    }

    /// Returns the index of the page that a request names; the first page if it names none.
    func page(of request: ReceivedRequest) -> Int { (try? list.pageIndex(of: request)) ?? 0 }

    /// Returns the response with the page that a request names.
    func response(to request: ReceivedRequest) throws -> PagedList.Response { try list.response(to: request) }

    /// Returns the total to report on a page that ends after `done` of `total` items or pages.
    private static func reported(_ total: Int, after done: Int, _ kind: ReportedTotal) -> Int {
        guard done < total else { return total }
        return switch kind {
        case .exact: total
        case .growing: min(total, done + 1 + done % 3)
        case .shrinking: total + (total - done)
        }
    }
}

/// The convention of a simulated collection, and the pagination with which the client lists it.
struct SimulatedPaging: Sendable, CustomStringConvertible {
    let convention: PaginationConvention
    let links: PagedList.LinkForm
    let pastEnd: PagedList.PastEnd
    /// A Boolean value that indicates whether the client uses automatic pagination.
    let isAutomatic: Bool
    /// A Boolean value that indicates whether the requests are POST requests with a JSON body.
    let isPost: Bool

    /// The conventions that automatic pagination knows.
    private static let visible: [PaginationConvention] = [
        .link, .next(), .next(at: "links.next"), .next(at: "_links.next"), .next(at: ["@odata.nextLink"]),
        .token(),
        .token(at: "next_cursor", parameter: "cursor"),
        .token(at: "cursor", parameter: "cursor", more: "has_more"),
        .number(), .number(count: "meta.total_pages"), .offset(), .offset(total: "meta.total"),
    ]
    private static let named: [PaginationConvention] =
        Array(Set(PaginationConvention.presets.map(\.convention))).sorted { "\($0)" < "\($1)" } + [
            .number(count: nil), .offset(total: nil), .lastItem(), .graphQL(variable: "cursor"),
            .header("X-Next-Cursor", sentAs: "X-Cursor"),
            .token(at: "cursor", parameter: "page.cursor", last: "is_last"),
        ]

    init(_ random: inout SeededGenerator) {
        isAutomatic = Bool.random(using: &random)
        let isVisible = isAutomatic || Int.random(in: 0..<4, using: &random) == 0
        convention = (isVisible ? Self.visible : Self.named).randomElement(using: &random) ?? .link
        links = [.absolute, .path, .query].randomElement(using: &random) ?? .absolute
        pastEnd = [.emptyPage, .notFound, .lastPage].randomElement(using: &random) ?? .emptyPage
        let canBePost =
            !isAutomatic && convention.parameter != nil && Int.random(in: 0..<4, using: &random) == 0
        isPost = canBePost || Self.needsBody(convention)
    }

    private static func needsBody(_ convention: PaginationConvention) -> Bool {
        guard case .token(let token) = convention.kind else { return false }
        return switch token.destination {
        case .post: true
        case .parameter(let name): name.contains(".")
        case .header: false
        }
    }

    /// The path of the list.
    var path: MemberPath {
        guard case .token(let token) = convention.kind, case .besideList = token.source else {
            return "items"
        }
        return "data.items.nodes"
    }

    var pagination: any Pagination { isAutomatic ? .automatic : convention }

    /// `true` if a page can be requested without the one before it.
    var isNumbered: Bool {
        switch convention.kind {
        case .number, .offset: true
        case .link, .url, .token: false
        }
    }

    /// `true` if only the reply after the last page shows which one that was.
    var isUncounted: Bool {
        switch convention.kind {
        case .number(_, nil, _), .offset(_, nil, _): convention.more == nil && convention.last == nil
        default: false
        }
    }

    /// `true` if a page has a link to the next one.
    var hasLinks: Bool { convention.parameter == nil }

    /// `true` if a page that was requested before can be recognized by its URL.
    var canLoop: Bool {
        guard !isPost, convention.lastItemMember == nil else { return false }
        if case .token(let token) = convention.kind {
            if case .header = token.destination { return false }
            // A token that is an object is not a part of the URL of the first page.
            if token.source == .member("LastEvaluatedKey") { return false }
        }
        return !isNumbered
    }

    /// `true` if pages can have any number of items. A scroll ends with an empty page, and so does a list that is
    /// requested by its last item.
    var canBeUneven: Bool {
        guard case .token(let token) = convention.kind else { return hasLinks }
        if case .post = token.destination { return convention.more != nil }
        return convention.lastItemMember == nil
    }

    /// Returns the query with which the first page can be named, if it is a part of the URL.
    var firstQuery: String { convention.parameter.map { "\($0)=p0%2B%2F%3D%26%25" } ?? "page=1" }

    var description: String { "\(convention)\(isAutomatic ? ", automatic" : "")\(isPost ? ", POST" : "")" }
}

/// An item of any type, which contains its index in the collection.
struct IndexedItem: Decodable, Sendable {
    private struct Object: Decodable {
        let id: Int
        let name: String
    }

    let index: Int

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let object = try? value.decode(Object.self) {
            index = object.id
        } else if let text = try? value.decode(String.self) {
            index = Int(text.prefix { $0.isASCII && $0.isNumber }) ?? -1
        } else if var list = try? decoder.unkeyedContainer() {
            index = try list.decode(Int.self)
            _ = try list.decode(String.self)
        } else {
            index = try value.decode(Int.self)
        }
    }
}
