import Foundation
import HTTPCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The innermost `next`: one attempt over the transport, redirects followed.
struct Wire: Sendable {
    let manager: SessionManager
    let options: RequestOptions
    let flight: Flight

    /// Sends `request` and keeps account of the attempt.
    func send(_ request: URLRequest) async throws -> Response<ResponseBody> {
        let start = manager.timeline.now
        var firstByte: Duration?
        func account(_ outcome: Result<HTTPStatus, RESTClientError>) {
            flight.add(
                Attempt(
                    outcome: outcome, start: start - flight.created, firstByte: firstByte.map { $0 - start },
                    total: manager.timeline.now - start))
        }
        flight.report(.attempt(flight.attempts.count + 1))
        do {
            let response = try await follow(request, firstByte: &firstByte)
            account(.success(response.status))
            return response.map { .data($0) }
        } catch let error as RESTClientError {
            account(.failure(error))
            throw error
        }
    }

    private func follow(_ request: URLRequest, firstByte: inout Duration?) async throws -> DataResponse {
        var request = request
        var hops: [RedirectPolicy.Hop] = []
        while true {
            request = try request.checked()
            var response = try await exchange(request, firstByte: &firstByte)
            response.redirects = hops
            guard let hop = try Redirects.hop(number: hops.count + 1, after: response),
                let next = options.redirects.decide(hop)
            else { return response }
            guard hop.number <= options.redirects.max else {
                throw Redirects.tooMany(hop, max: options.redirects.max, response)
            }
            if let url = next.url { flight.report(.redirect(hop.status, to: url)) }
            hops.append(hop)
            request = next
        }
    }

    private func exchange(_ request: URLRequest, firstByte: inout Duration?) async throws -> DataResponse {
        let limits = Exchange.Limits(
            bodyBytes: options.maxBodyBytes, idle: options.timeouts.idle, deadline: flight.deadline)
        let exchange = manager.exchange(request, limits: limits)
        do {
            let arrival = try await flight.whileRunning {
                exchange.cancel()
            } _: {
                try await exchange.run()
            }
            firstByte = arrival.firstByte
            flight.report(.head(HTTPStatus(rawValue: arrival.head.statusCode)))
            return Response(arrival.head, to: request, body: arrival.body)
        } catch let failure as ExchangeFailure {
            throw RESTClientError(failure, request)
        }
    }
}

extension Response<Data> {
    init(_ head: HTTPURLResponse, to request: URLRequest, body: Data) {
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
            let kind = Kind(platform: error, head: failure.head, received: failure.body.count)
            self.init(kind, request, response: response, underlying: error)
        case .timedOut(let timeout): self.init(.timedOut(timeout), request, response: response)
        case .bodyTooLarge(let limit):
            self.init(
                .limit("the body is larger than \(limit) bytes (maxBodyBytes)"), request, response: response)
        case .notHTTP: self.init(.invalidResponse("it is not HTTP"), request)
        }
    }
}
