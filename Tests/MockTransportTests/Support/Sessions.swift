import Foundation
import MockTransport
import RESTClientTestSupport
import Testing

extension MockServer {
    /// Returns a session with a delegate whose callbacks run on a queue, or directly on the work queue of URLSession.
    func session(_ delegate: any URLSessionDelegate, isInline: Bool = false) -> URLSession {
        URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: isInline ? InlineQueue() : nil)
    }

    /// Returns the message of the error with which the server refuses a request.
    ///
    /// `#expect(throws:)` describes each error with all its members, which takes milliseconds.
    func refusal(
        of request: URLRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        var refusal: MockServerError?
        do { _ = try await text(request) } catch let error as MockServerError { refusal = error }
        return try #require(refusal, "the request was answered", sourceLocation: sourceLocation).description
    }
    func refusal(of url: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        try await refusal(of: URLRequest(url), sourceLocation: sourceLocation)
    }

    /// Sends a request with a new session and returns the body as text.
    func text(_ url: String, method: String = "GET", body: String? = nil) async throws -> String {
        try await text(URLRequest(url, method: method, body: body))
    }

    func text(_ request: URLRequest) async throws -> String {
        let (data, _) = try await data(request)
        return String(decoding: data, as: UTF8.self)
    }

    func data(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    func data(_ url: String) async throws -> (Data, HTTPURLResponse) { try await data(URLRequest(url)) }
}

extension LoopbackServer {
    /// Requests a path of the server, and returns the body as text and the status.
    func reply(to path: String) async throws -> (text: String, status: Int?) {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(from: #require(URL(string: "\(url)/\(path)")))
        return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode)
    }
}

extension URLSessionConfiguration {
    /// Returns a configuration that, unlike that of the server, does not keep the server alive.
    static func notRetaining(_ server: MockServer?) throws -> URLSessionConfiguration {
        let configuration = ephemeral
        configuration.protocolClasses = [try #require(server?.protocolClass)]
        configuration.urlCache = nil
        return configuration
    }
}

/// A store with a credential. That of the platform compares protection spaces by identity, so that it never finds one.
final class CredentialStore: URLCredentialStorage, @unchecked Sendable {
    override func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        URLCredential(user: "ann", password: "secret", persistence: .forSession)
    }
}

extension MockServerError {
    var isServerGone: Bool { if case .serverGone = kind { true } else { false } }
}
