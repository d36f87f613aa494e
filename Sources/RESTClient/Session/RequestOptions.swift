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
