public import Foundation
/// A set of matchers, and the replies to requests that meet them.
///
/// If several routes match a request, the one with the highest ``priority(_:)`` is used. Among these, the most specific
/// one is used, then the one that was added to the running server last, then the one that is written first.
///
/// ```swift
/// Route(.get, "/items/:id") { Reply.json(["name": "tea"]) }
/// Route(.post, "/items") { request in .text(request.text, status: 201) }
/// ```
public struct Route: Sendable, CustomStringConvertible, Modifiable {
    enum Replies: Sendable {
        case sequence([Reply])
        case handler(@Sendable (ReceivedRequest) async throws -> Reply)
    }

    private(set) var matchers: [RequestMatcher]
    let replies: Replies
    let location: CodeLocation
    private(set) var expectedCalls = ExpectedCalls.atLeastOnce
    /// The name of the route, or `nil` if it has none.
    public private(set) var name: String?
    private(set) var rank = Rank.route(.normal)
    /// The number of calls after which the route no longer matches.
    private(set) var limit = Int.max
    /// The state of the server in which the route answers, or `nil` for any.
    private(set) var requiredState: String?
    /// The state of the server after the route has answered, or `nil` if it does not change.
    private(set) var nextState: String?
    /// The recorded exchanges that the route replays, or `nil` if it was not made from an archive.
    private(set) var recording: Recording?

    /// Creates a route with fixed replies.
    ///
    /// A single reply answers every request. Several replies answer in turn, and further requests fail unless the last
    /// one `.repeats()`.
    public init(
        _ conditions: RequestMatcher..., fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column, @ReplyBuilder replies: () throws -> [Reply]
    ) rethrows {
        self.init(conditions, .sequence(try replies()), at: CodeLocation(fileID, file, line, column))
    }

    /// Creates a route for a method and a URL, with one or more replies: see ``RequestMatcher/url(_:)-(URL)``.
    public init(
        _ method: RequestMatcher, _ url: URL, fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column, @ReplyBuilder replies: () throws -> [Reply]
    ) rethrows {
        self.init(
            [method, .url(url)], .sequence(try replies()), at: CodeLocation(fileID, file, line, column))
    }

    /// Creates a route that matches requests that fulfil all of the given conditions, with one or more replies.
    public init(
        _ conditions: [RequestMatcher], fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column, @ReplyBuilder replies: () throws -> [Reply]
    ) rethrows {
        self.init(conditions, .sequence(try replies()), at: CodeLocation(fileID, file, line, column))
    }

    init(_ matchers: [RequestMatcher], _ replies: Replies, at location: CodeLocation) {
        (self.matchers, self.replies, self.location) = (matchers, replies, location)
    }

    /// Creates a route with a handler that creates the reply. If it throws, the client receives its error.
    ///
    /// The handler is cancelled when the client cancels its request. A virtual clock does not advance while it runs,
    /// unless it sleeps on that clock or sends a request to a server on it. If it does neither and does not return for five
    /// seconds of real time, the request fails with an error that names the route: see
    /// ``VirtualClock/init(_:handlerLimit:)``.
    public init(
        _ conditions: RequestMatcher..., fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        reply: @escaping @Sendable (ReceivedRequest) async throws -> Reply
    ) { self.init(conditions, .handler(reply), at: CodeLocation(fileID, file, line, column)) }

    /// Creates a route that matches requests that fulfil all of the given conditions, with a handler that creates the
    /// reply.
    public init(
        _ conditions: [RequestMatcher], fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        reply: @escaping @Sendable (ReceivedRequest) async throws -> Reply
    ) { self.init(conditions, .handler(reply), at: CodeLocation(fileID, file, line, column)) }

    /// Creates a route that serves the pages of a list.
    ///
    /// A scroll is requested at a second URL, which the conditions must match, too.
    public init(
        _ conditions: RequestMatcher..., list: PagedList, fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) { self.init(conditions, .handler(list.page), at: CodeLocation(fileID, file, line, column)) }

    /// Expects exactly `times` calls. The default is at least one call.
    public func called(_ times: Int) -> Self { expecting(times...times) }

    /// Unavailable; see ``called(_:)-(Int)``.
    @available(*, unavailable, renamed: "called(_:)") public func times(_ times: Int) -> Self {
        called(times)
    }

    /// Expects a number of calls in a range: `.called(2...)`, `.called(...3)`, `.called(1...2)`.
    public func called(_ times: some RangeExpression<Int>) -> Self {
        let range = times.relative(to: 0..<Int.max)
        let last = range.upperBound == .max ? .max : range.upperBound - 1
        return expecting(range.lowerBound...max(last, range.lowerBound))
    }

    /// Allows the route to remain unused.
    public func optional() -> Self { expecting(0...expectedCalls.range.upperBound) }

    /// Answers at most `calls` requests. Further requests are answered by the next route that matches them.
    ///
    /// ```swift
    /// Route(.any) { Reply.status(503) }.limit(1).priority(.high)    // the first request fails, whatever it is
    /// Route(.get, "/items") { Reply.json([]) }
    /// ```
    ///
    /// Without a limit, a request more than ``called(_:)-(Int)`` allows is answered, and reported by
    /// ``MockServer/verify()``.
    public func limit(_ calls: Int) -> Self { changed { $0.limit = max(calls, 0) } }

    /// Places the route before all routes with a lower priority, even if these are more specific.
    public func priority(_ priority: Priority) -> Self { changed { $0.rank = .route(priority) } }

