public import Foundation
public import RESTClientHTTP

/// A failure of a request, with secrets masked.
///
/// A cancelled request throws `CancellationError` instead.
///
/// ```swift
/// do {
///     print(try await client.getAvailableItems())
/// } catch let error as RESTClientError where error.kind == .status(404) {
///     print("the list does not exist")
/// }
/// ```
public struct RESTClientError: Error, Sendable {
    /// The failure.
    public var kind: Kind

    /// The method of the failed request, after redirects.
    public var method: HTTPMethod

    /// The URL of the failed request, without user info and with secret query values masked; `nil` if it has none.
    public var url: URL?

    /// The response, if there was one, without secret headers and with the first 64 KB of its body, or 8 KB of the page of
    /// a list.
    public var response: DataResponse?

    /// A Boolean value that indicates whether the body of ``response`` is only the start of the received body.
    public internal(set) var isBodyTruncated = false

    /// The attempts of the request.
    public var attempts: [Attempt] = []

    /// The action of the request when it failed, or the reason why it was not tried again.
    var remark: String?

    /// The timeout that elapsed.
    var timeLimit: Duration?

    /// The error that caused this one: of URLSession, of a decoder or of an encoder; or the body of the response as
    /// ``RequestOptions/errorType``, in which secrets are not masked.
    public var underlying: (any Error)?

    /// The masked description of `underlying`, if that is the body of the response.
    private(set) var bodyMessage: String??

    /// The progress of a listing before the failure.
    public var listingProgress: ListingProgress?

    /// The pagination that most likely lists all pages, if the pages of a listing cannot be followed.
    public internal(set) var suggestedPagination: PaginationConvention?

    /// A Boolean value that indicates whether the default pagination, `.automatic`, finds a next page where the
    /// pagination of the listing has failed on the first page.
    public internal(set) var isPagedByDefault = false

    /// The change that most likely makes the value decodable, if a decoder failed.
    public internal(set) var suggestedDecoding: DecodingSuggestion?

    /// Creates an error, for example in a test or in an interceptor.
    ///
    /// Secrets in the texts are masked.
    public init(
        _ kind: Kind, method: HTTPMethod = .get, url: URL? = nil, response: DataResponse? = nil,
        underlying: (any Error)? = nil
    ) {
        (self.kind, self.method, self.url) = (kind, method, url)
        (self.response, self.underlying) = (response, underlying)
        mask(response.map { ErrorSecrets($0.request, $0) } ?? ErrorSecrets())
    }

    init(_ kind: Kind, _ request: URLRequest, response: DataResponse? = nil, underlying: (any Error)? = nil) {
        (self.kind, method, url) = (kind, request.method, request.url)
        (self.response, self.underlying) = (response, underlying)
        mask(ErrorSecrets(request, response))
    }

    /// Creates an error for the request of `response`, whose body is not part of the error.
    init(_ kind: Kind, head response: Response<some Sendable>, underlying: (any Error)? = nil) {
        self.init(kind, response.request, response: response.map { _ in Data() }, underlying: underlying)
    }

    /// Returns a copy with `response`, whose secrets are masked everywhere in the error. If its body can be decoded as
    /// `type`, the value is the underlying error.
    func with(_ response: DataResponse, as type: (any (Error & Decodable).Type)?) -> Self {
        let secrets = ErrorSecrets(response.request, response)
        var copy = self
        copy.response = response
        copy.isBodyTruncated = false
        copy.mask(secrets)
        if let type, let body = try? response.decode(type) {
            copy.underlying = body
            copy.bodyMessage = (body as? any LocalizedError)?.errorDescription.map(secrets.masked)
        }
        return copy
    }

    private mutating func mask(_ secrets: ErrorSecrets) {
        kind = kind.mapTexts(secrets.masked)
        url = url.flatMap(secrets.masked)
        response = response.map(secrets.masked)
        underlying = underlying.map(secrets.masked)
        if secrets.isBodyTruncated { isBodyTruncated = true }
    }

    /// The kind of a failure.
    #if hasAttribute(nonexhaustive)
    // Older compilers do not know the attribute. Without it, a client may switch over the cases without `default`.
    @nonexhaustive
    #endif
    public enum Kind: Hashable, Sendable {
        /// The request is not valid and was not sent, or the file of its body changed while it was sent.
        case invalidRequest(InvalidRequest)
        /// The manager was shut down before the request started.
        case shutDown
        /// The connection failed before a response began.
        case connection(ConnectionFailure)
        /// A timeout elapsed.
        case timedOut(Timeout)
        /// A redirect that no policy may follow, or too many redirects.
        case redirect(RedirectFailure)
        /// The validation does not accept the status.
        case status(HTTPStatus)
        /// No valid credential is available.
        case authentication(AuthenticationFailure)
        /// The response is not valid HTTP, or does not fit the request.
        case invalidResponse(InvalidResponse)
        /// The response ended before the body was complete; sizes in bytes.
        case incompleteBody(received: Int64, expected: Int64?)
        /// The body is not JSON; `found` is the start of the body, empty for an empty body. `isHTML` is `true` if the body
        /// starts like an HTML page.
        case notJSON(found: String, isHTML: Bool = false)
        /// The body is JSON up to `offset`, in bytes; `path` is the place in the document (RFC 9535).
        case malformedJSON(offset: Int64, path: String, JSONSyntaxError)
        /// The JSON has another structure than expected at `path`.
        case wrongShape(path: String, expected: ExpectedJSON, found: FoundJSON)
        /// The server says that its list is incomplete; the text is what it says. All items were delivered.
        case incompleteList(String)
        /// The next page of a listing cannot be determined, or must not be requested.
        case pagination(PaginationFailure)
        /// A limit of the options was exceeded.
        case limit(Limit)
        /// A file or directory of this machine could not be used.
        case file(path: String, FileFailure)
    }

