extension MockServer {
    /// Serves the routes on 127.0.0.1 until the returned server is closed.
    ///
    /// - Parameters:
    ///   - port: The port to listen on, or 0 for any free port.
    ///   - limits: The limits of the server.
    /// - Throws: `POSIXError` if the port is in use, or if the process has no free descriptors.
    public func listen(port: Int = 0, limits: LoopbackServer.Limits = .init()) async throws -> LoopbackServer
    {
        if port != 0 { await AbandonedListeners.shared.close(at: port) }
        return try listen(port: port, limits: limits, on: EventLoop())
    }

    func listen(
        port: Int = 0, limits: LoopbackServer.Limits = .init(),
        on eventLoop: EventLoop
    ) throws -> LoopbackServer {
        try LoopbackServer(serving: core, of: self, port: port, limits: limits, on: eventLoop)
    }
}
