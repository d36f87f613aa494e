/// Routes below a common prefix.
///
/// ```swift
/// Routes(under: "https://api.example.com/v1") {
///     Route(.get, "/items") { Reply.json([]) }
/// }
/// ```
public struct Routes: Sendable {
    let routes: [Route]

    /// The paths of `routes` stand behind that of `prefix`; its other conditions are added to each route.
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