    /// The progress of a listing.
    public struct ListingProgress: Hashable, Sendable {
        /// The number of items that were delivered, or, if the list is returned as an array, received.
        public var itemCount: Int
        /// The number of complete pages.
        public var pageCount: Int
        /// The position after those items. `nil` if the listing cannot be resumed, or if the list is returned as an
        /// array.
        public var resume: ResumeToken?
    }
}

extension RESTClientError {
    /// A problem document (RFC 9457), decoded from a body of type `application/problem+json`.
    public struct Problem: Decodable, Hashable, Sendable {
        /// A URI that identifies the type of the problem.
        public var type: URL?
        /// The status set by the origin server.
        public var status: Int?
        /// A summary of the type.
        public var title: String?
        /// An explanation of this occurrence.
        public var detail: String?
        /// A URI that identifies this occurrence.
        public var instance: URL?

        private enum CodingKeys: CodingKey { case type, status, title, detail, instance }

        /// Decodes a problem; members of an unexpected type are ignored (RFC 9457, section 3.1).
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            type = try? members.decode(URL.self, forKey: .type)
            status = try? members.decode(Int.self, forKey: .status)
            title = try? members.decode(String.self, forKey: .title)
            detail = try? members.decode(String.self, forKey: .detail)
            instance = try? members.decode(URL.self, forKey: .instance)
        }
    }

    /// The problem document of the response (RFC 9457), if there is one.
    public var problem: Problem? {
        guard let response, response.mediaType?.essence == MediaType.problemJSON.rawValue else { return nil }
        return try? JSONDecoder().decode(Problem.self, from: response.body)
    }
}

extension RESTClientError {
    /// Returns the decoded body of the response, such as the error object of an API.
    ///
    /// ```swift
    /// catch let error as RESTClientError {
    ///     if let problem = try? error.decode(APIProblem.self) { print(problem.message) }
    /// }
    /// ```
    ///
    /// Secrets in the body are masked; ``RequestOptions/errorType`` is decoded from the unmasked body.
    ///
    /// - Parameters:
    ///   - type: The type of the result.
    ///   - decoder: The decoder. Defaults to `RequestOptions.decoder` of the request.
    /// - Throws: The error itself if there was no response. An error of kind `limit(.errorBodyBytes)` if the body cannot be
    ///   decoded because only its start was kept (``isBodyTruncated``). Otherwise the error of the decoding.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, using decoder: (any DataDecoder)? = nil
    ) throws -> T {
        guard let response else { throw self }
        do { return try response.decode(type, using: decoder) } catch {
            guard isBodyTruncated else { throw error }
            let limit = Limit.errorBodyBytes(ErrorSecrets.maxBodyBytes)
            throw RESTClientError(.limit(limit), response.request, response: response, underlying: error)
        }
    }

    /// A Boolean value that indicates whether a complete response was received that is not the expected JSON: the kinds
    /// `notJSON`, `malformedJSON` and `wrongShape`. Another attempt would most likely fail in the same way.
    public var isDecodingFailure: Bool {
        switch kind {
        case .notJSON, .malformedJSON, .wrongShape: true
        default: false
        }
    }

    /// A Boolean value that indicates whether no complete response was received: the kinds `connection`, `timedOut`,
    /// `incompleteBody` and `invalidResponse`.
    public var isTransportFailure: Bool {
        switch kind {
        case .invalidResponse(.undecodableText): false
        case .connection, .timedOut, .incompleteBody, .invalidResponse: true
        default: false
        }
    }
}

extension RESTClientError {
    /// The time to wait that the response requests with `Retry-After` (RFC 9110, section 10.2.3) or as the reset of an
    /// exhausted rate limit, or that a rate limit in its body states, if it does.
    public var retryAfter: Duration? {
        response.flatMap { response in
            RetryAfter(response.status, response.headers, now: Date())?.delay
                ?? (StatedRateLimit.isPossible(in: response) ? StatedRateLimit(response)?.delay : nil)
        }
    }
}
