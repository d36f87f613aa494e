import Foundation
import MockTransport
import RESTClient

/// A random list that changes while it is read: items are added, inserted at the front, deleted, edited, and moved to the
/// front or to the end. At most one change comes between two replies. In a part of the lists, requests fail, and the list is
/// continued from the position of the error.
package struct MovingList: Sendable {
    /// The way in which the server divides the list into pages.
    package enum Style: String, CaseIterable, Sendable {
        case page, offset, flag, pageCount, next, link, lastLink
        case pageAndTotal, offsetAndTotal, nextAndTotal, totalHeader
        case cursor, key, cursorAndTotal, keyAndTotal
    }

    package enum Change: String, CaseIterable, Sendable {
        case growth, insertion, deletion, edit, moveToFront, moveToEnd
    }

    /// The result of a client.
    package struct Result: Sendable {
        package var violations: [String] = []
        package var isFailed = false
        package var hasMoved = false
        /// A Boolean value that indicates whether requests failed.
        package var isContinued = false
        package var requests = 0
        package var items: [Int] = []
        package var log: [String] = []
    }

    private struct Item: Decodable, Sendable {
        let id: Int
        var views = 0
        /// The position in the order of the list.
        var rank = 0

        init(id: Int, rank: Int) { (self.id, self.rank) = (id, rank) }

        var json: JSONLiteral { ["views": .value(views), "id": .value(id), "rank": .value(rank)] }
    }

    private struct State: Sendable {
        var items: [Item]
        /// The identifiers of the items that have existed throughout.
        var lasting: Set<Int>
        var random: SeededGenerator
        var requests = 0
        var changes = 0
        var failures = 0
        var moved: Set<Int> = []
        var log: [String] = []
    }

    package let seed: UInt64
    package let style: Style
    let changes: [Change]
    let concurrentPages: Int
    /// The share of replies after which the list changes.
    private let rate: Double
    private let size: Int
    private let count: Int
    /// The share of requests that fail.
    private let failureRate: Double

    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        style = Style.allCases.randomElement(using: &random) ?? .page
        rate = [0, 0.05, 0.15].randomElement(using: &random) ?? 0
        let one = Change.allCases.randomElement(using: &random) ?? .growth
        // A deletion and a move can hide one another in the total.
        let mixed: [Change] =
            Bool.random(using: &random)
            ? [.growth, .insertion, .deletion, .edit] : Change.allCases.filter { $0 != .deletion }
        changes = Bool.random(using: &random) ? [one] : mixed
        concurrentPages = [1, 1, 2, 4].randomElement(using: &random) ?? 1
        size = Int.random(in: 2...5, using: &random)
        count = Int.random(in: 0...36, using: &random)
        failureRate = [0, 0, 0.2].randomElement(using: &random) ?? 0
    }

    /// Lists the items, and compares them with those that have existed throughout.
    @concurrent package func run() async -> Result {
        let items = (0..<count).map { Item(id: 100 + $0, rank: $0) }
        let state = LockedState(
            State(
                items: items, lasting: Set(items.map(\.id)),
                random: SeededGenerator(seed: seed &* 0x9E37_79B9)))
        let server = MockServer {
            Route(.any) { request in
                state.withLock { state in
                    defer { change(&state) }
                    state.requests += 1
                    state.log.append("\(request.url.query() ?? "") of \(state.items.map(\.id))")
                    if Double.random(in: 0..<1, using: &state.random) < failureRate {
                        state.failures += 1
                        return .status(500)
                    }
                    return reply(to: request, state.items)
                }
            }
        }
        var result = Result()
        let client = MyRESTClient(
            SessionManager(configuration: server.configuration).request("https://shop.example/items\(query)"),
            listing: ItemListing(maxConcurrentPages: concurrentPages))
        var failure: (any Error)?
        var position: ResumeToken?
        repeat {
            do {
                failure = nil
                for try await item in client.items(as: Item.self, from: position) {
                    result.items.append(item.id)
                    if result.items.count > 1_000 { break }
                }
            } catch { failure = error }
            guard let error = failure as? RESTClientError, error.kind == .status(500) else { break }
            position = error.listingProgress?.resume
        } while position != nil
        result.isFailed = failure != nil
        let end = state.withLock { $0 }
        result.isContinued = end.failures > 0
        result.log = end.log + ["\(failure.map { "\($0)" } ?? "")"]
        (result.requests, result.hasMoved) = (end.requests, end.changes > 0)
        // A listing that continues does not know the items of the one before it, which can move behind its position.
        let mayMove = end.failures > 0 && (changes.contains(.moveToFront) || changes.contains(.moveToEnd))
        if result.items.count != Set(result.items).count, !mayMove || !result.hasMoved {
            result.violations.append("twice: \(result.items)")
        }
        let lost = end.lasting.subtracting(result.items)
        if failure == nil, !lost.isEmpty, !(mayLoseItems || mayMove) || !result.hasMoved {
            result.violations.append("lost: \(lost.sorted()) of \(result.items)")
        }
        if !result.hasMoved {
            if let failure { result.violations.append("failed without a change: \(failure)") }
            if end.failures == 0, end.requests > requestLimit {
                result.violations.append("\(end.requests) requests, not \(requestLimit)")
            }
        }
        return result
    }

    // MARK: The server

    private var hasTotal: Bool {
        switch style {
        case .pageAndTotal, .offsetAndTotal, .nextAndTotal, .totalHeader, .cursorAndTotal, .keyAndTotal: true
        default: false
        }
    }

    /// A Boolean value that indicates whether items can be lost although nothing in the replies shows it: a deletion that
    /// no total shows, or a token whose meaning is unknown.
    private var mayLoseItems: Bool {
        switch style {
        case .cursor, .key: true
        default: !hasTotal && changes.contains(.deletion)
        }
    }

    /// The number of requests for a list that does not change.
    private var requestLimit: Int {
        let pages = max(1, (count + size - 1) / size)
        return [.page, .offset].contains(style) && count > 0 && count % size == 0 ? pages + 1 : pages
    }

    private var query: String {
        switch style {
        case .page, .totalHeader: "?page=1&per_page=\(size)"
        case .offset: "?offset=0&limit=\(size)"
        default: ""
        }
    }

    private func change(_ state: inout State) {
        guard rate > 0, Double.random(in: 0..<1, using: &state.random) < rate,
            let change = changes.randomElement(using: &state.random)
        else { return }
        let first = (state.items.first?.rank ?? 0) - 1
        let last = (state.items.last?.rank ?? 0) + 1
        let new = 10_000 + state.changes
        let index = state.items.indices.randomElement(using: &state.random)
        switch (change, index) {
        case (.growth, _): state.items.append(Item(id: new, rank: last))
        case (.insertion, _): state.items.insert(Item(id: new, rank: first), at: 0)
        case (.deletion, let index?):
            // An item that was moved before could hide both changes.
            guard !state.moved.contains(state.items[index].id) else { return }
            state.lasting.remove(state.items.remove(at: index).id)
        case (.edit, let index?): state.items[index].views += 1
        case (.moveToFront, let index?):
            var item = state.items.remove(at: index)
            state.moved.insert(item.id)
            item.rank = first
            state.items.insert(item, at: 0)
        case (.moveToEnd, let index?):
            var item = state.items.remove(at: index)
            state.moved.insert(item.id)
            item.rank = last
            state.items.append(item)
        default: return
        }
        state.changes += 1
    }

    private func reply(to request: ReceivedRequest, _ items: [Item]) -> Reply {
        let page = request.query["page"].flatMap { Int($0) } ?? 1
        let offset = request.query["offset"].flatMap { Int($0) }
        let cursor = request.query["cursor"].flatMap { Data(base64Encoded: $0) }
            .flatMap { Int(String(decoding: $0, as: UTF8.self).drop { !$0.isNumber && $0 != "-" }) }
        var start = offset ?? (page - 1) * size
        switch style {
        case .cursor, .cursorAndTotal: start = cursor ?? 0
        case .key, .keyAndTotal:
            start = cursor.map { key in items.firstIndex { $0.rank > key } ?? items.count } ?? 0
        default: break
        }
        start = min(start, items.count)
        let end = min(items.count, start + size)
        let hasMore = end < items.count
        let total = JSONLiteral.value(items.count)
        let pages = max(1, (items.count + size - 1) / size)
        let list = JSONLiteral(.array(items[start..<end].map(\.json)))
        func token(_ position: Int) -> JSONLiteral {
            hasMore ? .value(Data("position \(position)".utf8).base64EncodedString()) : nil
        }
        let path = "https://shop.example/items"
        var body: [String: JSONLiteral] = ["items": list]
        var headers: [(String, String)] = []
        switch style {
        case .page: (body["page"], body["per_page"]) = (.value(page), .value(size))
        case .offset: (body["offset"], body["limit"]) = (.value(start), .value(size))
        case .flag: (body["page"], body["has_more"]) = (.value(page), .value(hasMore))
        case .pageCount: (body["page"], body["total_pages"]) = (.value(page), .value(pages))
        case .next: body["next"] = hasMore ? .value("\(path)?page=\(page + 1)") : nil as JSONLiteral
        case .link, .lastLink:
            var links: [String] = []
            if hasMore { links.append("<\(path)?page=\(page + 1)>; rel=\"next\"") }
            if hasMore, style == .lastLink { links.append("<\(path)?page=\(pages)>; rel=\"last\"") }
            if !links.isEmpty { headers.append(("Link", links.joined(separator: ", "))) }
        case .pageAndTotal:
            (body["page"], body["per_page"], body["total"]) = (.value(page), .value(size), total)
        case .offsetAndTotal: (body["offset"], body["total"]) = (.value(start), total)
        case .nextAndTotal:
            body["next"] = hasMore ? .value("\(path)?limit=\(size)&offset=\(end)") : nil as JSONLiteral
            body["count"] = total
        case .totalHeader: headers.append(("X-Total-Count", "\(items.count)"))
        case .cursor: body["next_cursor"] = token(end)
        case .cursorAndTotal: (body["next_cursor"], body["total"]) = (token(end), total)
        case .key: body["next_cursor"] = token(items[start..<end].last?.rank ?? 0)
        case .keyAndTotal:
            (body["next_cursor"], body["total"]) = (token(items[start..<end].last?.rank ?? 0), total)
        }
        let members = body.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return headers.reduce(Reply.json(JSONLiteral(.object(members)))) {
            $0.header(HTTPHeaders.Name($1.0), $1.1)
        }
    }
}

