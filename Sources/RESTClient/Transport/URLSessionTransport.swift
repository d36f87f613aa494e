import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// Owns a URLSession, creates its tasks and schedules their deadlines.
///
/// Creating a task in an invalidated session is a fatal error (PLATFORM B). The session is therefore invalidated in
/// `deinit` only, when no more tasks can be created.
final class URLSessionTransport: Sendable {
    let clock: AnyClock
    let deadlines: DeadlineScheduler
    let delegate = SessionDelegate()
    let session: PlatformSession
    /// The values that the protocol classes of the caller need as long as the session can send requests.
    private let retained: [any AnyObject & Sendable]
    /// The queue for cancellations. In a callback, an `onCancel` handler or `startLoading`, `cancel()` can wait for a lock or
    /// queue that the caller holds (PLATFORM A1, A2).
    static let cancelQueue = DispatchQueue(label: "RESTClient.cancel")

    /// `true` if the time to open a connection is limited by an option.
    let limitsConnectTime: Bool

    init(
        configuration: URLSessionConfiguration, connection: ConnectionOptions, clock: AnyClock,
        retaining retained: [any AnyObject & Sendable] = []
    ) {
        self.clock = clock
        deadlines = DeadlineScheduler(clock: clock)
        session = PlatformSession(
            configuration.withoutStores(), connection, delegate: delegate,
            queue: URLSession.makeDelegateQueue())
        limitsConnectTime = connection.connectTimeout != nil
        self.retained = retained
    }

    deinit {
        // Asynchronously, because the last reference may be released in a callback of the session.
        Self.cancelQueue.async { [session] in session.close() }
    }
}

extension URLSessionConfiguration {
    /// Returns a copy without the stores of URLSession and without additional headers.
    ///
    /// A cache can crash the process on cancellation (PLATFORM A16), cookies ignore path and Secure, stored credentials
    /// answer challenges automatically (B). Without a store, cookies are parsed nevertheless unless none are accepted, and
    /// some names trap (A24). The manager adds the headers to each request (A11).
    func withoutStores() -> URLSessionConfiguration {
        let copy = self.copy() as? URLSessionConfiguration ?? .ephemeral
        copy.urlCache = nil
        copy.urlCredentialStorage = nil
        copy.httpCookieStorage = nil
        copy.httpShouldSetCookies = false
        copy.httpCookieAcceptPolicy = .never
        copy.httpAdditionalHeaders = nil
        return copy
    }
}
