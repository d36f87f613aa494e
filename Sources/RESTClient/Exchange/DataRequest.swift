public import Foundation
public import RESTClientHTTP

/// A request that can be modified, and sent any number of times.
///
/// ```swift
/// let search = manager.request(url, query: ["q": "tea"]).timeout(.seconds(5))
/// let coaches = try await search.decode([Coach].self)
/// ```
///
/// A request is a value; the result methods, such as `data()`, send it. Each of them validates the response and runs
/// outside the caller's actor. They throw `RESTClientError`; `CancellationError` as soon as the task is cancelled; and
/// any error of a custom interceptor unchanged.
public struct DataRequest: Sendable {
    /// The `URLRequest` that is passed to the first interceptor, without user info in its URL. It has no body yet: the
    /// body is encoded when the request is sent.
    public internal(set) var urlRequest: URLRequest
    /// The options of this request; initially those of the manager.
    public var options: RequestOptions

    let manager: SessionManager
    var body: RequestBody?
    private(set) var interceptors: [any RequestInterceptor] = []
    private(set) var progressObservers: [ProgressObserver] = []
    /// A function that examines the successful response of each attempt, before the interceptors receive it. It must not
    /// consume the body. If it throws, the attempt fails.
    var check: (@Sendable (Response<ResponseBody>) async throws -> Void)?
    /// The error of the request when it is sent, if it was created with an invalid header.
    private(set) var failure: (any Error)?
    /// The sessions of users to which all pages of a list belong; `nil` for new sessions each time the request is sent.
    var sessions: UserSessions?
    /// A text that is reported as an event when the request is sent.
    var note: String?

    init(_ request: URLRequest, headers: HTTPHeaders, body: RequestBody?, manager: SessionManager) {
        var request = request
        do {
            try request.set(headers)
            if let body, request[.contentType] == nil {
                try request.setHeader(.contentType, to: body.type.rawValue)
            }
            for field in manager.additionalHeaders where request[field.name] == nil {
                try request.setHeader(field.name, to: field.value)
            }
        } catch { failure = error }
        urlRequest = request.withoutUserInfo()
        options = manager.options
        self.manager = manager
        self.body = body
    }

    // MARK: Modifiers

    /// Returns the request with the given total timeout, which includes all attempts, waits, redirects and the body.
    public func timeout(_ total: Duration) -> Self { with { $0.options.timeouts.total = total } }

    /// Returns the request with the given redirect policy.
    public func redirects(_ policy: RedirectPolicy) -> Self { with { $0.options.redirects = policy } }

    /// Returns the request with the given validation.
    public func validation(_ validation: Validation) -> Self { with { $0.options.validation = validation } }

    /// Returns the request with additional interceptors, which run after the existing ones, in the given order.
    public func interceptors(_ interceptors: any RequestInterceptor...) -> Self {
        self.interceptors(interceptors)
    }

    /// Returns the request with additional interceptors, which run after the existing ones, in the given order.
    public func interceptors(_ interceptors: [any RequestInterceptor]) -> Self {
        with { $0.interceptors += interceptors }
    }

    /// Returns the request with an additional handler for the progress of its bodies.
    ///
    /// ```swift
    /// request.progress { self.fraction = $0.fractionCompleted }
    /// ```
    ///
    /// The handler runs on the actor of the code that contains it, such as the main actor, otherwise off the main thread.
    /// Reports that arrive while it is busy are combined. The last call is made before the result is returned.
    public func progress(
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (TransferProgress) -> Void
    ) -> Self {
        with { $0.progressObservers.append(ProgressObserver(report: handler)) }
    }

    /// Returns the request with an additional asynchronous handler for the progress of its bodies.
    public func progress(
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (TransferProgress) async -> Void
    ) -> Self {
        with { $0.progressObservers.append(ProgressObserver(report: handler)) }
    }

