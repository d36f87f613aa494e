public import HTTPCore

/// Decides from the head of a response what counts as success.
///
/// Stands outside the interceptors: they see a 503 as a response.
public struct Validation: Sendable {
    let check: @Sendable (ResponseHead) throws -> Void
    let acceptsEveryStatus: Bool

    /// Accepts 200 to 299.
    public static let successful = Validation(status: 200..<300)

    /// Accepts everything.
    public static let none = Validation(acceptsEveryStatus: true) { _ in }

    /// Accepts the statuses of a range; another one is an error of kind `status`.
    public init(status accepted: Range<HTTPStatus>) {
        self.init(acceptsEveryStatus: false) { head in
            guard accepted.contains(head.status) else {
                throw RESTClientError(.status(head.status), head.request)
            }
        }
    }

    /// Accepts what `check` does not throw for.
    public init(_ check: @escaping @Sendable (ResponseHead) throws -> Void) {
        self.init(acceptsEveryStatus: false, check)
    }

    private init(acceptsEveryStatus: Bool, _ check: @escaping @Sendable (ResponseHead) throws -> Void) {
        self.acceptsEveryStatus = acceptsEveryStatus
        self.check = check
    }

    /// Throws what `check` throws; an error of ours gets the body that came.
    func validate(_ response: DataResponse) throws {
        guard !acceptsEveryStatus else { return }
        do {
            try check(response.map { _ in })
        } catch var error as RESTClientError {
            error.response = response.scrubbed()
            error.attempts = response.attempts
            throw error
        }
    }
}
