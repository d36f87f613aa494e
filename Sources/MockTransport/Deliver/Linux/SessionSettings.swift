import Foundation
import RESTClientPlatform

// The settings of a session that URLSession on Linux applies in its own protocol only (PLATFORM A11). Apple platforms apply
// them to the request, except for cookies. Both arms declare the same members.
#if canImport(FoundationNetworking)
/// The settings of a session, which a mock applies as URLSession does to real requests.
struct SessionSettings {
    private let additionalHeaders: HTTPHeaders
    private let timeout: TimeInterval

    /// Reads the settings. A configuration is copied for each access.
    fileprivate init(of session: URLSession?) {
        let configuration = session?.configuration
        additionalHeaders = HTTPHeaders(configuration?.httpAdditionalHeaders ?? [:])
        timeout = configuration?.timeoutIntervalForRequest ?? 60
    }

    /// Returns a request with the additional headers of the session. Fields of the request take precedence.
    func configured(_ request: URLRequest) -> URLRequest {
        guard !additionalHeaders.isEmpty else { return request }
        var request = request
        for (name, value) in additionalHeaders
        where request.value(forHTTPHeaderField: name.rawValue) == nil {
            request.setValue(value, forHTTPHeaderField: name.rawValue)
        }
        return request
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

/// The settings of the sessions that use a server.
///
/// Reading them takes about as long as all other work on a request, and the settings of a session never change. The
/// sessions are not retained.
final class SessionTable: Sendable {
    private struct Entry {
        weak var session: URLSession?
        let settings: SessionSettings
    }

    private struct State {
        /// The entries by the addresses of their sessions.
        var entries: [UInt: Entry] = [:]
        /// The number of entries at which those of deallocated sessions are removed.
        var limit = 16
    }

    private let state = LockedState(State())

    /// The number of entries, including those of deallocated sessions.
    var count: Int { state.withLock { $0.entries.count } }

    /// Returns the settings of the session of a task.
    func settings(of task: URLSessionTask?) -> SessionSettings {
        guard let task else { return SessionSettings(of: nil) }
        // The address of another object is not in the table, or its entry is that of a deallocated session.
        if let address = task.ownerAddress, let settings = settings(at: address) { return settings }
        let session = task.owner
        let settings = SessionSettings(of: session)
        if let session { add(Entry(session: session, settings: settings), session.address) }
        return settings
    }

    private func settings(at address: UInt) -> SessionSettings? {
        // Returns the session, so that it is not deallocated under the lock.
        let found = state.withLock { state in
            state.entries[address].flatMap { entry in entry.session.map { ($0, entry.settings) } }
        }
        return found?.1
    }

    private func add(_ entry: Entry, _ address: UInt) {
        // Returns the other sessions, so that none is deallocated under the lock.
        _ = state.withLock { state -> [URLSession] in
            state.entries[address] = entry
            guard state.entries.count >= state.limit else { return [] }
            let sessions = state.entries.compactMapValues(\.session)
            state.entries = state.entries.filter { sessions[$0.key] != nil }
            state.limit = max(16, 2 * state.entries.count)
            return Array(sessions.values)
        }
    }
}
#else
/// The settings of a session, which the platform has applied to its requests.
struct SessionSettings {
    /// Returns the request, which has the additional headers of the session.
    func configured(_ request: URLRequest) -> URLRequest { request }

    /// Returns the time without data after which a request fails.
    func timeout(of request: URLRequest) -> Duration? { InactivityTimer.duration(request.timeoutInterval) }

    /// Has no effect: the platform does not tell a protocol the store of its session.
    static func storeCookies(of response: HTTPURLResponse, to request: URLRequest, in task: URLSessionTask?) {
    }
}

/// The settings of the sessions that use a server.
final class SessionTable: Sendable {
    /// The number of entries. No session needs one.
    var count: Int { 0 }

    func settings(of task: URLSessionTask?) -> SessionSettings { SessionSettings() }
}
#endif
