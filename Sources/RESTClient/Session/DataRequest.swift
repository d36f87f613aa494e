public import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// One request, not sent yet: a value to keep, change, and send as often as wanted.
///
/// ```swift
/// let search = manager.request(url, query: ["q": "tea"]).timeout(.seconds(5))
/// let coaches = try await search.decode([Coach].self)
/// ```
///
/// Asking for a result sends it. Every result validates the response, leaves the caller's actor for the work, and
/// throws `RESTClientError`, or `CancellationError` at once when the task is cancelled; errors of your own
/// interceptors come as they are.
public struct DataRequest: Sendable {
    /// The request as interceptors get it first; its URL has no user info. The body is cooked when it is sent.
    public internal(set) var urlRequest: URLRequest
    /// What it does differently from its manager.
    public var options: RequestOptions

    private let manager: SessionManager
    private let body: RequestBody?
    private var inner: [any RequestInterceptor] = []
    private var report: (@Sendable (TransferProgress) -> Void)?
    /// Applied to each attempt's successful response, inside the interceptors: an error that it throws fails the attempt.
    var transformResponse: (@Sendable (Response<ResponseBody>) async throws -> Response<ResponseBody>)?
    /// Reported as an event when the request is sent.
    var note: String?

    init(_ request: URLRequest, headers: HTTPHeaders, body: RequestBody?, manager: SessionManager) {
        var request = request
        request.set(headers)
        if let body, request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue(body.type.rawValue, forHTTPHeaderField: "Content-Type")
        }
        for field in manager.additionalHeaders
        where request.value(forHTTPHeaderField: field.name.rawValue) == nil {
            request.setValue(field.value, forHTTPHeaderField: field.name.rawValue)
        }
        urlRequest = request.withoutUserInfo()
        options = manager.options
        self.manager = manager
        self.body = body
    }

    /// With another limit for everything together: attempts, waits, redirects and body.
    public func timeout(_ total: Duration) -> Self { changed { $0.options.timeouts.total = total } }

    /// With another policy for redirects.
    public func redirects(_ policy: RedirectPolicy) -> Self { changed { $0.options.redirects = policy } }

    /// With another view of what counts as success.
    public func validation(_ validation: Validation) -> Self {
        changed { $0.options.validation = validation }
    }

    /// With interceptors inside those it has, the first one outermost.
    public func interceptors(_ inner: any RequestInterceptor...) -> Self { changed { $0.inner += inner } }

    /// What there is to show of the body.
    var curlContent: CURLCommand.Content? {
        if let data = urlRequest.httpBody { return .data(data) }
        if urlRequest.httpBodyStream != nil { return .unknown }
        return body.map { $0.preview() ?? .unknown }
    }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// With an `Accept` header, unless it has one.
    func accepting(_ type: MediaType) -> Self {
        guard urlRequest.value(forHTTPHeaderField: "Accept") == nil else { return self }
        return changed { $0.urlRequest.setValue(type.rawValue, forHTTPHeaderField: "Accept") }
    }

    /// With somebody who hears how far the bodies got, off URLSession's queues; the last report comes before the result.
    public func progress(_ report: @escaping @Sendable (TransferProgress) -> Void) -> Self {
        changed { $0.report = report }
    }

    /// The time on the manager's timeline.
    var now: Duration { manager.timeline.now }

    // MARK: Results

    /// The response with its whole body.
    @concurrent public func response() async throws -> DataResponse {
        try await send(.buffered).map { $0.data ?? Data() }
    }

    /// The whole body.
    @concurrent public func data() async throws -> Data { try await response().body }

    /// The whole body as text: UTF-8 with what is invalid replaced, unless the response says Latin-1.
    @concurrent public func string() async throws -> String { try await response().text }

    /// The body decoded from JSON; an empty body decodes to `NoContent` only.
    @concurrent public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, using decoder: JSONDecoder = JSONDecoder()
    ) async throws -> T {
        try await accepting(.json).response().decode(type, using: decoder)
    }

    /// The response with its body still arriving: status and headers first, then the bytes as they come.
    ///
    /// The request is in flight until the body is read, left or dropped.
    @concurrent public func stream() async throws -> StreamingResponse {
        try await stream(progress: nil)
    }

    private func stream(progress: ProgressReporter?) async throws -> StreamingResponse {
        try await send(.streamed, progress: progress).map { body in
            switch body {
            case .stream(let stream): stream
            case .data(let data): ByteStream(data)
            }
        }
    }

    /// The body in a file, which is there only when it is whole; one that was there before is replaced.
    ///
    /// Until then the bytes are in a hidden file beside it, which goes when the download fails or is cancelled. A symbolic
    /// link stays, and what it leads to is replaced. What is no file, such as a device or a folder, is an error.
    ///
    /// - Parameters:
    ///   - file: where the body goes; its folder must be there.
    ///   - resuming: leaves what has come for another time, which goes on from there if the server's file is still the
    ///     same (`Range`, `If-Range`: RFC 9110, section 13.1.5), and begins again otherwise.
    @concurrent public func download(to file: URL, resuming: Bool = false) async throws -> Response<URL> {
        let download = Download(to: file, isResumable: resuming)
        if let failure = download.obstacle { throw RESTClientError(failure, urlRequest) }
        let reporter = report.map { ProgressReporter($0) }
        let result: Result<Response<URL>, any Error>
        do {
            result = .success(try await received(by: download, progress: reporter))
        } catch {
            result = .failure(error)
        }
        await reporter?.drain()
        return try result.get()
    }

    private func received(
        by download: Download, progress: ProgressReporter?
    ) async throws -> Response<URL> {
        let headers = download.headers
        let request = changed { $0.urlRequest.set(headers) }
        do {
            return try await download.receive(try await request.stream(progress: progress))
        } catch let error as RESTClientError where error.kind == .status(416) && headers[.range] != nil {
            // What is left over does not belong to that file any more.
            download.startOver()
            let whole = changed { $0.urlRequest.set(download.headers) }
            return try await download.receive(try await whole.stream(progress: progress))
        }
    }

    // MARK: Through the interceptors

    /// Sends the request and validates the response; the flight lands when its body has ended.
    private func send(
        _ delivery: RequestContext.Delivery, progress reporter: ProgressReporter? = nil
    ) async throws -> Response<ResponseBody> {
        let flight = try manager.takeOff(urlRequest, total: options.timeouts.total)
        if let url = urlRequest.url {
            flight.report(.created(HTTPMethod(rawValue: urlRequest.httpMethod ?? "GET"), url))
        }
        if let note { flight.report(.note(note)) }
        let reporter = reporter ?? report.map { ProgressReporter($0) }
        do {
            var response =
                mayWaitElsewhere
                ? try await flight.run(watchedBy: manager.deadlines) {
                    try await validated(answer(delivery, flight, reporter))
                } : try await validated(answer(delivery, flight, reporter))
            response.attempts = flight.attempts
            guard case .stream(let stream) = response.body else {
                await reporter?.drain()
                land(flight, .success(response.status))
                return response
            }
            let status = response.status
            let ticket = try flight.attach(stream.cancel)
            stream.onEnd { error in
                flight.detach(ticket)
                let error = error.map { known($0, flight) }
                land(flight, error.map { .failure($0) } ?? .success(status))
                return error
            }
            return response
        } catch {
            if !(error is CancellationError) { await reporter?.drain() }
            let error = known(error, flight)
            land(flight, .failure(error))
            throw error
        }
    }

    /// Whether anything but exchanges, which a flight reaches by itself, can hold it up. Only then it runs in a task of its
    /// own: that is one more turn on the cooperative pool for each request.
    private var mayWaitElsewhere: Bool { body != nil || !manager.interceptors.isEmpty || !inner.isEmpty }

    private func land(_ flight: Flight, _ result: Result<HTTPStatus, any Error>) {
        flight.report(.finished(result))
        manager.land(flight)
    }

    private func answer(
        _ delivery: RequestContext.Delivery, _ flight: Flight, _ reporter: ProgressReporter?
    ) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        var request = urlRequest
        var file: BodyFile?
        switch try await cooked() {
        case .data(let data): request.httpBody = data
        case .file(let body): file = body
        case nil: break
        }
        let wire = Wire(
            manager: manager, options: options, delivery: delivery, flight: flight, file: file,
            progress: reporter, transformResponse: transformResponse)
        let context = RequestContext(
            delivery: delivery, body: file == nil ? nil : body, manager: manager, flight: flight)
        var next = Next { try await wire.send($0) }
        for interceptor in (manager.interceptors + inner).reversed() {
            let inward = next
            next = Next { try await interceptor.intercept($0, context: context, next: inward) }
        }
        return try await next(request)
    }

    private func cooked() async throws -> RequestBody.Cooked? {
        do {
            return try await body?.cook()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // What it fails with while it is being cancelled says nothing about it.
            try Task.checkCancellation()
            let kind = (error as? FileError).map { RESTClientError.Kind.file(path: $0.path, $0.failure) }
            throw RESTClientError(
                kind ?? .invalidRequest(.bodyEncodingFailed), urlRequest, underlying: error)
        }
    }

    /// `response`, if it is what the validation takes for success; else an error with the start of the body.
    private func validated(_ response: Response<ResponseBody>) async throws -> Response<ResponseBody> {
        do {
            try options.validation.check(response.map { _ in })
            return response
        } catch var error as RESTClientError {
            var start = Data()
            switch response.body {
            case .data(let data): start = data
            case .stream(let stream):
                do {
                    for try await chunk in stream {
                        start += chunk
                        if start.count >= Self.keptOfErrors { break }
                    }
                } catch let error as CancellationError {
                    throw error
                } catch {
                    // The status says more than a body that broke off.
                }
            }
            error.response = response.map { _ in start }.scrubbed()
            throw error
        }
    }

    private static let keptOfErrors = 4096

    /// `error` with what only the request as a whole knows.
    private func known(_ error: any Error, _ flight: Flight) -> any Error {
        let isLate = flight.isLate && error is CancellationError && !Task.isCancelled
        if isLate || error is DeadlineFailure {
            var late = RESTClientError(.timedOut(.total), urlRequest)
            late.attempts = flight.attempts
            return late
        }
        guard var error = error as? RESTClientError else { return error }
        error.attempts = flight.attempts
        return error
    }
}
