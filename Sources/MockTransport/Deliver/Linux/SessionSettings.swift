import Foundation
import RESTClientPlatform

// The settings of a session that URLSession on Linux applies in its own protocol only (PLATFORM A11). Apple platforms apply
// them to the request, except for cookies. Both arms declare the same members.
#if canImport(FoundationNetworking)
/// The settings of a session, which a mock applies as URLSession does to real requests.
struct SessionSettings {
    /// The settings of the session whose protocol runs, kept by its queue: finding the session of a task by reflection takes half
    /// as long as all other work on a request (PLATFORM A8).
    private static let key = DispatchSpecificKey<Self>()

    private let additionalHeaders: HTTPHeaders
    private let timeout: TimeInterval
    /// `true` if URLSession's own protocol would send the request, which names a type for a body without one.
    private let addsType: Bool

    /// The settings of the session of a task, which are read for its first request. Called on the queue of the session.
    init(of task: URLSessionTask?) {
        if let known = DispatchQueue.getSpecific(key: Self.key) {
            self = known
            return
        }
        let session = task?.owner
        let configuration = session?.configuration
        additionalHeaders = HTTPHeaders(configuration?.httpAdditionalHeaders ?? [:])
        timeout = configuration?.timeoutIntervalForRequest ?? 60
        addsType = configuration?.protocolClasses?.contains { $0 == HTTPProtocol.self } != true
        session?.workQueue?.setSpecific(key: Self.key, value: self)
    }

    /// Returns a request, without its body, as a server receives it. URLSession adds the additional headers of the session, the
    /// default type of a body, and the user info of the URL as a header field. Fields of the request take precedence.
    func received(_ request: URLRequest, _ url: URL, at time: Duration) -> ReceivedRequest {
        var url = url
        var fields = request.allHTTPHeaderFields ?? [:]
        func add(_ name: HTTPHeaders.Name, _ value: String) {
            guard !fields.keys.contains(where: { HTTPHeaders.Name($0) == name }) else { return }
            fields[name.rawValue] = value
        }
        for (name, value) in additionalHeaders { add(name, value) }
        if addsType, request.httpMethod == "POST", request.httpBody?.isEmpty == false {
            add(.contentType, MediaType.form.rawValue)
        }
        if url.absoluteString.utf8.contains(UInt8(ascii: "@")),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let user = parts.user
        {
            let credential = Data("\(user):\(parts.password ?? "")".utf8)
            add(.authorization, "Basic \(credential.base64EncodedString())")
            (parts.user, parts.password) = (nil, nil)
            url = parts.url ?? url
        }
        return ReceivedRequest(request, url, HTTPHeaders(fields), at: time)
    }

    /// Returns the time without data after which a request fails: that of the request, if it is set.
    func timeout(of request: URLRequest) -> Duration? {
        // The default of both. A request does not tell whether it was set (PLATFORM B).
        let isDefault = request.timeoutInterval == 60
        return InactivityTimer.duration(isDefault ? timeout : request.timeoutInterval)
    }

    /// Stores the cookies of a response as the policy of the task's session demands.
    static func storeCookies(of response: HTTPURLResponse, to request: URLRequest, in task: URLSessionTask?) {
        guard let field = response.value(forHTTPHeaderField: "Set-Cookie"), request.httpShouldHandleCookies,
            let configuration = task?.owner?.configuration, let store = configuration.httpCookieStorage,
            configuration.httpCookieAcceptPolicy != .never, let url = response.url
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

extension URLSessionConfiguration {
    /// Keeps an object as long as the configuration, its copies and their sessions, even with another credential store.
    func keep(_ object: AnyObject) {
        // URLSession ignores its proxies, and the engine those with other names.
        connectionProxyDictionary = ["MockTransport": object]
    }
}
#else
/// The settings of a session, which the platform has applied to its requests.
struct SessionSettings {
    init(of task: URLSessionTask?) {}

    /// Returns a request, without its body. The platform has added what it adds before a protocol loads it.
    func received(_ request: URLRequest, _ url: URL, at time: Duration) -> ReceivedRequest {
        ReceivedRequest(request, url, HTTPHeaders(request.allHTTPHeaderFields ?? [:]), at: time)
    }

    /// Returns the time without data after which a request fails.
    func timeout(of request: URLRequest) -> Duration? { InactivityTimer.duration(request.timeoutInterval) }

    /// Has no effect: the platform does not tell a protocol the store of its session.
    static func storeCookies(of response: HTTPURLResponse, to request: URLRequest, in task: URLSessionTask?) {
    }
}

extension URLSessionConfiguration {
    /// Has no effect: the platform passes the proxies to the system, which may not accept any object.
    func keep(_ object: AnyObject) {}
}
#endif