extension MovingList: CustomStringConvertible {
    package var description: String {
        """
        seed \(seed): \(style), \(count) items on pages of \(size), \(concurrentPages) pages at the same time, \
        changes after \(Int(rate * 100)) % of the replies: \(changes.map(\.rawValue).joined(separator: ", "))
        """
    }
}

/// The results of many moving lists.
package struct MovingListCounts: Sendable, CustomStringConvertible {
    package private(set) var lists = 0
    package private(set) var pages = 0
    package private(set) var moved = 0
    package private(set) var failed = 0
    package private(set) var failures: [MovingList.Style: Int] = [:]
    /// The violations, with the descriptions of their lists.
    package private(set) var violations: [String] = []

    package init() {}

    /// Lists the seeds, several at the same time.
    package static func of(_ seeds: Range<UInt64>, concurrency: Int, maxPages: Int = .max) async -> Self {
        let counts = LockedState(Self())
        await SimulationBatch.forEach(seeds, concurrency: concurrency) { seed in
            let list = MovingList(seed: seed)
            let result = await list.run()
            return counts.withLock { counts in
                counts.add(result, of: list)
                return counts.pages < maxPages
            }
        }
        return counts.withLock { $0 }
    }

    private mutating func add(_ result: MovingList.Result, of list: MovingList) {
        lists += 1
        pages += result.requests
        // Without a total, a list that has moved cannot be continued.
        if result.hasMoved, !result.isContinued {
            moved += 1
            if result.isFailed {
                failed += 1
                failures[list.style, default: 0] += 1
            }
        }
        violations += result.violations.map { "\(list)\n  \($0)" }
    }

    /// The greatest share of failed listings of lists that moved. Some move each time they are read again. It is 3 to 4 percent of
    /// thousands of lists, and varies by as much for a hundred.
    package static let maxFailedPercent = 8.0

    /// The share of the lists that moved whose listing failed, in percent.
    package var failedPercent: Double { moved == 0 ? 0 : Double(failed * 100) / Double(moved) }

    package var description: String {
        let styles = failures.sorted { $0.value > $1.value }.prefix(5).map { "\($0.key) \($0.value)" }
        return """
            \(lists) lists, \(pages) pages; \(moved) moved, of which \(failed) failed \
            (\(String(format: "%.1f", failedPercent)) %: \(styles.joined(separator: ", ")))
            """
    }
}
