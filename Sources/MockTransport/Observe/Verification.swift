/// The clock of a session manager that uses a server.
enum ClientClock: Hashable {
    /// That of the server. Clocks that are not virtual count as one.
    case shared
    /// Another virtual clock, with its limit for handlers.
    case otherVirtual(Duration)
    case other
}

/// The expectations of a server. They outlive the server so that they can be verified after the test.
package struct Expectations: Sendable {
    let router: Router
    let log: RequestLog
    let isClockVirtual: Bool
    let clientClocks: LockedState<Set<ClientClock>>
    let checksOrder: Bool
    let server: CodeLocation
    /// A Boolean value that indicates whether recorded exchanges that were not requested are issues.
    var reportsUnusedRecordings = false
    var check: RecordingCheck?

    /// The maximum number of requests that are compared with a route that was not called as often as expected.
    private static let maxCompared = 1_000

    package var issues: [MockServerError.Issue] {
        var issues: [MockServerError.Issue] = []
        if let error = router.invalidRoute, case .invalidRoute(_, let location, _) = error.kind {
            issues.append(.init(message: error.description, location: location))
        }
        for usage in router.usages {
            guard let message = usage.callCountIssue else { continue }
            issues.append(.init(message: message + answeredElsewhere(usage), location: usage.route.location))
        }
        if checksOrder, let (earlier, later) = router.orderViolation {
            let message = "\(later) was called after \(earlier), which is written below it"
            issues.append(.init(message: message, location: later.location))
        }
        let clocks = clientClocks.withLock { $0 }
        if isClockVirtual, !clocks.isEmpty, !clocks.contains(.shared), let issue = unnoticedDelay {
            issues.append(issue)
        }
        if reportsUnusedRecordings { issues += unusedRecordings }
        let failures = router.failures + (check?.failures ?? [])
        return issues + failures.map { .init(message: $0.description, location: server) }
    }

    private var unusedRecordings: [MockServerError.Issue] {
        let usages = Dictionary(grouping: router.usages) { $0.route.recording.map(ObjectIdentifier.init) }
        return usages.values.compactMap { usages -> (id: Int, text: String)? in
            guard let usage = usages.first, let recording = usage.route.recording else { return nil }
            let used = usages.reduce(0) { $0 + $1.callCount }
            guard used < recording.count else { return nil }
            let title = used == 0 ? "was not requested" : "was requested \(ExpectedCalls.times(used))"
            let rest = recording.count > 1 ? ", and has \(recording.count) exchanges" : ""
            return (usage.entry.id, "\(recording.request) of the recording \(title)\(rest)")
        }
        .sorted { $0.id < $1.id }.map { .init(message: $0.text, location: server) }
    }

    /// The first reply that took virtual time which no session manager noticed.
    private var unnoticedDelay: MockServerError.Issue? {
        let delays = log.exchanges.lazy.map(\.summary).compactMap { exchange in
            exchange.duration.flatMap { $0 > .zero ? (exchange.request, $0) : nil }
        }
        return delays.first.map { request, duration in
            var masker = MessageMasker(log.masking)
            return .init(
                message: """
                    \(masker.masked(request)) took \(duration) on the virtual clock of the server, but the SessionManager has another \
                    clock, on which no time passed. Pass the same clock to both, so that timeouts and delays are consistent.
                    """, location: server)
        }
    }

    /// Returns a note about the route that answered most of the requests that a route without enough calls matches.
    private func answeredElsewhere(_ usage: Router.Usage) -> String {
        guard usage.callCount < usage.expectedCalls.range.lowerBound else { return "" }
        let others = log.requests.suffix(Self.maxCompared).filter { request in
            guard let call = request.call, call.number > usage.entry.firstCall else { return false }
            return call.route != usage.entry.id && usage.entry.matcher ~= request
        }
        let counts = Dictionary(grouping: others) { $0.call?.route }.mapValues(\.count)
        guard let (id, count) = counts.max(by: { ($0.value, $1.key ?? 0) < ($1.value, $0.key ?? 0) }),
            let route = others.first(where: { $0.call?.route == id })?.route
        else { return "" }
        let location = router.usages.first { $0.entry.id == id }.map { " at \($0.route.location)" } ?? ""
        return
            "; \(count == 1 ? "a request" : "\(count) requests") that it matches went to \(route)\(location)"
    }
}

/// The servers created during a test, so that a test trait can verify them at its end.
package final class ServerRegistry: Sendable {
    /// The registry of the test that the current task belongs to.
    @TaskLocal package static var current: ServerRegistry?

    private let servers = LockedState<[Expectations]>([])

    package init() {}

    func add(_ server: Expectations) { servers.withLock { $0.append(server) } }

    package var accessLog: String { servers.withLock { $0 }.map(\.log.text).joined(separator: "\n") }

    package var issues: [MockServerError.Issue] { servers.withLock { $0 }.flatMap(\.issues) }
}
