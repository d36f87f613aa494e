import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// Executes a request: encodes its body, calls the interceptors, and performs each attempt with its redirects.
struct RequestExecutor: Sendable {
    let request: DataRequest
    let delivery: RequestContext.Delivery
    let manager: SessionManager
    let task: RequestTask
    let progress: ProgressReporter?

    /// Returns the validated response of the request.
    func response() async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        if let failure = request.failure { throw failure }
        var urlRequest = request.urlRequest
        var file: BodyFile?
        switch try await encodedBody() {
        case .data(let data): urlRequest.httpBody = data
        case .file(let body): file = body
        case nil: break
        }
        let interceptors = manager.interceptors + request.interceptors
        guard !interceptors.isEmpty else {
            return try await validated(try await attempt(urlRequest, file: file))
        }
        let context = RequestContext(
            delivery: delivery, body: file == nil ? nil : request.body, manager: manager, task: task)
        var next = Next { [file] in try await attempt($0, file: file) }
        for interceptor in interceptors.reversed() {
            let inner = next
            next = Next { try await interceptor.intercept($0, context: context, next: inner) }
        }
        return try await validated(try await next(urlRequest))
    }

    private func encodedBody() async throws -> EncodedBody? {
        guard let body = request.body else { return nil }
        let timeout = request.options.timeouts.idle.map { BodyTimeout($0, of: task) }
        let token = timeout.map { manager.transport.deadlines.add($0, due: $0.firstCheck) }
        defer { if let token { manager.transport.deadlines.remove(token) } }
        do {
            return try await body.encode(with: request.options.encoder) { timeout?.awaitsPart($0) }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // An error during cancellation is a consequence of the cancellation.
            try Task.checkCancellation()
            let kind = (error as? TransportError)?.kind ?? .invalidRequest(.bodyEncodingFailed)
            throw RESTClientError(kind, request.urlRequest, underlying: error)
        }
    }

    /// Returns `response` if the validation accepts it. Otherwise, throws the error of the validation with the start of
    /// the body.
    private func validated(_ response: Response<ResponseBody>) async throws -> Response<ResponseBody> {
        do {
            try request.options.validation.check(response.map { _ in })
            return response
        } catch let error as RESTClientError {
            var bodyPrefix = Data()
            do {
                for try await chunk in ByteStream(response.body) {
                    bodyPrefix += chunk
                    if bodyPrefix.count >= Self.maxErrorBodyBytes { break }
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                // The error for the status is more useful than an error for its body.
            }
            var response = response.map { _ in bodyPrefix }
            response.decoder = request.options.decoder
            throw error.with(response, as: request.options.errorType)
        }
    }

    private static let maxErrorBodyBytes = 2 * ErrorSecrets.maxBodyBytes

    // MARK: Attempts

    /// Performs one attempt with its redirects, and records it.
    private func attempt(_ first: URLRequest, file: BodyFile?) async throws -> Response<ResponseBody> {
        let number = try manager.beginAttempt(of: task, first)
        let startTime = manager.clock.now
        task.report(.attempt(number))
        var known = Known()
        func attempt(_ outcome: Result<HTTPStatus, RESTClientError>) -> Attempt {
            Attempt(
                outcome: outcome, start: startTime - task.created,
                firstByte: known.headTime.map { $0 - startTime },
                duration: manager.clock.now - startTime, connection: known.connection)
        }
        do {
            let response = try await response(to: first, file: file, &known)
            if response.status.isSuccess { try await request.check?(response) }
            let index = task.addAttempt(attempt(.success(response.status)))
            guard case .stream(let stream) = response.body else {
                manager.endUse(of: task)
                return response
            }
            stream.onEnd { error in
                let total = manager.clock.now - startTime
                task.finishAttempt(index, total: total, failure: error as? RESTClientError)
                manager.endUse(of: task)
                return error
            }
            return response
        } catch {
            if let failure = error as? RESTClientError { task.addAttempt(attempt(.failure(failure))) }
            manager.endUse(of: task)
            task.attemptHasFailed(error)
            throw error
        }
    }

    /// Returns the response to a request after its redirects.
    private func response(
        to first: URLRequest, file: BodyFile?, _ known: inout Known
    ) async throws -> Response<ResponseBody> {
        var redirects: [RedirectPolicy.Redirect] = []
        do {
            var file = first.httpBody == nil ? file : nil
            var urlRequest = try first.checked(hasFile: file != nil)
            var response = try await send(urlRequest, file: file, &known)
            while let redirect = try Redirects.redirect(
                number: redirects.count + 1, after: response, hasFile: file != nil),
                let next = request.options.redirects.decide(redirect)
            {
                let max = request.options.redirects.max
                guard redirect.number <= max else {
                    let target = redirect.proposed.url.map { Redaction.url($0) } ?? ""
                    throw RESTClientError(.redirect(.tooMany(max: max, to: target)), head: response)
                }
                if !redirect.keepsBody || !next.allowsBody { file = nil }
                urlRequest = try Redirects.checked(next, for: redirect, after: response, hasFile: file != nil)
                task.report(.redirect(redirect.status, to: urlRequest.url))
                redirects.append(redirect)
                response = try await send(urlRequest, file: file, &known)
            }
            response.redirects = redirects
            return response
        } catch var error as RESTClientError {
            if case .invalidRequest(.rejected(let text)) = error.kind, !redirects.isEmpty {
                let target = error.url.map { Redaction.url($0) } ?? ""
                error.kind = .redirect(.refused(.invalidRequest(.rejected(text)), to: target))
            }
            throw error
        }
    }

    /// The facts about the last request of an attempt.
    private struct Known {
        var headTime: Duration?
        var connection: ConnectionMetrics?
    }

    /// Sends one URLRequest, without redirects.
    private func send(
        _ urlRequest: URLRequest, file: BodyFile?, _ known: inout Known
    ) async throws -> Response<ResponseBody> {
        try check(file, urlRequest)
        let transfer = TransportTask(
            urlRequest, file: file, progress: progress, over: manager.transport,
            isStreamed: delivery == .streamed, awaitsShortBody: request.check != nil,
            options: request.options, deadline: task.deadline)
        let token = try task.addCancellationHandler(for: transfer) { [task] in
            // A task that is cancelled at its deadline ends with the timeout.
            _ = transfer.deadlineReached()
            transfer.cancel()
            task.awaitAttempt()
        }
        do {
            let received = try await transfer.response()
            known = Known(headTime: received.headTime, connection: received.connection)
            do { try check(file, urlRequest, received.head) } catch {
                transfer.cancel()
                throw error
            }
            let status = HTTPStatus(rawValue: received.head.status)
            task.report(.responseHead(status), at: received.headTime)
            var body = received.body
            if let body, delivery == .buffered {
                // A stream reports what was received when it ends. The length is that of the encoded body.
                task.report(.received(bytes: Int64(body.count), of: received.head.contentLength))
            } else if body == nil, !status.isSuccess {
                do {
                    body = try await transfer.collect(upTo: Self.maxCollectedBytes)
                } catch let error as TransportError {
                    // The stream has what was received of the body.
                    guard keepsResponse(Response(received.head, to: urlRequest, body: ()), after: error)
                    else {
                        throw error
                    }
                }
            }
            if let body {
                // A cancellation waits for the error of this attempt.
                guard task.removeCancellationHandler(token) else { throw CancellationError() }
                let isStreamed = delivery == .streamed && status.isSuccess
                return Response(
                    received.head, to: urlRequest, body: isStreamed ? .stream(ByteStream(body)) : .data(body))
            }
            let stream = ByteStream(transfer) { [task] error in
                task.removeCancellationHandler(token)
                return (error as? TransportError).map { RESTClientError($0, urlRequest) } ?? error
            }
            // It also covers a transfer that has ended before the consumer has read all bytes.
            try task.replaceCancellationHandler(token) { transfer.abandon() }
            return Response(received.head, to: urlRequest, body: .stream(stream))
        } catch {
            task.removeCancellationHandler(token)
            guard let error = error as? TransportError else { throw error }
            known.connection = error.connection
            if error.kind == .timedOut(.total) { task.awaitAttempt() }
            try check(file, urlRequest, error.head)
            if let head = error.head {
                let response = Response(head, to: urlRequest, body: ResponseBody.data(error.body))
                if keepsResponse(response.map { _ in }, after: error) { return response }
            }
            throw RESTClientError(error, urlRequest)
        }
    }

    /// Returns `true` for a response with the status of an error that the validation does not accept, whose body is damaged. The
    /// status says more about the failure than the end of the body.
    private func keepsResponse(_ head: ResponseHead, after error: TransportError) -> Bool {
        switch error.kind {
        case .incompleteBody, .invalidResponse(.invalidContentEncoding), .timedOut(.idle),
            .limit(.bodyBytes), .limit(.streamBytes):
            guard head.status.rawValue >= 400, !request.options.validation.accepts(head) else { return false }
            task.report(.note("the status is the error: \(RESTClientError(error, head.request).failure)"))
            return true
        default: return false
        }
    }

    /// Throws if the file of the body has changed. In that case the server received another body, and its response is
    /// not valid.
    private func check(_ file: BodyFile?, _ urlRequest: URLRequest, _ head: ReceivedHead? = nil) throws {
        guard let failure = file?.invalidity else { return }
        throw RESTClientError(
            .invalidRequest(failure), urlRequest,
            response: head.map { Response($0, to: urlRequest, body: Data()) })
    }

    /// The maximum size of an error or redirect body that is read completely even if the result is a stream.
    /// Interceptors and errors use this body, and reading it frees the connection for the next request.
    private static let maxCollectedBytes = 64 << 10
}

