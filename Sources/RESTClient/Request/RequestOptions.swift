public import RESTClientHTTP

/// What a request may do differently from its manager.
public struct RequestOptions: Sendable {
    /// How long it may take.
    public var timeouts: Timeouts
    /// Which redirects it follows.
    public var redirects: RedirectPolicy
    /// What counts as success.
    public var validation: Validation
    /// How many decoded bytes a buffered result may hold; more is an error of kind `limit`. 256 MB by default.
    public var maxBodyBytes: Int
    /// How many bytes of a streamed result may wait on disk for a slow reader; more is an error of kind `limit`. 1 GB by
    /// default.
    public var maxSpillBytes: Int64

    /// Options, each with its default.
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

/// How long a request may take; `nil` is for ever.
///
/// Both run on the manager's clock, so mocks meet them, too. There is no connect timeout of its own: URLSession
/// on Linux cannot tell when a connection stands.
public struct Timeouts: Hashable, Sendable {
    /// The longest time without a byte in either direction, connecting included. 30 seconds by default.
    public var idle: Duration?

    /// The longest time for everything together: attempts, waits, redirects and body. Unlimited by default.
    public var total: Duration?

    /// Timeouts; a request that passes one throws `RESTClientError` of kind `timedOut`.
    public init(idle: Duration? = .seconds(30), total: Duration? = nil) {
        self.idle = idle
        self.total = total
    }
}

/// Decides from the head of a response what counts as success.
///
/// Stands outside the interceptors: they see a 503 as a response.
public struct Validation: Sendable {
    let check: @Sendable (ResponseHead) throws -> Void

    /// Accepts 200 to 299.
    public static let successful = Validation(status: 200..<300)

    /// Accepts everything.
    public static let none = Validation { _ in }

    /// Accepts the statuses of a range; another one is an error of kind `status`.
    public init(status accepted: Range<HTTPStatus>) {
        self.init { head in
            guard accepted.contains(head.status) else {
                throw RESTClientError(.status(head.status), head.request)
            }
        }
    }

    /// Accepts what `check` does not throw for.
    public init(_ check: @escaping @Sendable (ResponseHead) throws -> Void) {
        self.check = check
    }
}
