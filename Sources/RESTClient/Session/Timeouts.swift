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
