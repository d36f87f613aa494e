public import Foundation
public import RESTClientHTTP

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Sends requests over a URLSession of its own, the same way on every platform.
///
/// The session is made from `configuration`, which is where a mock enters, by its protocol class. What the platform
/// would do by itself and differently on each system (cookies, caching, stored credentials, redirects, timeouts)
/// is switched off and, where it belongs to a client of an API, done here.
///
/// ```swift
/// let manager = SessionManager(options: RequestOptions(timeouts: Timeouts(idle: .seconds(5))))
/// let coaches = try await manager.request(url, query: ["q": "tea"]).decode([Coach].self)
/// ```
public final class SessionManager: Sendable {
    /// The manager of those who bring none.
    public static let `default` = SessionManager()

    let interceptors: [any RequestInterceptor]
    let options: RequestOptions
    let additionalHeaders: HTTPHeaders
    let timeline: AnyClock
    private let transport: Transport
    private let hub: EventHub
    private let state: LockedState<State>
    /// Whether it serves requests that are in flight already, and so may go on while they drain.
    private let isInner: Bool

    private struct State {
        var isShutDown = false
        var created = 0
        var flights: [Int: Flight] = [:]
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    /// A manager with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: copied; its protocol classes, TLS and proxy settings count, and its
    ///     `httpAdditionalHeaders` go with every request that does not set them. Ephemeral by default.
    ///   - interceptors: stand around every request, the first one outermost.
    ///   - options: what requests do unless they say otherwise.
    ///   - monitor: sees what the manager does.
    ///   - clock: measures all timeouts, waits and timings.
    public init(
        configuration: URLSessionConfiguration = .ephemeral, interceptors: [any RequestInterceptor] = [],
        options: RequestOptions = RequestOptions(), monitor: EventMonitor? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.interceptors = interceptors
        self.options = options
        hub = EventHub(monitor)
        timeline = AnyClock(clock)
        additionalHeaders = HTTPHeaders(configuration.httpAdditionalHeaders ?? [:])
        transport = Transport(configuration: configuration.forTransport(), timeline: timeline)
        state = LockedState(State())
        isInner = false
    }

    /// A manager that shares all of `outer` but its interceptors: session, flights, events, shutdown.
    private init(inside outer: SessionManager, interceptors: [any RequestInterceptor]) {
        self.interceptors = interceptors
        options = outer.options
        hub = outer.hub
        timeline = outer.timeline
        additionalHeaders = outer.additionalHeaders
        transport = outer.transport
        state = outer.state
        isInner = true
    }

    /// This manager without one of its interceptors, for what that interceptor has to send itself.
    func without(_ authenticator: Authenticator) -> SessionManager {
        SessionManager(
            inside: self, interceptors: interceptors.filter { ($0 as? Authenticator) !== authenticator })
    }

    /// Describes a request; nothing is sent until one of its results is awaited.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`, absolute.
    ///   - method: the method of the first hop; a 303 makes it GET.
    ///   - query: added behind the query that `url` has.
    ///   - headers: in front of the manager's own of the same name.
    ///   - body: cooked again for each attempt; sets `Content-Type` unless `headers` do.
    public func request(
        _ url: URL, method: HTTPMethod = .get, query: QueryItems = [:], headers: HTTPHeaders = [:],
        body: RequestBody? = nil
    ) -> DataRequest {
        var request = URLRequest(url: query.appended(to: url))
        request.httpMethod = method.rawValue
        return DataRequest(request, headers: headers, body: body, manager: self)
    }

    /// Describes a request made elsewhere; its `timeoutInterval` and cache policy do not count.
    public func request(_ request: URLRequest) -> DataRequest {
        DataRequest(request, headers: [:], body: nil, manager: self)
    }

    /// Events from now on; a reader who falls `buffer` behind loses the oldest.
    ///
    /// They end when the manager goes, or when the reader stops reading.
    public func events(buffer: Int = 256) -> AsyncStream<SessionEvent> { hub.events(buffer: buffer) }

    /// Ends every request in flight with `CancellationError`.
    public func cancelAll() {
        for flight in state.withLock({ Array($0.flights.values) }) { flight.cancel() }
    }

    /// Refuses new requests with an error of kind `shutDown`, and returns when those in flight have ended.
    ///
    /// A streamed body is in flight until it is read, left or dropped. Called from inside one of its requests, such as by
    /// an interceptor, or from a task begun there, it returns at once, because it would wait for itself.
    public func shutdown() async {
        let surroundings = sequence(first: Flight.current) { $0?.outer }.prefix { $0 != nil }.compactMap(
            \.self)
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                state.isShutDown = true
                let isInside = surroundings.contains { state.flights[$0.number] === $0 }
                let isDrained = state.flights.isEmpty || isInside
                if !isDrained { state.drained.append(continuation) }
                return isDrained
            }
            if isDrained { continuation.resume() }
        }
    }

    /// Lets a request begin; `land` must follow.
    func takeOff(_ request: URLRequest, total: Duration?) throws -> Flight {
        let now = timeline.now
        let flight = state.withLock { state -> Flight? in
            guard !state.isShutDown || isInner && !state.flights.isEmpty else { return nil }
            state.created += 1
            let flight = Flight(
                number: state.created, timeline: timeline, created: now, total: total, events: hub)
            state.flights[flight.number] = flight
            return flight
        }
        guard let flight else { throw RESTClientError(.shutDown, request) }
        return flight
    }

    func land(_ flight: Flight) {
        let drained = state.withLock { state in
            state.flights[flight.number] = nil
            guard state.isShutDown, state.flights.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.drained = [] }
            return state.drained
        }
        for continuation in drained { continuation.resume() }
    }

    /// What watches the deadlines of its requests.
    var deadlines: Deadlines { transport.deadlines }

    /// An exchange over the manager's session.
    func exchange(_ order: Order, terms: Exchange.Terms) -> Exchange {
        Exchange(order, terms: terms, over: transport)
    }
}
