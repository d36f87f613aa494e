/// Conditions, replies, and how often they must come. The most specific route wins, then the earliest.
///
/// ```swift
/// Route(.get, "/items/:id") { Reply.json(["name": "tea"]) }
/// Route(.post, "/items") { request in .text(request.text, status: 201) }
/// ```
public struct Route: Sendable, CustomStringConvertible {
    enum Answers: Sendable {
        case replies([Reply])
        case handler(@Sendable (ReceivedRequest) async throws -> Reply)
    }

    private(set) var matchers: [RequestMatcher]
    let answers: Answers
    let location: CodeLocation
    private(set) var expected = Expectation.atLeastOnce

    /// One reply answers every time; several answer in turn, and one request more is an error unless the last
    /// `.repeats()`.
    public init(
        _ conditions: RequestMatcher..., fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column, @ReplyBuilder replies: () throws -> [Reply]
    ) rethrows {
        matchers = conditions
        answers = .replies(try replies())
        location = CodeLocation(fileID: fileID, file: file, line: line, column: column)
    }

    /// A reply made from the request; what it throws is the error of the client's request.
    ///
    /// It is cancelled when the client no longer waits. On a virtual clock time stands still while it works, unless
    /// it sleeps on that clock or asks a server on it, so one that never returns stops the clock.
    public init(
        _ conditions: RequestMatcher..., fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        reply: @escaping @Sendable (ReceivedRequest) async throws -> Reply
    ) {
        matchers = conditions
        answers = .handler(reply)
        location = CodeLocation(fileID: fileID, file: file, line: line, column: column)
    }

    /// Must be used exactly so many times; at least once, if nothing is said.
    public func called(_ times: Int) -> Self { expecting(times...times) }

    /// Must be used so many times: `.called(2...)`, `.called(...3)`, `.called(1...2)`.
    public func called(_ times: some RangeExpression<Int>) -> Self {
        let range = times.relative(to: 0..<Int.max)
        let isOpen = range.upperBound == .max
        return expecting(range.lowerBound...max(isOpen ? .max : range.upperBound - 1, range.lowerBound))
    }

    /// Need not be used at all.
    public func optional() -> Self { expecting(0...expected.range.upperBound) }

    private func expecting(_ range: ClosedRange<Int>) -> Self {
        var copy = self
        copy.expected = Expectation(range: range)
        return copy
    }

    /// The conditions as they are written: `Route(.get, "/items")`.
    public var description: String {
        "Route(\(matchers.isEmpty ? ".any" : matchers.map(\.description).joined(separator: ", ")))"
    }

    func with(_ matchers: [RequestMatcher]) -> Self {
        var copy = self
        copy.matchers = matchers
        return copy
    }

    var conditions: [Condition] { matchers.flatMap(\.conditions) }
    var weight: Int { conditions.reduce(0) { $0 + $1.weight } }
}

/// Collects routes: `Route`, `Routes`, `[Route]`, `if` and `for`.
@resultBuilder
public enum RouteBuilder {
    /// One route.
    public static func buildExpression(_ route: Route) -> [Route] { [route] }
    /// Routes below a prefix.
    public static func buildExpression(_ routes: Routes) -> [Route] { routes.routes }
    /// Routes made elsewhere.
    public static func buildExpression(_ routes: [Route]) -> [Route] { routes }
    /// All of them, in order.
    public static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap { $0 } }
    /// `for`
    public static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap { $0 } }
    /// `if` without `else`
    public static func buildOptional(_ part: [Route]?) -> [Route] { part ?? [] }
    /// `if`
    public static func buildEither(first part: [Route]) -> [Route] { part }
    /// `else`
    public static func buildEither(second part: [Route]) -> [Route] { part }
}

/// Collects replies that answer in turn.
@resultBuilder
public enum ReplyBuilder {
    /// One reply.
    public static func buildExpression(_ reply: Reply) -> [Reply] { [reply] }
    /// Replies made elsewhere.
    public static func buildExpression(_ replies: [Reply]) -> [Reply] { replies }
    /// All of them, in order.
    public static func buildBlock(_ parts: [Reply]...) -> [Reply] { parts.flatMap { $0 } }
    /// `for`
    public static func buildArray(_ parts: [[Reply]]) -> [Reply] { parts.flatMap { $0 } }
    /// `if` without `else`
    public static func buildOptional(_ part: [Reply]?) -> [Reply] { part ?? [] }
    /// `if`
    public static func buildEither(first part: [Reply]) -> [Reply] { part }
    /// `else`
    public static func buildEither(second part: [Reply]) -> [Reply] { part }
}
