import Foundation

// The settings of a session that URLSession on Linux applies in its own protocol only (PLATFORM A11). Apple platforms apply
// them to the request, except for cookies. Both arms declare the same members.
#if canImport(FoundationNetworking)
/// The settings of the session of a task, which a mock applies as URLSession does to real requests.
struct SessionSettings {
    private let configuration: URLSessionConfiguration?

    init(of task: URLSessionTask?) { configuration = task?.owner?.configuration }

    /// Returns a request with the additional headers of the session. Fields of the request take precedence.
    func configured(_ request: URLRequest) -> URLRequest {
        guard let fields = configuration?.httpAdditionalHeaders, !fields.isEmpty else { return request }
        var request = request
        for (name, value) in HTTPHeaders(fields)
        where request.value(forHTTPHeaderField: name.rawValue) == nil {
            request.setValue(value, forHTTPHeaderField: name.rawValue)
        }
        return request
    }

    /// Returns the time without data after which a request fails: that of the request, if it is set.
    func timeout(of request: URLRequest) -> Duration? {
        // The default of both. A request does not tell whether it was set (PLATFORM B).
        let isDefault = request.timeoutInterval == 60
        return InactivityTimer.duration(
            isDefault ? configuration?.timeoutIntervalForRequest ?? 60 : request.timeoutInterval)
    }

    /// Stores the cookies of a response as the session's policy demands.
    func store(_ response: HTTPURLResponse, of request: URLRequest) {
        guard let configuration, let store = configuration.httpCookieStorage, let url = response.url,
            configuration.httpCookieAcceptPolicy != .never, request.httpShouldHandleCookies,
            let field = response.value(forHTTPHeaderField: "Set-Cookie")
        else { return }
        // The platform joins several fields with commas. A comma before a name and "=" separates cookies, others are dates.
        for cookie in field.split(separator: /,\s*(?=[^;,=\s]+=)/) {
            // Some names with a character of several scalars trap (PLATFORM A24).
            guard cookie.allSatisfy({ $0.unicodeScalars.count == 1 }) else { continue }
            let cookies = HTTPCookie.cookies(
                withResponseHeaderFields: ["Set-Cookie": String(cookie)], for: url)
            store.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
        }
    }
}
#else
/// The settings of the session of a task, which the platform has applied to its request.
struct SessionSettings {
    init(of task: URLSessionTask?) {}

    /// Returns the request, which has the additional headers of the session.
    func configured(_ request: URLRequest) -> URLRequest { request }

    /// Returns the time without data after which a request fails.
    func timeout(of request: URLRequest) -> Duration? { InactivityTimer.duration(request.timeoutInterval) }

    /// Has no effect: the platform does not tell a protocol the store of its session.
    func store(_ response: HTTPURLResponse, of request: URLRequest) {}
}
#endif
