import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The innermost `next`: one attempt over the transport, redirects followed.
struct Wire: Sendable {
    let manager: SessionManager
    let options: RequestOptions
    let delivery: RequestContext.Delivery
    let flight: Flight
    let file: BodyFile?
    let progress: ProgressReporter?
    let transformResponse: (@Sendable (Response<ResponseBody>) async throws -> Response<ResponseBody>)?

    /// Sends `request` and keeps account of the attempt.
    func send(_ request: URLRequest) async throws -> Response<ResponseBody> {
        let start = manager.timeline.now
        flight.report(.attempt(flight.attempts.count + 1))
        var firstByte: Duration?
        func attempt(_ outcome: Result<HTTPStatus, RESTClientError>) -> Attempt {
            Attempt(
                outcome: outcome, start: start - flight.created, firstByte: firstByte.map { $0 - start },
                total: manager.timeline.now - start)
        }
        do {
            var response = try await follow(request, firstByte: &firstByte)
            if let transformResponse, response.status.isSuccess {
                response = try await transformResponse(response)
            }
            let index = flight.add(attempt(.success(response.status)))
            if case .stream(let stream) = response.body {
                stream.onEnd { error in
                    let total = manager.timeline.now - start
                    flight.conclude(index, total: total, failure: error as? RESTClientError)
                    return error
                }
            }
            return response
        } catch let error as RESTClientError {
            flight.add(attempt(.failure(error)))
            throw error
        }
    }

    private func follow(
        _ request: URLRequest, firstByte: inout Duration?
    ) async throws -> Response<ResponseBody> {
        var order = Order(request: request, file: request.httpBody == nil ? file : nil, progress: progress)
        var hops: [RedirectPolicy.Hop] = []
        order.request = try order.request.checked(hasFile: order.file != nil)
        while true {
            var response = try await exchange(order, firstByte: &firstByte)
            response.redirects = hops
            let number = hops.count + 1
            guard let hop = try Redirects.hop(number: number, after: response, hasFile: order.file != nil),
                let next = options.redirects.decide(hop)
            else { return response }
            guard hop.number <= options.redirects.max else {
                throw Redirects.tooMany(hop, max: options.redirects.max, response)
            }
            order = try Redirects.order(next, for: hop, after: response, order)
            if let url = order.request.url { flight.report(.redirect(hop.status, to: url)) }
            hops.append(hop)
        }
    }

    private func exchange(_ order: Order, firstByte: inout Duration?) async throws -> Response<ResponseBody> {
        let terms = Exchange.Terms(
            delivery: delivery, bodyBytes: options.maxBodyBytes, spillBytes: options.maxSpillBytes,
            idle: options.timeouts.idle, deadline: flight.deadline)
        try checkFile(of: order)
        let exchange = manager.exchange(order, terms: terms)
        var ticket = try flight.attach {
            // Whichever of the two it is.
            _ = exchange.expire()
            exchange.cancel()
        }
        var isStreaming = false
        defer { if !isStreaming { flight.detach(ticket) } }
        do {
            let arrival = try await exchange.run()
            firstByte = arrival.firstByte
            do { try checkFile(of: order, arrival.head) } catch {
                exchange.cancel()
                throw error
            }
            let status = HTTPStatus(rawValue: arrival.head.statusCode)
            flight.report(.head(status))
            let body: ResponseBody
            switch arrival.body {
            case .whole(let data):
                flight.report(.received(bytes: Int64(data.count), of: arrival.head.announcedLength))
                body = .data(data)
            case .arriving(let buffer):
                if let data = status.isSuccess ? nil : try await buffer.readAll(ifAtMost: Self.mostReadAhead)
                {
                    body = .data(data)
                } else {
                    // Also when all has come, and the reader is what goes on. The exchange is let go behind it, so that
                    // there is always something to cancel.
                    let reading = try flight.attach { buffer.abandon() }
                    flight.detach(ticket)
                    ticket = reading
                    isStreaming = true
                    body = .stream(ByteStream(buffer, of: order.request, on: flight, ticket))
                }
            }
            return Response(arrival.head, to: order.request, body: body)
        } catch let failure as ExchangeFailure {
            try checkFile(of: order, failure.head)
            throw RESTClientError(failure, order.request)
        }
    }

    /// A file that is no longer what was announced is an error, whatever comes of it: no part of it is a success.
    private func checkFile(of order: Order, _ head: HTTPURLResponse? = nil) throws {
        guard let reason = order.file?.obstacle else { return }
        throw RESTClientError(
            .invalidRequest(reason), order.request,
            response: head.map { Response($0, to: order.request, body: Data()) })
    }

    /// The bodies of errors and redirects are read whole up to this size even when the result is a stream: interceptors
    /// that send again, and errors, need them, and the connection is free for the next request.
    private static let mostReadAhead = 64 << 10
}

extension ByteStream {
    /// The rest of an exchange, whose failures get the name of their request.
    fileprivate init(_ buffer: ByteBuffer, of request: URLRequest, on flight: Flight, _ ticket: Int) {
        self.init(buffer)
        onEnd { error in
            flight.detach(ticket)
            return (error as? ExchangeFailure).map { RESTClientError($0, request) } ?? error
        }
    }
}

extension HTTPURLResponse {
    /// The length of the body as the server announces it; of a compressed body that is another length.
    var announcedLength: Int64? { expectedContentLength >= 0 ? expectedContentLength : nil }
}

extension Response {
    init(_ head: HTTPURLResponse, to request: URLRequest, body: Body) {
        self.init(
            to: request, status: HTTPStatus(rawValue: head.statusCode),
            headers: HTTPHeaders(head.allHeaderFields),
            body: body)
    }
}

extension RESTClientError {
    init(_ failure: ExchangeFailure, _ request: URLRequest) {
        let response = failure.head.map { Response($0, to: request, body: failure.body) }
        switch failure.reason {
        case .platform(let error):
            let kind = Kind(platform: error, head: failure.head, received: failure.received)
            self.init(kind, request, response: response, underlying: error)
        case .timedOut(let timeout): self.init(.timedOut(timeout), request, response: response)
        case .bodyTooLarge(let limit):
            self.init(
                .limit(.bodyBytes(limit)), request, response: response)
        case .spillLimit(let limit): self.init(.limit(.spillBytes(limit)), request, response: response)
        case .file(let error):
            self.init(.file(path: error.path, error.failure), request, response: response)
        case .notHTTP: self.init(.invalidResponse(.notHTTP), request)
        case .badLength(let claim):
            self.init(.invalidResponse(.invalidContentLength(claim)), request, response: response)
        }
    }
}
