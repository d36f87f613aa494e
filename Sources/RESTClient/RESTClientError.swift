public import Foundation
public import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What went wrong, with which request, and what to try; secrets masked.
///
/// A cancelled call throws `CancellationError` instead, never this.
///
/// ```swift
/// do {
///     print(try await client.getAvailableItems())
/// } catch let error as RESTClientError where error.kind == .status(404) {
///     print("no such list")
/// }
/// ```
public struct RESTClientError: Error, Sendable {
    /// What happened.
    public var kind: Kind

    /// The method of the request that failed: the last one sent, after redirects.
    public var method: HTTPMethod

    /// The URL of the request that failed, without user info and with secret query values masked; `nil` if it has none.
    public var url: URL?

    /// Head and first 4 KB of the body, if it came to that, without the headers that carry secrets.
    public var response: DataResponse?

    /// The exchanges that were tried, the last one last.
    public var attempts: [Attempt]

    /// The error of the platform, of a decoder or of a body that could not be made, if one is behind this.
    public var underlying: (any Error)?

    /// How far a listing got.
    public var listing: Progress?

    /// An error about `request`.
    init(
        _ kind: Kind, _ request: URLRequest, response: DataResponse? = nil, underlying: (any Error)? = nil
    ) {
        self.kind = kind
        method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        url = request.url.flatMap { URL(string: Redaction.url($0)) }
        self.response = response?.scrubbed()
        attempts = []
        self.underlying = underlying.map(Self.scrubbed)
    }

    /// The platform writes the whole URL into its errors.
    private static func scrubbed(_ error: any Error) -> any Error {
        guard let error = error as? URLError else { return error }
        return URLError(
            error.code,
            userInfo: [NSLocalizedDescriptionKey: Redaction.text(withURLs: error.localizedDescription)])
    }

    /// What went wrong.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Hashable, Sendable {
        /// The request is not valid and was not sent, or the file of its body changed while it was sent.
        case invalidRequest(InvalidRequest)
        /// The manager was shut down before the request started.
        case shutDown
        /// The connection failed before a response began.
        case connection(Connection)
        /// A timeout elapsed.
        case timedOut(Timeout)
        /// A redirect was refused for any policy, or there were too many.
        case redirect(RedirectFailure)
        /// The status is not one that the validation accepts.
        case status(HTTPStatus)
        /// No valid credential is available.
        case authentication(AuthenticationFailure)
        /// The response is not valid HTTP, or does not fit the request.
        case invalidResponse(InvalidResponse)
        /// The response ended before its framing said that it would; sizes in bytes.
        case incompleteBody(received: Int64, expected: Int64?)
        /// The body is not JSON; `found` is the start of the body, empty for an empty body.
        case notJSON(found: String)
        /// The body is JSON up to `offset`, in bytes; `path` is the place in the document (RFC 9535).
        case malformedJSON(offset: Int64, path: String, JSONSyntaxError)
        /// The JSON has another structure than expected at `path`.
        case wrongShape(path: String, expected: ExpectedJSON, found: FoundJSON)
        /// The next page of a listing cannot be determined, or must not be requested.
        case pagination(PaginationFailure)
        /// A limit of the options was exceeded.
        case limit(Limit)
        /// A file or folder of this machine could not be used.
        case file(path: String, FileFailure)
    }

    /// How far a listing got before it failed.
    public struct Progress: Hashable, Sendable {
        /// Items handed out; of a list that is given as a whole, those that had come.
        public var items: Int
        /// Pages read to their end.
        public var pages: Int
        /// Where to go on behind those items; `nil` where going on would not help, and of a list that is given as a whole,
        /// because its items are gone.
        public var resume: ResumeToken?
    }
}

extension RESTClientError {
    /// A problem as a server describes it (RFC 9457), from a body of type `application/problem+json`.
    public struct Problem: Decodable, Hashable, Sendable {
        /// Names the kind of problem.
        public var type: URL?
        /// The status, as the server that had the problem gave it.
        public var status: Int?
        /// Says what kind of problem it is.
        public var title: String?
        /// Says what happened this time.
        public var detail: String?
        /// Names this time.
        public var instance: URL?

        private enum CodingKeys: CodingKey { case type, status, title, detail, instance }

        /// Reads an object; a member of another type than it should have counts as missing (RFC 9457, section 3.1).
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            type = try? members.decode(URL.self, forKey: .type)
            status = try? members.decode(Int.self, forKey: .status)
            title = try? members.decode(String.self, forKey: .title)
            detail = try? members.decode(String.self, forKey: .detail)
            instance = try? members.decode(URL.self, forKey: .instance)
        }
    }

    /// The problem as the server described it (RFC 9457), if it did.
    public var problem: Problem? {
        guard let response, response.mediaType?.essence == MediaType.problemJSON.rawValue else { return nil }
        return try? JSONDecoder().decode(Problem.self, from: response.body)
    }
}

extension RESTClientError {
    /// The delay that the response requests with `Retry-After` (RFC 9110, section 10.2.3), if it does.
    public var retryAfter: Duration? { response.flatMap { RetryAfter.delay(in: $0.headers, now: Date()) } }
}
