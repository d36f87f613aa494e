import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// Sends requests to the real server and delivers its responses.
enum Passthrough {
    /// Sends a request to the real server, and returns the exchange, or `nil` if there was none.
    static func exchange(with request: ReceivedRequest) async -> HAR.Entry? {
        let (entries, recorder) = AsyncStream.makeStream(of: HAR.Entry.self)
        let exchange = RecordedExchange(request, budget: LockedState(0), completions: Completions())
        let delivery = ReplyDelivery(
            URLRequest(url: request.url), on: ServerClock(ContinuousClock()), hold: nil, work: DeliveryWork()
        ) { delivery in
            switch delivery.takeEvents().last {
            case .finished, .failure: recorder.finish()
            default: break
            }
        }
        send(delivery, exchange, ExchangeRecorder { recorder.yield($0) })
        return await entries.first { _ in true }
    }

    static func send(
        _ delivery: ReplyDelivery, _ exchange: RecordedExchange, _ recorder: ExchangeRecorder?
    ) {
        if recorder != nil { exchange.countSeparately() }
        var request = delivery.request
        request.url = exchange.request.url
        request.httpMethod = exchange.request.method.rawValue
        for (name, value) in exchange.request.headers {
            request.setValue(value, forHTTPHeaderField: name.rawValue)
        }
        let body = exchange.request.body
        if !body.isEmpty {
            request.httpBodyStream = nil
            request.httpBody = body
        }
        let delegate = PassthroughDelegate(delivery, exchange, recorder)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = configuration.protocolClasses?.filter {
            !($0 is MockURLProtocol.Type)
        }
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        let session = PlatformSession(
            configuration, ConnectionOptions(), delegate: delegate, queue: URLSession.makeDelegateQueue())
        let (task, setPaused) = session.makeTask(for: request)
        delegate.onEnd.withLock {
            $0 = {
                // It also keeps what the protocol knows of the task.
                _ = setPaused
                delegate.queue.async { session.close() }
            }
        }
        delivery.onFinish { delegate.queue.async { task.cancel() } }
        task.resume()
    }
}

/// The delegate of a session with a single task, whose events it records and delivers.
private final class PassthroughDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: all state is in locks.
    let queue = DispatchQueue(label: "MockTransport.passthrough")
    private let delivery: ReplyDelivery
    private let exchange: RecordedExchange
    private let recorder: ExchangeRecorder?
    /// `true` after a challenge that came with a response was rejected.
    private let isRejected = LockedState(false)
    /// Closes the session, which keeps the delegate until then.
    let onEnd = LockedState<(@Sendable () -> Void)?>(nil)

    init(_ delivery: ReplyDelivery, _ exchange: RecordedExchange, _ recorder: ExchangeRecorder?) {
        (self.delivery, self.exchange, self.recorder) = (delivery, exchange, recorder)
    }

    @discardableResult private func record(_ step: ReplyPlan.Step) -> Bool {
        exchange.record([step], at: delivery.clock.now, maxBodySize: .max)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse, response.statusCode >= 200 {
            let status = HTTPStatus(rawValue: response.statusCode)
            let headers = HTTPHeaders(response.allHeaderFields)
            record(.head(ReplyPlan.Head(status: status, headers: headers, length: nil)))
            delivery.post([.response(response)])
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        record(.chunk(data))
        delivery.post([.data(data)])
    }

    /// Delivers the 3xx response itself, as a mock does.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// Rejects the challenge so that the client receives the 401. Cancelling inside the callback deadlocks (PLATFORM A3).
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let disposition = challenge.rejectingDisposition
        if challenge.failureResponse is HTTPURLResponse, disposition == .cancelAuthenticationChallenge {
            isRejected.withLock { $0 = true }
        }
        queue.async { completionHandler(disposition, nil) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Where a rejection cancels the task, its error is not a failure.
        let isCancelled = (error as? URLError)?.code == .cancelled
        var failure = isCancelled && isRejected.withLock { $0 } ? nil : error
        // Writes the cassette before the client can observe the end of the request.
        do { try finish(failure) } catch { failure = error }
        delivery.post([failure.map { .failure($0) } ?? .finished])
        onEnd.withLock { $0.take() }?()
    }

    /// Ends the recording. Throws an error if it cannot be written.
    private func finish(_ failure: (any Error)?) throws(MockServerError) {
        if (failure as? URLError)?.code == .cancelled { return }
        // A request that was cancelled or timed out is not completed by the real server.
        guard record(failure.map { .failure($0) } ?? .end) else { return }
        guard let recorder, let entry = exchange.entry(since: delivery.clock.epoch) else { return }
        guard !exchange.isTruncated else {
            throw MockServerError(.cassette(.tooLarge(exchange.request.url)), recorder.masking)
        }
        try recorder.add(entry)
    }
}