    /// Returns the request, and its progress as a sequence that ends when the request has ended.
    ///
    /// ```swift
    /// let (request, progress) = manager.request(url).progressSequence()
    /// async let response = request.download(to: file)
    /// for await report in progress { print(report.received) }
    /// ```
    ///
    /// A slow consumer receives the latest report only. The sequence reports the first time the request is sent.
    public func progressSequence() -> (request: Self, progress: AsyncStream<TransferProgress>) {
        let (progress, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        let source = ProgressSource(continuation)
        let observer = ProgressObserver(report: { source.report($0) }, end: { source.end() })
        return (with { $0.progressObservers.append(observer) }, progress)
    }

    /// Returns the request with `fields`, which replace those with the same names. A field that is not valid is the error of
    /// the request when it is sent.
    public func headers(_ fields: HTTPHeaders) -> Self {
        with { request in
            do { try request.urlRequest.set(fields) } catch { request.failure = request.failure ?? error }
        }
    }

    /// Returns the request with an `Accept` header, unless it has one.
    func accepting(_ type: MediaType?) -> Self {
        with { $0.urlRequest[.accept] = urlRequest[.accept] ?? type?.rawValue }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    var now: Duration { manager.clock.now }

    /// Waits on the manager's clock.
    func pause(_ duration: Duration) async throws {
        try await manager.clock.sleep(until: AnyClock.deadline(duration, after: now))
    }

    // MARK: Results

    /// Returns the response with its body as data.
    @discardableResult @concurrent public func response() async throws -> DataResponse {
        let response = try await manager.perform(self, .buffered)
        if let data = response.body.data { return response.map { _ in data } }
        // An interceptor has returned a stream.
        var data = Data()
        for try await chunk in ByteStream(response.body) {
            data += chunk
            guard data.count <= options.maxBodyBytes else {
                throw RESTClientError(.limit(.bodyBytes(options.maxBodyBytes)), head: response.map { _ in })
            }
        }
        return response.map { [data] _ in data }
    }

    /// Returns the response with its decoded body.
    ///
    /// ```swift
    /// let response = try await manager.request(url).response(as: [Coach].self)
    /// print(response.headers[.eTag] ?? "", response.body.count)
    /// ```
    @concurrent public func response<T: Decodable & Sendable>(
        as type: T.Type, using decoder: (any DataDecoder)? = nil
    ) async throws -> Response<T> {
        let response = try await accepting((decoder ?? options.decoder).mediaType).response()
        return try response.map { _ in try response.decode(type, using: decoder) }
    }

    /// Returns the body as data.
    @discardableResult @concurrent public func data() async throws -> Data { try await response().body }

    /// Returns the body as text, in the encoding of its byte order mark or of the `charset` in `Content-Type`, otherwise in
    /// UTF-8.
    ///
    /// - Throws: `RESTClientError`; of kind `invalidResponse(.undecodableText(charset:))` if the bytes are not valid in the
    ///   encoding, or it is not known. Use ``data()`` for the bytes.
    @concurrent public func string() async throws -> String { try await response().text() }

    /// Returns the decoded body. An empty body decodes only to `NoContent`, and that of a response without a body, such as a
    /// 204, also to `nil`.
    ///
    /// - Parameters:
    ///   - type: The type of the result.
    ///   - decoder: The decoder. Defaults to `RequestOptions.decoder`.
    @concurrent public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, using decoder: (any DataDecoder)? = nil
    ) async throws -> T {
        try await response(as: type, using: decoder).body
    }

    /// Returns the response as soon as its head has been received. The body is a stream of bytes.
    ///
    /// The request remains in progress until the body has been read or the stream has been released.
    @concurrent public func stream() async throws -> StreamingResponse {
        try await manager.perform(self, .streamed).map(ByteStream.init)
    }
}

/// Result methods with completion handlers. A handler is called once, off the main thread unless it is marked with
/// `@MainActor`. Cancel the returned task to cancel the request.
extension DataRequest {
    /// Calls `completion` with the response and its body as data.
    @discardableResult public func response(
        completion: @escaping @isolated(any) @Sendable (Result<DataResponse, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task { await completion(await Result { try await response() }) }
    }

    /// Calls `completion` with the body as data.
    @discardableResult public func data(
        completion: @escaping @isolated(any) @Sendable (Result<Data, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task { await completion(await Result { try await data() }) }
    }

    /// Calls `completion` with the body as text.
    @discardableResult public func string(
        completion: @escaping @isolated(any) @Sendable (Result<String, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task { await completion(await Result { try await string() }) }
    }

    /// Calls `completion` with the decoded body.
    @discardableResult public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, using decoder: (any DataDecoder)? = nil,
        completion: @escaping @isolated(any) @Sendable (Result<T, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task { await completion(await Result { try await decode(type, using: decoder) }) }
    }
}

extension Result where Failure == any Error {
    init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
