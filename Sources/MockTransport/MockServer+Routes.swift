/// Changes of the routes while the server runs. They apply to the requests that arrive afterwards.
extension MockServer {
    /// Adds routes. An added route takes precedence over the routes so far that are equally specific.
    ///
    /// ```swift
    /// server.addRoutes { Route(.get, "/items") { Reply.status(503) } }
    /// ```
    ///
    /// - Returns: A value that can remove the routes.
    @discardableResult
    public func addRoutes(@RouteBuilder routes: () throws -> [Route]) rethrows -> AddedRoutes {
        AddedRoutes(server: core, batch: core.router.add(try routes()))
    }

    /// Adds routes, runs `body` and removes them again. ``verify()`` reports those that `body` did not use.
    public func withRoutes<Result>(
        @RouteBuilder _ routes: () throws -> [Route], perform body: () async throws -> Result
    ) async rethrows -> Result {
        let added = try addRoutes(routes: routes)
        defer { added.remove() }
        return try await body()
    }

    /// Replaces the routes with the given name, or all routes and enqueued replies, by others.
    ///
    /// ``verify()`` does not report replaced routes that were not used. If no route has the name, the new routes are
    /// added. They take precedence over the routes so far that are equally specific, as with ``addRoutes(routes:)``.
    public func replaceRoutes(
        named name: String? = nil, @RouteBuilder with routes: () throws -> [Route]
    ) rethrows { core.removeRoutes(replacingWith: try routes()) { name == nil || $0.route.name == name } }

    /// Removes the routes with the given name, or all routes and enqueued replies.
    ///
    /// ``verify()`` still checks the calls that they expected: mark a route as ``Route/optional()`` if it need not be
    /// called. If no route has the name, nothing is removed.
    public func removeRoutes(named name: String? = nil) {
        core.removeRoutes { name == nil || $0.route.name == name }
    }

    /// Answers the next requests with the given replies, in order, before any route.
    ///
    /// ```swift
    /// server.enqueue(.status(503), .status(401))    // the next two requests, whatever they are
    /// ```
    ///
    /// Replies that were enqueued before come first. If the last one ``Reply/repeats()``, it answers all further requests.
    /// ``verify()`` reports replies that were not used.
    public func enqueue(
        _ replies: Reply..., for matcher: RequestMatcher = .any, fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        guard !replies.isEmpty else { return }
        let route = Route(matcher, fileID: fileID, file: file, line: line, column: column) { replies }
        core.router.add([route.enqueued()])
    }

    /// Restores the routes with which the server was created, and forgets the requests so far: the routes expect all of
    /// their calls again, and sequences of replies start with the first one.
    public func reset() { core.reset() }

    /// Routes that were added to a running server.
    public struct AddedRoutes: Sendable {
        fileprivate let server: ServerCore
        fileprivate let batch: Int

        /// Removes the routes. ``MockServer/verify()`` still checks the calls that they expected.
        public func remove() {
            let batch = batch
            server.removeRoutes { $0.batch == batch }
        }
    }
}