/// The idle timeout of a body while its parts are received from a sequence.
private final class BodyTimeout: DeadlineHandler {
    private let idle: Duration
    private let task: RequestTask
    /// The time at which the next part must have been received, or `nil` while none is awaited.
    private let due = LockedState<Duration?>(nil)

    init(_ idle: Duration, of task: RequestTask) { (self.idle, self.task) = (idle, task) }

    var firstCheck: Duration { AnyClock.deadline(idle, after: task.clock.now) }

    func awaitsPart(_ isWaiting: Bool) {
        let next = isWaiting ? AnyClock.deadline(idle, after: task.clock.now) : nil
        due.withLock { $0 = next }
    }

    func deadlineReached() -> Duration? {
        guard !task.isCancelled else { return nil }
        let now = task.clock.now
        let next = due.withLock { $0 } ?? AnyClock.deadline(max(idle, .milliseconds(1)), after: now)
        guard next <= now else { return next }
        task.cancel(because: .idle)
        return nil
    }
}

extension Response {
    fileprivate init(_ head: ReceivedHead, to request: URLRequest, body: Body) {
        self.init(
            to: request, status: HTTPStatus(rawValue: head.status), headers: head.headers, body: body)
    }
}

extension RESTClientError {
    fileprivate init(_ error: TransportError, _ request: URLRequest) {
        self.init(
            error.kind, request, response: error.head.map { Response($0, to: request, body: error.body) },
            underlying: error.underlying)
    }
}
