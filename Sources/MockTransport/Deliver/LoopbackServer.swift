public import Foundation

/// A server on a real socket of 127.0.0.1 that answers with the routes of a mock server.
///
/// ```swift
/// let server = MockServer { Route(.get, "/items") { Reply.json(["items": ["tea"]]) } }
/// let loopback = try await server.listen()
/// let client = MyRESTClient(url: loopback.url.appending(path: "items"))
/// ```
///
/// It supports HTTP/1.1 with keep-alive until it is closed. It retains its mock server, whose `requests` and
/// `verify()` include the requests received here. If it is deallocated without `close()`, its socket stays open:
/// `let url = try await server.listen().url` is enough. A process keeps the last 256 of these sockets, or an
/// eighth of the descriptors that it can have if that is less, until another server listens on their port. A route with a host
/// matches the `Host` field (``Limits/hosts``), or the host of the request line if a client uses the server as a proxy.
///
/// It has neither TLS nor HTTP/2: for these, put a proxy such as nginx in front of it. In the process, a route matches
/// `https` URLs without TLS. <doc:ServingOnASocket> lists the differences from requests in the process.
public final class LoopbackServer: Sendable {
    /// The limits of a loopback server.
    public struct Limits: Sendable {
        /// The maximum size of a request line with its header fields. A larger one receives a 431. Defaults to 64 KB.
        public var headBytes = 64 << 10
        /// The maximum size of a request body. A larger one receives a 413. Defaults to 64 MB.
        public var bodyBytes = 64 << 20
        /// The number of requests received over sockets that `MockServer.requests` keeps. Older ones are removed.
        public var recordedRequests = 10_000

        /// The hosts, in lower case, for which the server answers, in addition to 127.0.0.1, localhost and [::1] with its port:
        /// `shop.example` with any port, `localhost:8443` with this one, as with a proxy or a forwarded port that keeps the
        /// `Host` field. A request with another one receives a 421, so that no web page can read the replies.
        public var hosts: Set<String> = []

        /// Creates the default limits.
        public init() {}
    }

    /// The URL of the server: `http://127.0.0.1:49152`.
    public let url: URL

    let listener: Listener
    /// Retained, so that the routes live as long as the socket.
    private let owner: any AnyObject & Sendable
    private let isClosed = LockedState(false)

    /// - Parameter owner: The object that closes `core` when it is deallocated.
    init(
        serving core: ServerCore, of owner: any AnyObject & Sendable, port: Int, limits: Limits
    ) throws {
        let socket = try Socket.listening(port: port)
        let port = socket.port
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            socket.close()
            throw URLError(.badURL)
        }
        (self.url, self.owner) = (url, owner)
        listener = Listener(
            socket, on: EventLoop(), core: core, limits: limits, authority: "127.0.0.1:\(port)")
        listener.start()
    }

    deinit { if !isClosed.withLock({ $0 }) { AbandonedListeners.shared.add(listener) } }

    /// Stops accepting connections, closes all open ones, and returns when all descriptors are closed.
    public func close() async {
        isClosed.withLock { $0 = true }
        await listener.close()
    }
}

extension MockServerError {
    /// The error as a response for a client on a socket. It does not contain the URLs of recorded exchanges, because every
    /// program can send a request.
    var loopbackReply: Reply {
        switch kind {
        case .unmatched(let request, let routes, let nearest) where nearest.contains(where: \.isRecorded):
            MockServerError(
                .unmatched(request, routes: routes, nearest: nearest.filter { !$0.isRecorded }), masking
            )
            .loopbackReply
        case .unmatched, .exhausted, .exhaustedRecording, .invalidRoute:
            .text("\(description)\n", status: 501)
        default: .text("\(description)\n", status: 500)
        }
    }
}
