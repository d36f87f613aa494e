public import Foundation
public import RESTClientHTTP

/// Sends GET requests with the validators of earlier responses, and answers a 304 with the stored response.
///
/// ```swift
/// let manager = SessionManager(interceptors: [.bearer(token, for: api), .conditional()])
/// ```
///
/// Every request is sent: a stored response is used only if the server confirms it with 304 Not Modified. Many servers, such
/// as GitHub, do not count these responses against a rate limit.
///
/// A response is stored if its status is 200, it has an `ETag` or a `Last-Modified`, its `Cache-Control` does not contain
/// `no-store`, it was not redirected, and its body is complete and has at most `maxBodyBytes`. It is used for requests with
/// the same URL, the same `Accept`, the same values of the fields in `Vary`, and the same credentials, even if `Vary` does
/// not name them: `Authorization`, `Cookie`, and all others that descriptions mask, such as `X-Api-Key`. Add the interceptor
/// after those that change these fields: if a credential is added later, the response is not stored. If the stored responses
/// exceed `maxBytes`, those that were not used for the longest time are removed. Requests with a range or with validators of
/// the caller are not changed. A download can be answered with a stored response, but is not stored.
public final class ConditionalRequests: RequestInterceptor {
    private let store: any ResponseStore
    private let maxBodyBytes: Int

    /// Creates an interceptor that stores responses in memory.
    public init(maxBytes: Int = 16 << 20, maxBodyBytes: Int = 2 << 20) {
        store = MemoryResponseStore(maxBytes: maxBytes)
        self.maxBodyBytes = maxBodyBytes
    }

    /// Creates an interceptor that stores responses in files, which are kept when the process ends.
    ///
    /// The bodies are stored unchanged, the URLs with their secrets masked, and the values of the request fields that select
    /// a response as short hashes, from which a weak password could be guessed. The directory is created with the mode 0700,
    /// and its files with the mode 0600, so that only their owner can read them.
    ///
    /// - Parameters:
    ///   - directory: A directory for this purpose. It is created if it does not exist.
    ///   - maxBytes: The maximum size of all responses. Defaults to 64 MB.
    ///   - maxBodyBytes: The maximum size of a stored body. Defaults to 8 MB.
    public init(directory: URL, maxBytes: Int = 64 << 20, maxBodyBytes: Int = 8 << 20) throws {
        store = try FileResponseStore(directory, maxBytes: maxBytes)
        self.maxBodyBytes = maxBodyBytes
    }

    /// Removes all stored responses.
    public func removeAll() { store.removeAll() }

    /// Sends `request` with the validators of its stored response, if there is one.
    public func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        guard request.method == .get, !Self.callersFields.contains(where: { request[$0] != nil }),
            let key = StoredResponse.key(of: request)
        else { return try await next(request) }
        let stored = store[key].flatMap { $0.matches(request) ? $0 : nil }
        var conditional = request
        conditional[.ifNoneMatch] = stored?.headers[.eTag]
        conditional[.ifModifiedSince] = stored?.headers[.lastModified]
        let response = try await next(conditional)
        // A response after a redirect is about another resource, and one to a credential that was added later can be for
        // another user.
        let isSame =
            response.redirects.isEmpty
            && StoredResponse.credentials(of: response.request) == StoredResponse.credentials(of: conditional)
        if let stored, response.status == 304 {
            guard isSame else {
                store[key] = nil
                return try await next(request)
            }
            context.note("304 Not Modified: the stored response is used")
            let updated = stored.updated(by: response.headers)
            store[key] = updated
            return updated.response(to: request, context.delivery)
        }
        guard response.status == 200, isSame,
            let unstored = StoredResponse(response.headers, to: request)
        else {
            if response.status.isSuccess { store[key] = nil }
            return response
        }
        return response.map { body in keeping(body, of: unstored, key) }
    }

    /// Stores a complete body, or one that is read completely.
    private func keeping(_ body: ResponseBody, of response: StoredResponse, _ key: String) -> ResponseBody {
        switch body {
        case .data(let data):
            store[key] = data.count <= maxBodyBytes ? response.with(data) : nil
            return body
        case .stream(let stream) where stream.isFile: return body
        case .stream(let stream):
            return .stream(
                ByteStream(
                    CopiedChunks(source: stream, limit: maxBodyBytes) { [store] data in
                        store[key] = data.map { response.with($0) }
                    }))
        }
    }

    private static let callersFields: [HTTPHeaders.Name] = [
        .range, .ifNoneMatch, .ifModifiedSince, "If-Match", "If-Unmodified-Since", .ifRange,
    ]
}

extension RequestInterceptor where Self == ConditionalRequests {
    /// Sends GET requests with the validators of earlier responses, and answers a 304 with the response stored in memory.
    public static func conditional(maxBytes: Int = 16 << 20, maxBodyBytes: Int = 2 << 20) -> Self {
        ConditionalRequests(maxBytes: maxBytes, maxBodyBytes: maxBodyBytes)
    }

    /// Sends GET requests with the validators of earlier responses, and answers a 304 with the response stored in
    /// `directory`.
    public static func conditional(
        directory: URL, maxBytes: Int = 64 << 20, maxBodyBytes: Int = 8 << 20
    ) throws -> Self {
        try ConditionalRequests(directory: directory, maxBytes: maxBytes, maxBodyBytes: maxBodyBytes)
    }
}

/// The chunks of a stream, which are passed on when all have been read.
private struct CopiedChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let source: ByteStream
    let limit: Int
    /// Receives the whole body, or `nil` if it is larger than `limit`.
    let completion: @Sendable (Data?) -> Void

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: source.makeAsyncIterator(), limit: limit, completion: completion)
    }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: ByteStream.AsyncIterator
        let limit: Int
        let completion: @Sendable (Data?) -> Void
        var body: Data? = Data()

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard let chunk = try await chunks.next(isolation: actor) else {
                completion(body)
                return nil
            }
            body?.append(chunk)
            if let count = body?.count, count > limit { body = nil }
            return chunk
        }
    }
}
