public import RESTClientHTTP

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
