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

    /// The URL of the request that failed, without user info and with secret query values masked.
    public var url: URL

    /// Head and first 4 KB of the body, if it came to that, without the headers that carry secrets.
    public var response: DataResponse?

    /// The exchanges that were tried, the last one last.
    public var attempts: [Attempt]

    /// The error of the platform, of a decoder or of a body that could not be made, if one is behind this.
    public var underlying: (any Error)?

    /// How far a listing got.
    public var listing: Progress?

    /// What was around the list that was looked for; makes the message say what to try.
    package var shape: Shape?

    /// An error about `request`.
    init(
        _ kind: Kind, _ request: URLRequest, response: DataResponse? = nil, underlying: (any Error)? = nil
    ) {
        self.kind = kind
        method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        url = request.url.flatMap { URL(string: Redaction.url($0)) } ?? URL(filePath: "/")
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
        /// The request cannot be sent as it is; says why. Nothing went to the network, unless it was the file of its body
        /// that changed meanwhile.
        case invalidRequest(String)
        /// The manager was shut down before the request began.
        case shutDown
        /// No answer began.
        case connection(Connection)
        /// A deadline passed.
        case timedOut(Timeout)
        /// A redirect that is refused whatever the policy, or one too many; says why.
        case redirect(String)
        /// The status was not one of those that the validation accepts.
        case status(HTTPStatus)
        /// A credential could not be had, or was not taken.
        case authentication(String)
        /// The answer is not HTTP as the platform reads it; says what it found wrong.
        case invalidResponse(String)
        /// The answer ended before its framing said it would; in bytes.
        case incompleteBody(received: Int64, expected: Int64?)
        /// The body is not JSON; gives the start of what was found, empty for an empty body.
        case notJSON(found: String)
        /// The body begins as JSON and then breaks; says where, in bytes, and how.
        case malformedJSON(offset: Int64, String)
        /// The JSON has another shape than asked for.
        case wrongShape(path: String, expected: String, found: String)
        /// The pages of a listing do not follow one another; says how.
        case pagination(String)
        /// More than a limit allows; names the limit.
        case limit(String)
    }

    /// How a connection failed.
    public enum Connection: Hashable, Sendable {
        /// The name of the host has no address.
        case hostNotFound
        /// Nobody listens at the address.
        case refused
        /// The certificate is not trusted, has expired or names another host, or the handshake failed.
        case tls
        /// The connection was reset before an answer began.
        case reset
        /// The connection was closed without an answer.
        case emptyReply
        /// Something else: see `underlying`.
        case other
    }

    /// Which deadline passed.
    public enum Timeout: Hashable, Sendable {
        /// No byte came or went for too long.
        case idle
        /// All of it together took too long.
        case total
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

    /// What stood where a list was looked for.
    package struct Shape: Hashable, Sendable {
        /// The keys that were there, in order.
        package var keys: [String] = []
        /// Where lists are.
        package var lists: [MemberPath] = []
    }
}