    /// Answers only while the server is in this state, into which ``then(_:)`` of another route brings it. A new server is in
    /// no state.
    ///
    /// ```swift
    /// Route(.get, "/me") { Reply.status(401) }
    /// Route(.post, "/login") { Reply.status(204) }.then("signed in")
    /// Route(.get, "/me") { Reply.json(["name": "Ann"]) }.when("signed in")
    /// ```
    public func when(_ state: String) -> Self { changed { $0.requiredState = state } }

    /// Brings the server into this state when the route answers a request; see ``when(_:)``.
    public func then(_ state: String) -> Self { changed { $0.nextState = state } }

    /// Names the route, for reports and for ``MockServer/requests(to:)``. Several routes can have the same name.
    public func named(_ name: String) -> Self { changed { $0.name = name } }

    /// The priority of a route.
    public enum Priority: Comparable, Sendable {
        /// Used only if no other route matches.
        case low
        /// The default.
        case normal
        /// Used before all other routes.
        case high
    }

    /// The conditions as written in code: `Route(.get, "/items")`, with the name if there is one.
    public var description: String {
        let conditions = matchers.isEmpty ? ".any" : matchers.map(\.description).joined(separator: ", ")
        if rank == .enqueued { return "enqueue(for: \(conditions))" }
        return "Route(\(conditions))" + (name.map { ".named(\"\($0)\")" } ?? "")
    }

    private func expecting(_ range: ClosedRange<Int>) -> Self {
        changed { $0.expectedCalls = ExpectedCalls(range: range) }
    }

    func with(_ matchers: [RequestMatcher]) -> Self { changed { $0.matchers = matchers } }

    /// The exchanges of an archive with equal requests. Several routes can replay them.
    final class Recording: Sendable {
        /// The request, with masked secrets.
        let request: String
        let count: Int

        init(_ request: String, count: Int) { (self.request, self.count) = (request, count) }
    }

    /// Returns an optional route that replays exchanges.
    func replaying(_ recording: Recording) -> Self { optional().changed { $0.recording = recording } }

    /// Returns a route that answers the next requests, before all other routes.
    func enqueued() -> Self {
        guard case .sequence(let replies) = replies else { return self }
        let isRepeated = replies.last?.isRepeated == true
        return changed { route in
            route.rank = .enqueued
            route.limit = isRepeated ? .max : replies.count
            route.expectedCalls = ExpectedCalls(range: replies.count...(isRepeated ? .max : replies.count))
        }
    }

    /// The order in which routes are tried, before their specificity is compared.
    enum Rank: Comparable {
        case route(Priority), enqueued
    }

    /// The reason why the conditions can never be met, or replies can never be sent, or `nil`.
    var problem: String? { matchers.lazy.compactMap(\.problem).first ?? unreachableReply }
    private var unreachableReply: String? {
        guard case .sequence(let replies) = replies,
            let index = replies.dropLast().firstIndex(where: \.isRepeated)
        else { return nil }
        return "reply \(index + 1) of \(replies.count) repeats(), so those after it are never sent"
    }
    /// The largest number of calls that the route expects and allows.
    var maxCalls: Int { min(limit, expectedCalls.range.upperBound) }
    var conditions: [Criterion] { matchers.flatMap(\.conditions) }
    var specificity: Int { conditions.reduce(requiredState == nil ? 0 : 4) { $0 + $1.specificity } }
}

/// Routes with a common prefix.
///
/// ```swift
/// Routes(under: "https://api.example.com/v1") {
///     Route(.get, "/items") { Reply.json([]) }
/// }
/// ```
public struct Routes: Sendable {
    let routes: [Route]

    /// Creates routes whose paths are appended to that of `prefix`. Its other conditions are added to each route.
    public init(under prefix: RequestMatcher, @RouteBuilder routes: () throws -> [Route]) rethrows {
        self.routes = try routes().map { $0.under(prefix) }
    }
}

extension Route {
    fileprivate func under(_ prefix: RequestMatcher) -> Route {
        guard let base = prefix.pattern else { return with([prefix] + matchers) }
        guard matchers.contains(where: { $0.pattern != nil }) else {
            return with(matchers + [RequestMatcher(URLPattern("").below(base))])
        }
        return with(
            matchers.map { matcher in
                guard let pattern = matcher.pattern, pattern.host == nil else { return matcher }
                return RequestMatcher(pattern.below(base))
            })
    }
}

/// A result builder for routes: `Route`, `Routes`, `[Route]`, `if` and `for`.
public typealias RouteBuilder = ListBuilder<Route>

/// A result builder for replies that answer in turn.
public typealias ReplyBuilder = ListBuilder<Reply>

/// A result builder for a list.
@resultBuilder public enum ListBuilder<Element> {
    /// A single element.
    public static func buildExpression(_ element: Element) -> [Element] { [element] }
    /// An array of elements.
    public static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    /// All parts, in order.
    public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
    /// The parts of a `for` loop.
    public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
    /// The part of an `if` without `else`.
    public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    /// The first branch of an `if`.
    public static func buildEither(first part: [Element]) -> [Element] { part }
    /// The second branch of an `if`.
    public static func buildEither(second part: [Element]) -> [Element] { part }
}

extension ListBuilder<Route> {
    /// Routes with a common prefix.
    public static func buildExpression(_ routes: Routes) -> [Route] { routes.routes }
}

struct ExpectedCalls: Sendable, CustomStringConvertible {
    let range: ClosedRange<Int>

    static let atLeastOnce = Self(range: 1...Int.max)

    static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    var description: String {
        switch (range.lowerBound, range.upperBound) {
        case (0, 0): "no call"
        case (0, .max): "any number of calls"
        case (0, let most): "at most \(Self.times(most))"
        case (let least, .max): "at least \(Self.times(least))"
        case (let least, let most) where least == most: Self.times(least)
        case (let least, let most): "\(least) to \(most) times"
        }
    }
}
