public import Foundation
public import RESTClientHTTP

/// The options of a request. The options of a manager are the defaults for its requests.
public struct RequestOptions: Sendable {
    /// The timeouts.
    public var timeouts: Timeouts
    /// The redirect policy.
    public var redirects: RedirectPolicy
    /// The validation of responses.
    public var validation: Validation
    /// The maximum number of decoded bytes in a buffered body. Larger bodies are errors of kind `limit`. Defaults to 256 MB.
    public var maxBodyBytes: Int
    /// The maximum number of decoded bytes of a streamed body, which is also the maximum size of a downloaded file,
    /// including the bytes of earlier attempts. Larger bodies are errors of kind `limit`. Unlimited by default.
    public var maxStreamBytes: Int64
    /// The decoder of responses and of the items of lists. Defaults to a `JSONDecoder` without changes.
    public var decoder: any DataDecoder
    /// The encoder of the values in bodies. Defaults to a `JSONEncoder` without changes.
    public var encoder: any DataEncoder
    /// The type of the error bodies of the server, or `nil`. If a response is not accepted and its body can be decoded as
    /// this type, the value is the `underlying` error of the `RESTClientError`.
    public var errorType: (any (Error & Decodable).Type)?

    /// Creates options.
    public init(
        timeouts: Timeouts = Timeouts(), redirects: RedirectPolicy = .follow,
        validation: Validation = .successful, maxBodyBytes: Int = 256 << 20,
        maxStreamBytes: Int64 = .max,
        decoder: any DataDecoder = JSONDecoder(), encoder: any DataEncoder = JSONEncoder(),
        errorType: (any (Error & Decodable).Type)? = nil
    ) {
        (self.timeouts, self.redirects, self.validation) = (timeouts, redirects, validation)
        (self.maxBodyBytes, self.maxStreamBytes) = (maxBodyBytes, maxStreamBytes)
        (self.decoder, self.encoder, self.errorType) = (decoder, encoder, errorType)
    }
}

/// The timeouts of a request; `nil` disables a timeout.
///
/// The timeouts are measured with the manager's clock, even for mock protocols. A separate limit to open a
/// connection is ``ConnectionOptions/connectTimeout``.
public struct Timeouts: Hashable, Sendable {
    /// The maximum time without data in either direction, including the connection setup, and between the parts of a body
    /// that is received from a sequence. Defaults to 30 seconds.
    ///
    /// Time does not count while the consumer of a stream does not read or, on Linux with libcurl 7.80 or later, while the
    /// request waits for one of the connections to its host. To limit these times, set `total`. A server that stops sending
    /// during such a time is noticed up to twice the timeout later.
    public var idle: Duration?

    /// The maximum time for all attempts, waits, redirects and the body together. Unlimited by default.
    public var total: Duration?

    /// Creates timeouts. A request that exceeds one throws `RESTClientError` of kind `timedOut`.
    public init(idle: Duration? = .seconds(30), total: Duration? = nil) {
        (self.idle, self.total) = (idle, total)
    }
}

/// The criterion for a successful response, based on its status and headers.
///
/// The validation runs after the interceptors, so they receive a response with any status, such as 503. The body of a status
/// that is not accepted is received for 10 seconds, or up to 1 MB.
public struct Validation: Sendable {
    let check: @Sendable (ResponseHead) throws -> Void
    /// The accepted statuses, or `nil` if a closure decides.
    var statuses: Range<HTTPStatus>?

    /// Accepts 200 to 299.
    public static let successful = Validation(status: 200..<300)

    /// Accepts every response.
    public static let none = Validation { _ in }

    /// Creates a validation that accepts a range of statuses. Other statuses are errors of kind `status`.
    public init(status accepted: Range<HTTPStatus>) {
        self.init { head in
            guard accepted.contains(head.status) else {
                throw RESTClientError(.status(head.status), head.request)
            }
        }
        statuses = accepted
    }

    /// Creates a validation that accepts the responses for which `check` does not throw.
    ///
    /// A download also checks each response before its body is written, so `check` can be called more than once.
    public init(_ check: @escaping @Sendable (ResponseHead) throws -> Void) { self.check = check }

    func accepts(_ head: ResponseHead) -> Bool { (try? check(head)) != nil }
}
