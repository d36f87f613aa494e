extension MockServer {
    /// A request with the outcome of its reply.
    public typealias Exchange = MockExchange

    /// The requests so far with the outcome of their replies, in order of arrival.
    public var exchanges: [Exchange] { core.log.exchanges.map(\.summary) }

    /// The exchanges as text, one on each line, to print or to attach to a test.
    ///
    /// ```
    /// [0.000s]  GET http://shop.example/items  200  34 bytes  0.080s  Route(.get, "/items")
    /// [0.080s]  POST http://shop.example/login  0.000s  no route
    /// ```
    ///
    /// Values that a cassette masks are masked here, too. Times are on the server's clock: the arrival since the server was
    /// created, and the duration of the reply.
    public var accessLog: String { core.log.text }

    /// The requests that routes with the given name answered, in order of arrival.
    public func requests(to name: String) -> [ReceivedRequest] { requests.filter { $0.routeName == name } }

    /// The exchanges that end after this property is accessed, including failed, rejected and cancelled ones.
    ///
    /// Access it before sending the requests: exchanges that ended before are not included. The sequence ends when its
    /// task is cancelled or the server is deallocated.
    ///
    /// ```swift
    /// let completions = server.completions
    /// _ = try await session.data(from: url)
    /// for await exchange in completions.prefix(1) { print(exchange) }
    /// ```
    public var completions: AsyncStream<Exchange> { core.log.completions.stream() }
}
