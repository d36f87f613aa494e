import Foundation
import RESTClientHTTP

/// A random paginated collection: its items, pages and links between pages.
package struct SimulatedCollection: Sendable {
    /// The JSON type of the items. Each item contains its index.
    enum ItemType: CaseIterable, Sendable { case string, number, object, array }

    /// The way in which a page names the next one.
    enum Paging: CaseIterable, Sendable {
        case linkHeader, nextURL, relativeURL, pageToken, cursor, pageNumber, offset

        /// `true` if a page can be requested without the one before it.
        var isNumbered: Bool { self == .pageNumber || self == .offset }
    }

    /// The way in which a numbered collection reports its total while it is listed.
    enum ReportedTotal: CaseIterable, Sendable { case exact, growing, shrinking }

    let itemType: ItemType
    let paging: Paging
    let reportedTotal: ReportedTotal
    /// A page that names an earlier page, or itself, as the next one.
    let loop: (from: Int, to: Int)?
    /// A page that names a next page at another origin.
    let crossOriginPage: Int?
    /// `true` if every page names a next one.
    let isEndless: Bool
    /// The index of the first item of each page, and the total count.
    private let bounds: [Int]
    private let itemsComeFirst: Bool
    private let salt: UInt64

    init(_ random: inout SeededGenerator) {
        itemType = ItemType.allCases.randomElement(using: &random) ?? .string
        paging = Paging.allCases.randomElement(using: &random) ?? .linkHeader
        reportedTotal = ReportedTotal.allCases.randomElement(using: &random) ?? .exact
        isEndless = !paging.isNumbered && Int.random(in: 0..<20, using: &random) == 0
        itemsComeFirst = Bool.random(using: &random)
        salt = random.next()

        let count = isEndless ? 400 : Int.random(in: 0...40, using: &random)
        let pageSize = Int.random(in: max(1, count / 10)...max(4, count / 2), using: &random)
        let isUneven = !paging.isNumbered && Bool.random(using: &random)
        var bounds = [0]
        while let last = bounds.last, last < count {
            bounds.append(
                min(count, last + (isUneven ? Int.random(in: 0...pageSize, using: &random) : pageSize)))
        }
        if bounds.count == 1 { bounds.append(0) }
        self.bounds = bounds
        let pages = bounds.count - 1
        if !paging.isNumbered, !isEndless, pages > 1, Int.random(in: 0..<12, using: &random) == 0 {
            let from = Int.random(in: 0..<pages - 1, using: &random)
            loop = (from, Int.random(in: 0...from, using: &random))
        } else {
            loop = nil
        }
        let namesURL = [.linkHeader, .nextURL, .relativeURL].contains(paging)
        if namesURL, !isEndless, loop == nil, pages > 1, Int.random(in: 0..<12, using: &random) == 0 {
            crossOriginPage = Int.random(in: 0..<pages - 1, using: &random)
        } else {
            crossOriginPage = nil
        }
    }

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
    func json(_ index: Int) -> String {
        let variant = (salt ^ UInt64(index) &* 0x9E37_79B9) % 7
        let text = ["", " tea", " thé", #" \"quoted\""#, #" \u00e9\ud83c\udf75"#, " 🍵🍵", #" [{,}] \\"#][
            Int(variant)]
        return switch itemType {
        case .string: "\"\(index)\(text)\""
        case .number: "\(index)"
        case .object: "{\"name\":\"\(text)\",\"id\":\(index),\"tags\":[null,true,{}]}"
        case .array: "[\(index),\"\(text)\"]"
        }
    }

    /// Returns the query of the URL of `page`.
    func query(of page: Int) -> String {
        switch paging {
        case .pageToken: "pageToken=p\(page)"
        case .cursor: "cursor=p\(page)"
        case .offset: "offset=\(items(of: page).lowerBound)"
        case .linkHeader, .nextURL, .relativeURL, .pageNumber: "page=\(page + 1)"
        }
    }

    /// Returns the page that a query requests; the first page if it names none.
    func page(of query: QueryItems) -> Int {
        switch paging {
        case .pageToken: query["pageToken"].flatMap { Int($0.dropFirst()) } ?? 0
        case .cursor: query["cursor"].flatMap { Int($0.dropFirst()) } ?? 0
        case .offset:
            query["offset"].flatMap { Int($0) }.map { offset in
                bounds.firstIndex(of: offset).map { min($0, pageCount) } ?? pageCount
            } ?? 0
        case .linkHeader, .nextURL, .relativeURL, .pageNumber: (query["page"].flatMap { Int($0) } ?? 1) - 1
        }
    }

    /// Returns the body of `page`, and its `Link` header if it has one.
    ///
    /// - Parameters:
    ///   - page: The index of the page.
    ///   - path: The path of all pages.
    ///   - otherOrigin: The origin that `crossOriginPage` leads to.
    func content(of page: Int, at path: String, otherOrigin: String) -> (body: String, link: String?) {
        let list = items(of: page).map(json).joined(separator: page % 2 == 0 ? "," : " ,\n ")
        let next =
            loop?.from == page ? loop?.to : page + 1 < pageCount || isEndless ? page + 1 : nil
        let origin = crossOriginPage == page ? otherOrigin : ""
        let url = next.map { "\(origin)\(path)?\(query(of: $0))" }
        var link: String?
        let members: String
        switch paging {
        case .linkHeader:
            members = "\"kind\":\"list\""
            link = url.map { "<\(path)?page=1>; rel=first, <\($0)>; rel=\"next\"" }
        case .nextURL: members = "\"next\":" + (url.map { "\"\($0)\"" } ?? "null")
        case .relativeURL:
            let relative = origin.isEmpty ? next.map { "?\(query(of: $0))" } : url
            members = "\"links\":{\"next\":" + (relative.map { "\"\($0)\"" } ?? "null") + "}"
        case .pageToken: members = "\"nextPageToken\":\"" + (next.map { "p\($0)" } ?? "") + "\""
        case .cursor: members = "\"has_more\":\(next != nil),\"cursor\":\"p\(next ?? page)\""
        case .pageNumber:
            members = "\"page\":\(page + 1),\"total_pages\":\(reported(pageCount, after: page + 1))"
        case .offset:
            let items = items(of: page)
            members =
                "\"offset\":\(items.lowerBound),\"limit\":\(self.items(of: 0).count),\"total\":"
                + "\(reported(count, after: items.upperBound))"
        }
        return (
            itemsComeFirst ? "{\"items\":[\(list)],\(members)}" : "{\(members),\"items\": [ \(list) ]}\n",
            link
        )
    }

    /// Returns the total to report on a page that ends after `done` of `total` items or pages.
    private func reported(_ total: Int, after done: Int) -> Int {
        guard done < total else { return total }
        return switch reportedTotal {
        case .exact: total
        case .growing: min(total, done + 1 + done % 3)
        case .shrinking: total + (total - done)
        }
    }
}

/// An item that contains its index in the collection.
protocol IndexedItem: Decodable, Sendable { var index: Int { get } }

struct StringItem: IndexedItem {
    let index: Int

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        index = Int(text.prefix { $0.isASCII && $0.isNumber }) ?? -1
    }
}

struct NumberItem: IndexedItem {
    let index: Int

    init(from decoder: any Decoder) throws { index = try decoder.singleValueContainer().decode(Int.self) }
}

struct ObjectItem: IndexedItem {
    let id: Int
    let name: String

    var index: Int { id }
}

struct ArrayItem: IndexedItem {
    let index: Int

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        index = try container.decode(Int.self)
        _ = try container.decode(String.self)
    }
}
