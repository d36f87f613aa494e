public import Foundation
import HTTPCore

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
    public private(set) var urlRequest: URLRequest
    /// What it does differently from its manager.
    public var options: RequestOptions

    private let manager: SessionManager
    private let body: RequestBody?
    private var inner: [any RequestInterceptor] = []

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

    // MARK: Results

    /// The response with its whole body.
    @concurrent public func response() async throws -> DataResponse {
        let flight = try manager.takeOff(urlRequest, total: options.timeouts.total)
        defer { manager.land(flight) }
        if let url = urlRequest.url {
            flight.report(.created(HTTPMethod(rawValue: urlRequest.httpMethod ?? "GET"), url))
        }
        do {
            let response = try await respond(flight)
            flight.report(.finished(.success(response.status)))
            return response
        } catch {
            let error = known(error, flight)
            flight.report(.finished(.failure(error)))
            throw error
        }
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

    // MARK: Through the interceptors

    private func respond(_ flight: Flight) async throws -> DataResponse {
        try Task.checkCancellation()
        var request = urlRequest
        if let body { request.httpBody = try cooked(body) }

        let wire = Wire(manager: manager, options: options, flight: flight)
        let context = RequestContext(delivery: .buffered, body: nil, flight: flight)
        var next = Next { try await wire.send($0) }
        for interceptor in (manager.interceptors + inner).reversed() {
            let inward = next
            next = Next { try await interceptor.intercept($0, context: context, next: inward) }
        }

        var response = try await next(request).map { $0.data ?? Data() }
        response.attempts = flight.attempts
        try options.validation.validate(response)
        return response
    }

    private func cooked(_ body: RequestBody) throws -> Data {
        do {
            return try body.cook()
        } catch {
            throw RESTClientError(.invalidRequest("its body cannot be made"), urlRequest, underlying: error)
        }
    }

    /// `error` with what only the request as a whole knows.
    private func known(_ error: any Error, _ flight: Flight) -> any Error {
        if error is DeadlineFailure {
            var late = RESTClientError(.timedOut(.total), urlRequest)
            late.attempts = flight.attempts
            return late
        }
        guard var error = error as? RESTClientError else { return error }
        error.attempts = flight.attempts
        return error
    }
}
