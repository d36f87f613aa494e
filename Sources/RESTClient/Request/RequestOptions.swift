public import RESTClientHTTP

/// The options of a request; those of a manager are the defaults for its requests.
public struct RequestOptions: Sendable {
    /// The timeouts.
    public var timeouts: Timeouts
    /// The redirect policy.
    public var redirects: RedirectPolicy
    /// The validation of responses.
    public var validation: Validation
    /// The maximum number of decoded bytes in a buffered body. Larger bodies are errors of kind `limit`. Defaults to 256 MB.
    public var maxBodyBytes: Int
    /// The maximum number of bytes of a streamed body that wait on disk for a slow consumer. More bytes are an error of
    /// kind `limit`. Defaults to 1 GB.
    public var maxSpillBytes: Int64

    /// Creates options.
    public init(
        timeouts: Timeouts = Timeouts(), redirects: RedirectPolicy = .follow,
        validation: Validation = .successful, maxBodyBytes: Int = 256 << 20,
        maxSpillBytes: Int64 = 1 << 30
    ) {
        self.timeouts = timeouts
        self.redirects = redirects
        self.validation = validation
        self.maxBodyBytes = maxBodyBytes
        self.maxSpillBytes = maxSpillBytes
    }
}

/// The timeouts of a request; `nil` disables a timeout.
///
/// They are measured with the manager's clock, also for mocks. There is no separate connect timeout, because URLSession on
/// Linux does not report connections.
public struct Timeouts: Hashable, Sendable {
    /// The maximum time without data in either direction, including the connection setup. Defaults to 30 seconds.
    public var idle: Duration?

    /// The maximum time for all attempts, waits, redirects and the body together. Unlimited by default.
    public var total: Duration?

    /// Creates timeouts. A request that exceeds one throws `RESTClientError` of kind `timedOut`.
    public init(idle: Duration? = .seconds(30), total: Duration? = nil) {
        self.idle = idle
        self.total = total
    }
}

/// The check of a response, based on its head, that decides whether the request succeeds.
///
/// The validation runs after the interceptors, which receive a 503 as a response.
public struct Validation: Sendable {
    let check: @Sendable (ResponseHead) throws -> Void

    /// Accepts 200 to 299.
    public static let successful = Validation(status: 200..<300)

    /// Accepts every response.
    public static let none = Validation { _ in }

    /// Accepts a range of statuses. Others are errors of kind `status`.
    public init(status accepted: Range<HTTPStatus>) {
        self.init { head in
            guard accepted.contains(head.status) else {
                throw RESTClientError(.status(head.status), head.request)
            }
        }
    }

    /// Accepts the responses for which `check` does not throw.
    public init(_ check: @escaping @Sendable (ResponseHead) throws -> Void) {
        self.check = check
    }
}
