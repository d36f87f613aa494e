import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks the real server and tells the client what it says, as it comes.
enum Passthrough {
    static func forward(_ exchange: Exchange, _ tape: Tape) {
        var request = exchange.request
        let body = tape.take.request.body
        if !body.isEmpty {
            request.httpBodyStream = nil
            request.httpBody = body
        }
        let relay = Relay(exchange, tape)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = configuration.protocolClasses?.filter {
            !($0 is MockURLProtocol.Type)
        }
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        let session = URLSession(configuration: configuration, delegate: relay, delegateQueue: nil)
        let task = session.dataTask(with: request)
        exchange.onFinish { relay.queue.async { task.cancel() } }
        task.resume()
        session.finishTasksAndInvalidate()
    }
}

/// Hands on what one task of a real session gets.
private final class Relay: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // SAFETY: `refused` is in a lock, the rest is immutable.
    let queue = DispatchQueue(label: "MockTransport.passthrough")
    private let exchange: Exchange
    private let tape: Tape
    /// The 401 that a challenge came with.
    private let refused = LockedState<HTTPURLResponse?>(nil)

    init(_ exchange: Exchange, _ tape: Tape) {
        self.exchange = exchange
        self.tape = tape
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse, response.statusCode >= 200 {
            tape.note(.head(HTTPStatus(rawValue: response.statusCode), HTTPHeaders(response.allHeaderFields)))
            exchange.post([.head(response)])
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        tape.note(.chunk(data))
        exchange.post([.chunk(data)])
    }

    /// The client gets the 3xx, as it would from a mock.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// The client gets the 401; answered elsewhere, because to cancel here hangs (PLATFORM A3).
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        refused.withLock { $0 = challenge.failureResponse as? HTTPURLResponse }
        queue.async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #else
        let isTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let isRefused = refused.withLock { $0 != nil }
        let failure = isRefused ? nil : error
        // Who knows that it is over may look at the cassette.
        let complaint = tape.end(failure)
        if let error = complaint ?? failure {
            exchange.post([.failure(error)])
        } else {
            exchange.post([.end])
        }
    }
}
