import Foundation
import RESTClientHTTP

/// A collection behind a server: its items, and how it is cut into pages and these lead to one another.
package struct Collection: Sendable {
    /// What the items are; each holds its own number.
    package enum Kind: CaseIterable, Sendable { case word, figure, record, pair }

    /// How a page says what follows.
    package enum Scheme: CaseIterable, Sendable {
        case link, next, relative, token, cursor, number, offset

        /// Whether pages are known ahead, because they are counted.
        var isCounted: Bool { self == .number || self == .offset }
    }

    /// What a counted scheme says of the whole while it is read.
    package enum Totals: CaseIterable, Sendable { case exact, growing, shrinking }

    package let kind: Kind
    package let scheme: Scheme
    package let totals: Totals
    /// The page at `from` leads back to the one at `to`.
    package let trap: (from: Int, to: Int)?
    /// The page whose next one is said to be at another origin.
    package let lure: Int?
    /// Where each page begins, and the end of the last; of a list without an end, what is known of it.
    private let bounds: [Int]
    /// Never says that it is the last page.
    package let isEndless: Bool
    private let listComesFirst: Bool
    private let salt: UInt64

    init(_ random: inout SeededGenerator) {
        kind = Kind.allCases.randomElement(using: &random) ?? .word
        scheme = Scheme.allCases.randomElement(using: &random) ?? .link
        totals = Totals.allCases.randomElement(using: &random) ?? .exact
        isEndless = !scheme.isCounted && Int.random(in: 0..<20, using: &random) == 0
        listComesFirst = Bool.random(using: &random)
        salt = random.next()

        let count = isEndless ? 400 : Int.random(in: 0...40, using: &random)
        let pageSize = Int.random(in: max(1, count / 10)...max(4, count / 2), using: &random)
        let isUneven = !scheme.isCounted && Bool.random(using: &random)
        var bounds = [0]
        while let last = bounds.last, last < count {
            bounds.append(
                min(count, last + (isUneven ? Int.random(in: 0...pageSize, using: &random) : pageSize)))
        }
        if bounds.count == 1 { bounds.append(0) }
        self.bounds = bounds
        let pages = bounds.count - 1
        if !scheme.isCounted, !isEndless, pages > 1, Int.random(in: 0..<12, using: &random) == 0 {
            let from = Int.random(in: 0..<pages - 1, using: &random)
            trap = (from, Int.random(in: 0...from, using: &random))
        } else {
            trap = nil
        }
        let leadsByURL = [.link, .next, .relative].contains(scheme)
        if leadsByURL, !isEndless, trap == nil, pages > 1, Int.random(in: 0..<12, using: &random) == 0 {
            lure = Int.random(in: 0..<pages - 1, using: &random)
        } else {
            lure = nil
        }
    }

    package var pageCount: Int { bounds.count - 1 }
    package var count: Int { bounds.last ?? 0 }

    /// The numbers of the items of `page`, which may be behind the last one.
    package func items(of page: Int) -> Range<Int> {
        page < pageCount ? bounds[page]..<bounds[page + 1] : count..<count
    }

    /// How many pages hold an item from `position` on, up to and with `page`.
    func pagesWithItems(from position: Int, through page: Int) -> Int {
        (0...max(0, min(page, pageCount - 1))).count { !items(of: $0).isEmpty && bounds[$0 + 1] > position }
    }

    /// The item as it stands in the body.
    package func json(_ number: Int) -> String {
        let tail = (salt ^ UInt64(number) &* 0x9E37_79B9) % 7
        let text = ["", " tea", " thé", #" \"quoted\""#, #" \u00e9\ud83c\udf75"#, " 🍵🍵", #" [{,}] \\"#][
            Int(tail)]
        return switch kind {
        case .word: "\"\(number)\(text)\""
        case .figure: "\(number)"
        case .record: "{\"name\":\"\(text)\",\"id\":\(number),\"tags\":[null,true,{}]}"
        case .pair: "[\(number),\"\(text)\"]"
        }
    }

    /// The query that leads to `page`; none for the first.
    func query(of page: Int) -> String {
        switch scheme {
        case .token: "pageToken=p\(page)"
        case .cursor: "cursor=p\(page)"
        case .offset: "offset=\(items(of: page).lowerBound)"
        case .link, .next, .relative, .number: "page=\(page + 1)"
        }
    }

    /// The page that a query asks for.
    func page(of query: QueryItems) -> Int {
        switch scheme {
        case .token: query["pageToken"].flatMap { Int($0.dropFirst()) } ?? 0
        case .cursor: query["cursor"].flatMap { Int($0.dropFirst()) } ?? 0
        case .offset:
            query["offset"].flatMap { Int($0) }.map { offset in
                bounds.firstIndex(of: offset).map { min($0, pageCount) } ?? pageCount
            } ?? 0
        case .link, .next, .relative, .number: (query["page"].flatMap { Int($0) } ?? 1) - 1
        }
    }

    /// The page that `page` leads to.
    private func successor(of page: Int) -> Int? {
        if let trap, trap.from == page { return trap.to }
        return page + 1 < pageCount || isEndless ? page + 1 : nil
    }

    /// The body of `page`, and its `Link` header where it has one.
    ///
    /// - Parameters:
    ///   - path: where the pages are.
    ///   - stranger: the origin that a page may be lured to.
    func content(of page: Int, at path: String, stranger: String) -> (body: String, link: String?) {
        let list = items(of: page).map(json).joined(separator: page % 2 == 0 ? "," : " ,\n ")
        let successor = successor(of: page)
        let origin = lure == page ? stranger : ""
        let place = successor.map { "\(origin)\(path)?\(query(of: $0))" }
        var link: String?
        let members: String
        switch scheme {
        case .link:
            members = "\"kind\":\"list\""
            link = place.map { "<\(path)?page=1>; rel=first, <\($0)>; rel=\"next\"" }
        case .next: members = "\"next\":" + (place.map { "\"\($0)\"" } ?? "null")
        case .relative:
            let relative = origin.isEmpty ? successor.map { "?\(query(of: $0))" } : place
            members = "\"links\":{\"next\":" + (relative.map { "\"\($0)\"" } ?? "null") + "}"
        case .token: members = "\"nextPageToken\":\"" + (successor.map { "p\($0)" } ?? "") + "\""
        case .cursor:
            members = "\"has_more\":\(successor != nil),\"cursor\":\"p\(successor ?? page)\""
        case .number:
            members = "\"page\":\(page + 1),\"total_pages\":\(announced(pageCount, behind: page + 1))"
        case .offset:
            let size = items(of: 0).count
            members =
                "\"offset\":\(items(of: page).lowerBound),\"limit\":\(size),\"total\":"
                + "\(announced(count, behind: items(of: page).upperBound))"
        }
        return (
            listComesFirst ? "{\"items\":[\(list)],\(members)}" : "{\(members),\"items\": [ \(list) ]}\n",
            link
        )
    }

    /// What a page that ends behind `done` of `whole` says of the whole.
    private func announced(_ whole: Int, behind done: Int) -> Int {
        guard done < whole else { return whole }
        return switch totals {
        case .exact: whole
        case .growing: min(whole, done + 1 + done % 3)
        case .shrinking: whole + (whole - done)
        }
    }
}

/// An element that knows its place in the list.
protocol Numbered: Decodable, Sendable { var number: Int { get } }

struct Word: Numbered {
    let number: Int

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        number = Int(text.prefix { $0.isASCII && $0.isNumber }) ?? -1
    }
}

struct Figure: Numbered {
    let number: Int

    init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
}

struct Record: Numbered {
    let id: Int
    let name: String

    var number: Int { id }
}

struct Pair: Numbered {
    let number: Int

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        number = try container.decode(Int.self)
        _ = try container.decode(String.self)
    }
}
