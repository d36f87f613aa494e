public import Foundation
public import RESTClientHTTP

/// An HTTP response, generic over its body: nothing, data, a stream or a file.
///
/// Secrets are masked in `description`, but not in the properties.
public struct Response<Body: Sendable>: Sendable {
    /// The request of the response, after interceptors and redirects.
    public var request: URLRequest
    /// The status.
    public var status: HTTPStatus
    /// The header fields, sorted by name. URLSession provides no order, and joins duplicates with ", " (PLATFORM B).
    public var headers: HTTPHeaders
    /// The body.
    public var body: Body
    /// The redirects that were followed.
    public var redirects: [RedirectPolicy.Redirect] = []
    /// The attempts of the request; the last one produced the response.
    public var attempts: [Attempt] = []
    /// The decoder of the request, or `nil` if the response was created without one.
    var decoder: (any DataDecoder)?

    /// Creates a response, for example in a cache or a test.
    public init(to request: URLRequest, status: HTTPStatus, headers: HTTPHeaders = [:], body: Body) {
        (self.request, self.status, self.headers, self.body) = (request, status, headers, body)
    }

    /// Returns the response with another body.
    public func map<Other: Sendable>(_ transform: (Body) throws -> Other) rethrows -> Response<Other> {
        var other = Response<Other>(to: request, status: status, headers: headers, body: try transform(body))
        (other.redirects, other.attempts, other.decoder) = (redirects, attempts, decoder)
        return other
    }

    /// Returns the header fields with secrets masked, also those that the response repeats from its request or from
    /// `request`, which can be the one before redirects; safe to show except for control characters.
    public func maskedHeaders(of request: URLRequest? = nil) -> HTTPHeaders {
        let sources = [self.request] + (request.map { [$0] } ?? [])
        let secrets = sources.map { ErrorSecrets($0, self.map { _ in Data() }) }
        var masked = HTTPHeaders()
        for field in headers {
            let value = secrets.reduce(field.value) { $1.masked($0, of: field.name) }
            masked.add(field.name, value)
        }
        return masked
    }

    /// The URL of the response, after redirects.
    public var url: URL? { request.url }

    /// The media type in `Content-Type`.
    public var mediaType: MediaType? { headers[.contentType].map(MediaType.init(rawValue:)) }
}

/// A response without its body.
public typealias ResponseHead = Response<Void>

/// A response with its body as data.
public typealias DataResponse = Response<Data>

extension Response: CustomStringConvertible, CustomReflectable {
    /// The status and the request, with secrets masked.
    public var description: String { "\(status) to \(request.maskedDescription)" }

    /// The properties with secrets masked, for `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "request": request.maskedDescription, "headers": headers, "body": body,
                "redirects": redirects, "attempts": attempts,
            ])
    }
}

extension Response<Data> {
    /// Returns the decoded body. The empty body of a response that has none, such as a 204, is `nil` if the type is optional.
    ///
    /// - Parameters:
    ///   - type: The type of the result.
    ///   - decoder: The decoder. Defaults to `RequestOptions.decoder` of the request.
    /// - Throws: `RESTClientError` of kind `notJSON`, `malformedJSON` or `wrongShape`.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, using decoder: (any DataDecoder)? = nil
    ) throws -> T {
        if body.isEmpty, let nothing = NoContent() as? T { return nothing }
        if body.isEmpty, status.hasNoBody, let optional = T.self as? any NilRepresentable.Type,
            let nothing = optional.nothing as? T
        {
            return nothing
        }
        let decoder = decoder ?? self.decoder ?? JSONDecoder()
        do { return try decoder.decode(type, from: body) } catch {
            throw RESTClientError(error, decoding: self, decoder)
        }
    }

    /// Returns the body as text, in the encoding of its byte order mark or of the `charset` in `Content-Type`, otherwise in
    /// UTF-8. The mark is not part of the text.
    ///
    /// - Throws: `RESTClientError` of kind `invalidResponse(.undecodableText(charset:))` if the bytes are not valid in the
    ///   encoding, or it is not known.
    public func text() throws -> String {
        let encoding = TextEncoding(of: body, mediaType)
        if let text = encoding.text(of: body) { return text }
        throw RESTClientError(
            .invalidResponse(.undecodableText(charset: encoding.name)), request, response: self)
    }
}

/// A type that has a value for nothing.
protocol NilRepresentable {
    static var nothing: Self { get }
    var isNothing: Bool { get }
}

extension Optional: NilRepresentable {
    static var nothing: Self { nil }
    var isNothing: Bool { self == nil }
}

/// A result type for responses without a body, such as a 204, a 205 or a response to HEAD.
public struct NoContent: Decodable, Hashable, Sendable {
    /// Creates a value.
    public init() {}

    /// Decodes any body.
    public init(from decoder: any Decoder) throws {}
}

/// One attempt of a request, including the redirects that it followed.
public struct Attempt: Sendable {
    /// The status before validation, or the error if there was no response.
    public var outcome: Result<HTTPStatus, RESTClientError>
    /// The time from the creation of the request to the start of the attempt.
    public var start: Duration
    /// The time from the start of the attempt to the head of its last response, or `nil` if there was none.
    public var firstByte: Duration?
    /// The time from the start to the end of the attempt.
    public var duration: Duration
    /// The connection of the last request of the attempt; `nil` if there was none, as with a mock, or nothing is known.
    public var connection: ConnectionMetrics?

    /// Creates an attempt, for example in a test.
    public init(
        outcome: Result<HTTPStatus, RESTClientError>, start: Duration = .zero, firstByte: Duration? = nil,
        duration: Duration = .zero, connection: ConnectionMetrics? = nil
    ) {
        (self.outcome, self.start, self.firstByte, self.duration) = (outcome, start, firstByte, duration)
        self.connection = connection
    }
}
