import Foundation
import MockTransport
import RESTClient

/// The server of a scenario: serves the collection with faults, and records requests that violate a guarantee.
package final class SimulatedServer: Sendable {
    /// The requests so far.
    struct Log: Sendable {
        var requests = 0
        /// The number of requests for each page.
        var visits: [Int: Int] = [:]
        var crossOriginRequests = 0
        var crossOriginRedirects = 0
        var unauthorizedReplies = 0
        var tokenRequests = 0
        var highestPage = 0
        /// The time from which each page may be requested again, from `Retry-After`.
        var retryTimes: [Int: Duration] = [:]
        var violations: [String] = []
    }

    /// The tolerance for requests after the total timeout: the virtual clock may advance early by this much.
    static let timeoutTolerance = Duration.seconds(60)

    static let host = "shop.example"
    static let otherHost = "elsewhere.example"
    static let path = "/v1/items"

    /// The credentials that must not reach other origins, events or errors.
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
            [key, cookie, token].contains { Self.contains($0, in: text) }
        }

        /// Compares bytes, because Foundation's search would take longer than the rest of the simulation.
        private static func contains(_ secret: String, in text: String) -> Bool {
            let secret = Array(secret.utf8)
            let text = Array(text.utf8)
            guard let first = secret.first, text.count >= secret.count else { return false }
            return (0...text.count - secret.count).contains { start in
                text[start] == first && text[start..<start + secret.count].elementsEqual(secret)
            }
        }
    }

    let secrets: Secrets
    private let scenario: SimulationScenario
    private let clock: SimulationClock
    private let state = LockedState(Log())
    private let receivedItems = LockedState(0)
    private let listingStart = LockedState(Duration.zero)

    init(_ scenario: SimulationScenario, clock: SimulationClock) {
        self.scenario = scenario
        self.clock = clock
        secrets = Secrets(seed: scenario.seed)
    }

    var log: Log { state.withLock { $0 } }

    /// Records the number of items that the consumer has received.
    func note(received count: Int) { receivedItems.withLock { $0 = count } }

    /// Records the start of a listing or of a resumed one.
    func noteListingStart() { listingStart.withLock { $0 = clock.now.offset } }

    /// `true` if the total timeout of the current listing has passed, including the tolerance.
    var isPastTotalTimeout: Bool {
        guard let total = scenario.timeouts.total else { return false }
        return clock.now.offset > listingStart.withLock { $0 } + total + Self.timeoutTolerance
    }

    func reply(to request: ReceivedRequest) -> Reply {
        clock.noteActivity()
        let isCrossOrigin = request.url.host() != Self.host
        let path = request.url.path()
        state.withLock { log in
            log.requests += 1
            guard isCrossOrigin else { return }
            log.crossOriginRequests += 1
            if log.crossOriginRequests > log.crossOriginRedirects {
                log.violations.append("a page at another origin was requested")
            }
        }
        if isCrossOrigin { checkForLeaks(request) }
        if isPastTotalTimeout { addViolation("\(request.url) was requested after the total timeout") }
        if path == "/token" { return token() }
        if path == "/loop" { return .redirect(to: "/loop?\(request.url.query() ?? "")") }
        let page = scenario.collection.page(of: request)
        let visit = recordVisit(of: page)
        let content: PagedList.Response
        do { content = try scenario.collection.response(to: request) } catch { return .error(error) }
        guard !isCrossOrigin else { return reply(with: content, page, visit) }
        if let reply = unauthorizedReply(to: request, for: page) { return reply }
        // Redirected requests have no further faults.
        return path != "/moved"
            ? plannedReply(content, page, visit, request) : reply(with: content, page, visit)
    }

    private func checkForLeaks(_ request: ReceivedRequest) {
        for (name, value) in request.headers where secrets.leak(in: value) {
            addViolation("\(name) was sent to \(request.url.host() ?? "another origin")")
        }
        if secrets.leak(in: request.url.absoluteString) {
            addViolation("the URL \(request.url) contains a secret")
        }
    }

    private func addViolation(_ text: String) { state.withLock { $0.violations.append(text) } }

    /// Checks a request for a page, and returns its number.
    private func recordVisit(of page: Int) -> Int {
        let start = receivedItems.withLock { $0 }
        let ahead = scenario.collection.pagesWithItems(from: start, through: page)
        let visit = state.withLock { log in
            log.highestPage = max(log.highestPage, page)
            log.visits[page, default: 0] += 1
            return log.visits[page] ?? 1
        }
        // The current page, a completely delivered one, and the prefetched ones.
        if scenario.api != .getAvailableItems, ahead > max(1, scenario.listing.maxConcurrentPages) + 1 {
            addViolation(
                "\(ahead) pages at the same time with \(scenario.listing.maxConcurrentPages) concurrent pages"
            )
        }
        if case .resuming = scenario.consumer { return visit }
        checkRetryTime(of: page)
        if page >= scenario.listing.maxPages, scenario.collection.loop == nil {
            addViolation("page \(page + 1) was requested, but the limit is \(scenario.listing.maxPages)")
        }
        return visit
    }

    /// Checks that a page is not requested before the time in `Retry-After`.
    private func checkRetryTime(of page: Int) {
        // A prefetched page may have been dropped because of a shrinking total, and its Retry-After with it.
        guard scenario.collection.reportedTotal == .exact || scenario.listing.maxConcurrentPages == 1 else {
            return
        }
        let now = clock.now.offset
        guard let time = state.withLock({ $0.retryTimes[page] }), now < time else { return }
        addViolation("page \(page + 1) was retried at \(now), before Retry-After at \(time)")
    }

    // MARK: Tokens

    private func generation(requiredFor page: Int) -> Int {
        guard case .bearerToken(_, let every) = scenario.credentials, every > 0 else { return 0 }
        return page / every
    }

    private func unauthorizedReply(to request: ReceivedRequest, for page: Int) -> Reply? {
        guard case .bearerToken = scenario.credentials else { return nil }
        let value = request.headers[.authorization] ?? ""
        let generation =
            value.hasPrefix("Bearer \(secrets.token)-") ? Int(value.split(separator: "-").last ?? "") : nil
        guard generation.map({ $0 < self.generation(requiredFor: page) }) ?? true else { return nil }
        state.withLock { $0.unauthorizedReplies += 1 }
        return .status(401).header(.wwwAuthenticate, "Bearer realm=\"shop\"")
    }

    private func token() -> Reply {
        let (number, highestPage) = state.withLock { log in
            log.tokenRequests += 1
            return (log.tokenRequests, log.highestPage)
        }
        switch scenario.faults.outcome(of: -1, visit: number, bytes: 0) {
        case .status(let status, let retryAfter):
            return Reply.status(status).header(.retryAfter, retryAfter ?? "0")
        case .fault(let fault): return .fault(fault)
        default: return .text("\(secrets.token)-\(max(number, generation(requiredFor: highestPage)))")
        }
    }

    // MARK: Pages

    private func reply(with content: PagedList.Response, _ page: Int, _ visit: Int) -> Reply {
        let timing = scenario.faults.timing(of: page, visit: visit)
        var reply = content.adding(to: .text(content.body, as: .json, status: content.status))
        if timing.chunks > 1 { reply = reply.dribble(chunks: timing.chunks, over: timing.duration) }
        return timing.delay > .zero ? reply.delay(timing.delay) : reply
    }

    private func plannedReply(
        _ content: PagedList.Response, _ page: Int, _ visit: Int, _ request: ReceivedRequest
    ) -> Reply {
        let reply = reply(with: content, page, visit)
        let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        switch scenario.faults.outcome(of: page, visit: visit, bytes: content.body.utf8.count) {
        case .page: return reply
        case .status(let status, let retryAfter):
            let reply = Reply.text("{\"items\":[\"-1\"]}", as: .json, status: status)
            guard let retryAfter else { return reply }
            let now = clock.now.offset
            let seconds = Int64(retryAfter.trimmingCharacters(in: .whitespaces))
            state.withLock { $0.retryTimes[page] = seconds.map { now + .seconds($0) } }
            return reply.header(.retryAfter, retryAfter)
        case .fault(let fault): return reply.fault(fault)
        case .stall(let count): return stalled(content, after: count)
        case .html: return .text("<!doctype html><title>Sign in</title>", as: .html)
        case .emptyBody: return .text("", as: .json)
        case .truncatedJSON(let share):
            let count = Int(share * Double(content.body.trimmedEnd.utf8.count))
            return .data(Data(content.body.utf8.prefix(count)), as: .json)
        // A loop cannot be detected if its pages are redirected to another path.
        case .redirect(.samePage) where scenario.collection.loop != nil: return reply
        case .redirect(.samePage): return .redirect(to: "/moved\(query)", status: 307)
        case .redirect(.otherOrigin):
            state.withLock { $0.crossOriginRedirects += 1 }
            // A client may change a POST request to GET after a redirect with status 302, and lose the token in its body.
            let status: HTTPStatus = request.method == .post ? 307 : 302
            return .redirect(to: "http://\(Self.otherHost)\(Self.path)\(query)", status: status)
        case .redirect(.itself): return .redirect(to: "/loop\(query)")
        case .redirect(.file): return .redirect(to: "file:///etc/passwd")
        case .redirect(.none): return .status(302)
        }
    }

    /// Returns a reply that sends at most the first bytes and then waits on the virtual clock, which can still advance to
    /// the timeout of the client.
    private func stalled(_ content: PagedList.Response, after count: Int?) -> Reply {
        guard let count else { return Reply.text(content.body, as: .json).delay(SimulationClock.forever) }
        let part = Data(content.body.utf8.prefix(count))
        let isSent = LockedState(false)
        let clock = clock
        let chunks = AsyncThrowingStream<Data, any Error> {
            let wasSent = isSent.withLock { isSent in
                defer { isSent = true }
                return isSent
            }
            guard wasSent || part.isEmpty else { return part }
            try await clock.sleep(until: .init(offset: SimulationClock.forever))
            return nil
        }
        return content.adding(to: .stream(chunks, as: .json, status: content.status))
    }
}

extension PagedList.Response {
    fileprivate func adding(to reply: Reply) -> Reply {
        headers.reduce(reply) { $0.header($1.name, $1.value) }
    }
}

extension String {
    /// The text without trailing white space, which a complete JSON document does not need.
    fileprivate var trimmedEnd: Substring {
        self[..<(lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex)]
    }
}
