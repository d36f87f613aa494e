public import Foundation

/// A mock server's routes on a real socket of 127.0.0.1, until it is closed or dropped.
///
/// ```swift
/// let server = MockServer { Route(.get, "/items") { Reply.json(["items": ["tea"]]) } }
/// let loopback = try await server.listen()
/// let client = MyRESTClient(url: loopback.url.appending(path: "items"))
/// ```
///
/// HTTP/1.1 with keep-alive, without TLS. What came shows in the server's `requests` and counts for `verify()`, as in
/// the process. It keeps its server. A route that names a host matches what the `Host` field or, for a client
/// that takes this for its proxy, the request line names.
///
/// On a socket some things cannot be, or are told in another way, than in the process:
/// - A request that no route matches, or that comes once too often, gets a 501 whose text says so.
/// - ``Fault/refused``, ``Fault/hostNotFound`` and ``Fault/tlsFailure`` come before there is a connection; here the
///   connection is reset instead.
/// - `Reply.error` and an error that a handler throws cannot be told: the connection closes without an answer.
/// - `Reply.passthrough` gets a 500: the only server it could ask is itself.
/// - Fields keep the order in which the client wrote them.
/// - A client that ends its half of the connection while its reply waits is taken for gone.
public final class LoopbackServer: Sendable {
    /// How much is too much.
    public struct Limits: Sendable {
        /// Bytes of a request line and its fields; more is a 431. 64 KB unless told otherwise.
        public var headBytes = 64 << 10
        /// Bytes of a request body; more is a 413. 64 MB unless told otherwise.
        public var bodyBytes = 64 << 20
        /// Connections at a time; one more replaces the one that has been idle longest, or whose client has not read
        /// for longer than `patience`, or gets a 503.
        public var connections = 512
        /// How long a request may take to come, in real time: its head as a whole, its body from piece to piece.
        public var patience = Duration.seconds(60)
        /// How long a connection is kept between requests, in real time.
        public var idle = Duration.seconds(60)
        /// How many requests `MockServer.requests` keeps of those that come over sockets, the latest.
        public var requests = 10_000

        /// The limits that each property tells.
        public init() {}
    }

    /// Where it is: `http://127.0.0.1:49152`.
    public let url: URL

    private let listener: Listener
    /// Kept, so that the routes are there as long as the socket is.
    private let server: MockServer

    fileprivate init(_ server: MockServer, port: Int, limits: Limits) throws {
        let socket = try Socket.listening(port: port)
        let port = socket.port
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            socket.close()
            throw URLError(.badURL)
        }
        self.url = url
        self.server = server
        listener = Listener(socket, core: server.core, limits: limits, authority: "127.0.0.1:\(port)")
        listener.start()
    }

    deinit { listener.stop() }

    /// Takes no more connections, gives replies that are under way so long to end, cuts the rest, and returns when
    /// no descriptor is left. Without a `grace` everything is cut at once.
    public func close(grace: Duration = .zero) async { await listener.close(grace: grace) }
}

extension MockServer {
    /// Serves the same routes on 127.0.0.1 until the result is closed or dropped.
    ///
    /// - Parameters:
    ///   - port: The port to listen at; 0 is any free one.
    ///   - limits: How much is too much.
    /// - Throws: `POSIXError` when the port is taken.
    public func listen(port: Int = 0, limits: LoopbackServer.Limits = .init()) async throws -> LoopbackServer
    {
        try LoopbackServer(self, port: port, limits: limits)
    }
}
