import Foundation
import RESTClientHTTP
import MockTransport
import RESTClient

/// The server of one scenario: hands out its collection in its weather, and writes down what must never happen.
package final class SimulatedServer: Sendable {
    /// What came, and what of it should not have.
    struct Ledger: Sendable {
        var requests = 0
        var visits: [Int: Int] = [:]
        var strangers = 0
        /// Sent to another origin by a redirect.
        var sentAway = 0
        /// Answered with the wish for another token.
        var refusals = 0
        var renewals = 0
        /// The highest page asked for.
        var farthest = 0
        /// When a page may be asked for again.
        var notBefore: [Int: Duration] = [:]
        var wrong: [String] = []
    }

    /// How far behind its deadline a listing may still ask: time that moves too early is late by no more.
    static let overtime = Duration.seconds(60)

    static let host = "shop.example"
    static let stranger = "elsewhere.example"
    static let path = "/v1/items"

    /// What the client must keep to itself.
    struct Secrets: Sendable {
        let key: String
        let cookie: String
        let token: String

        init(seed: UInt64) {
            key = "k3y\(seed)k3y"
            cookie = "c00kie\(seed)"
            token = "t0k3n\(seed)t0k3n"
        }

        func leak(in text: String) -> Bool {
            [key, cookie, token].contains { Self.finds($0, in: text) }
        }

        /// Byte by byte: Foundation's search takes longer than the listing.
        private static func finds(_ secret: String, in text: String) -> Bool {
            let secret = Array(secret.utf8)
            let text = Array(text.utf8)
            guard let first = secret.first, text.count >= secret.count else { return false }
            return (0...text.count - secret.count).contains { start in
                text[start] == first && text[start..<start + secret.count].elementsEqual(secret)
            }
        }
    }

    let scenario: Scenario
    let secrets: Secrets
    let clock: SimulationClock
    private let state = LockedState(Ledger())
    private let consumed = LockedState(0)
    private let roundBegan = LockedState(Duration.zero)

    init(_ scenario: Scenario, clock: SimulationClock) {
        self.scenario = scenario
        self.clock = clock
        secrets = Secrets(seed: scenario.seed)
    }

    var ledger: Ledger { state.withLock { $0 } }

    /// The consumer has got so many items.
    func note(consumed count: Int) { consumed.withLock { $0 = count } }

    /// The consumer begins to list, or goes on.
    func noteRound() { roundBegan.withLock { $0 = clock.now.offset } }

    /// Whether the time of the listing under way is over by more than can be told.
    var isOvertime: Bool {
        guard let total = scenario.timeouts.total else { return false }
        return clock.now.offset > roundBegan.withLock { $0 } + total + Self.overtime
    }

    func reply(to request: ReceivedRequest) -> Reply {
        clock.sign()
        let isStranger = request.url.host() != Self.host
        let path = request.url.path()
        state.withLock { ledger in
            ledger.requests += 1
            guard isStranger else { return }
            ledger.strangers += 1
            if ledger.strangers > ledger.sentAway { ledger.wrong.append("a page led to another origin") }
        }
        if isStranger { checkForLeaks(request) }
        if isOvertime { complain("\(request.url) is asked for behind the total timeout") }
        if path == "/token" { return token() }
        if path == "/around" { return .redirect(to: "/around?\(request.url.query() ?? "")") }
        let page = scenario.collection.page(of: request.query)
        let visit = arrive(at: page)
        guard !isStranger else { return content(of: page, visit) }
        if let refusal = refusal(of: request, at: page) { return refusal }
        // Who was sent on has had his trouble.
        return path == Self.path ? weathered(page, visit, request.url) : content(of: page, visit)
    }

    private func checkForLeaks(_ request: ReceivedRequest) {
        for (name, value) in request.headers where secrets.leak(in: value) {
            complain("\(name) reached \(request.url.host() ?? "another origin")")
        }
        if secrets.leak(in: request.url.absoluteString) { complain("a secret is in the URL \(request.url)") }
    }

    private func complain(_ text: String) { state.withLock { $0.wrong.append(text) } }

    private func arrive(at page: Int) -> Int {
        let position = consumed.withLock { $0 }
        let ahead = scenario.collection.pagesWithItems(from: position, through: page)
        let visit = state.withLock { ledger in
            ledger.farthest = max(ledger.farthest, page)
            ledger.visits[page, default: 0] += 1
            return ledger.visits[page] ?? 1
        }
        checkPatience(page)
        // The page at hand, one that has been handed over as a whole, and those ahead.
        if scenario.door != .whole, ahead > max(1, scenario.listing.jobs) + 1 {
            complain("\(ahead) pages at a time, with \(scenario.listing.jobs) jobs")
        }
        if case .resuming = scenario.consumer { return visit }
        if page >= scenario.listing.maxPages, scenario.collection.trap == nil {
            complain("page \(page + 1), where \(scenario.listing.maxPages) is the most")
        }
        return visit
    }

    /// A page that was to be left alone for a while comes not before.
    private func checkPatience(_ page: Int) {
        // Who goes on elsewhere has not heard of it, nor has who forgot the page because there seemed to be fewer.
        if case .resuming = scenario.consumer { return }
        guard scenario.collection.totals == .exact || scenario.listing.jobs == 1 else { return }
        let now = clock.now.offset
        guard let moment = state.withLock({ $0.notBefore[page] }), now < moment else { return }
        complain("page \(page + 1) again at \(now), where Retry-After is \(moment)")
    }

    // MARK: Tokens

    private func generation(neededFor page: Int) -> Int {
        guard case .token(_, let every) = scenario.identity, every > 0 else { return 0 }
        return page / every
    }

    private func refusal(of request: ReceivedRequest, at page: Int) -> Reply? {
        guard case .token = scenario.identity else { return nil }
        let value = request.headers[.authorization] ?? ""
        let generation =
            value.hasPrefix("Bearer \(secrets.token)-") ? Int(value.split(separator: "-").last ?? "") : nil
        guard generation.map({ $0 < self.generation(neededFor: page) }) ?? true else { return nil }
        state.withLock { $0.refusals += 1 }
        return .status(401).header(.wwwAuthenticate, "Bearer realm=\"shop\"")
    }

    private func token() -> Reply {
        let (number, farthest) = state.withLock { ledger in
            ledger.renewals += 1
            return (ledger.renewals, ledger.farthest)
        }
        switch scenario.weather.event(at: -1, visit: number, bytes: 0) {
        case .status(let status, let retryAfter):
            return Reply.status(status).header(.retryAfter, retryAfter ?? "0")
        case .fault(let fault): return .fault(fault)
        default: return .text("\(secrets.token)-\(max(number, generation(neededFor: farthest)))")
        }
    }

    // MARK: Pages

    private func content(of page: Int, _ visit: Int) -> Reply {
        paced(body(of: page), page, visit)
    }

    private func body(of page: Int) -> (body: String, link: String?) {
        scenario.collection.content(of: page, at: Self.path, stranger: "http://\(Self.stranger)")
    }

    private func paced(_ content: (body: String, link: String?), _ page: Int, _ visit: Int) -> Reply {
        let pace = scenario.weather.pace(of: page, visit: visit)
        var reply = Reply.text(content.body, as: .json)
        if let link = content.link { reply = reply.header(.link, link) }
        if pace.pieces > 1 { reply = reply.dribble(chunks: pace.pieces, over: pace.spread) }
        return pace.delay > .zero ? reply.delay(pace.delay) : reply
    }

    private func weathered(_ page: Int, _ visit: Int, _ url: URL) -> Reply {
        let content = body(of: page)
        let reply = paced(content, page, visit)
        let bytes = content.body.utf8.count
        let query = url.query().map { "?\($0)" } ?? ""
        switch scenario.weather.event(at: page, visit: visit, bytes: bytes) {
        case .fine: return reply
        case .status(let status, let retryAfter):
            let refusal = Reply.text("{\"items\":[\"-1\"]}", as: .json, status: status)
            guard let retryAfter else { return refusal }
            let now = clock.now.offset
            let wish = Int64(retryAfter.trimmingCharacters(in: .whitespaces)).map { now + .seconds($0) }
            state.withLock { $0.notBefore[page] = wish }
            return refusal.header(.retryAfter, retryAfter)
        case .fault(let fault): return reply.fault(fault)
        case .stall(let count): return stalled(content, after: count)
        case .html: return .text("<!doctype html><title>Sign in</title>", as: .html)
        case .empty: return .text("", as: .json)
        case .noContent: return .status(204)
        case .cut(let share):
            let kept = content.body.utf8.prefix(Int(share * Double(content.body.trimmed.utf8.count)))
            return .data(Data(kept), as: .json)
        // Pages that know themselves by another path lead back there unseen.
        case .redirect(.within) where scenario.collection.trap != nil: return reply
        case .redirect(.within): return .redirect(to: "/moved\(query)", status: 307)
        case .redirect(.across):
            state.withLock { $0.sentAway += 1 }
            return .redirect(to: "http://\(Self.stranger)\(Self.path)\(query)")
        case .redirect(.around): return .redirect(to: "/around\(query)")
        case .redirect(.toFile): return .redirect(to: "file:///etc/passwd")
        case .redirect(.nowhere): return .status(302)
        }
    }

    /// Nothing comes, or no more than a part; both wait on the clock, so that it can move on to who loses patience.
    private func stalled(_ content: (body: String, link: String?), after count: Int?) -> Reply {
        guard let count else { return Reply.text(content.body, as: .json).delay(SimulationClock.endless) }
        let part = Data(content.body.utf8.prefix(count))
        let isOut = LockedState(false)
        let clock = clock
        let chunks = AsyncThrowingStream<Data, any Error> {
            let wasOut = isOut.withLock { isOut in
                defer { isOut = true }
                return isOut
            }
            guard wasOut || part.isEmpty else { return part }
            try await clock.sleep(until: .init(offset: SimulationClock.endless))
            return nil
        }
        let reply = Reply.stream(chunks, as: .json)
        return content.link.map { reply.header(.link, $0) } ?? reply
    }
}

extension String {
    /// Without the blanks at its end, which may be missing from a document that is whole.
    fileprivate var trimmed: Substring {
        self[..<(lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex)]
    }
}
