public import Foundation
public import RESTClientHTTP

/// Something that a manager did; secrets masked.
public struct SessionEvent: Sendable {
    /// The number of the request, as the manager counts them.
    public var request: Int
    /// Since the request was created.
    public var time: Duration
    /// What happened.
    public var kind: Kind

    /// What a manager does.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// A result of a request was asked for.
        case created(HTTPMethod, URL?)
        /// An attempt began; 1 is the first.
        case attempt(Int)
        /// A redirect is followed.
        case redirect(HTTPStatus, to: URL?)
        /// The head of the answer came.
        case head(HTTPStatus)
        /// The body is there, so many bytes of those that the server announced; or, when nobody read on, so much of it.
        case received(bytes: Int64, of: Int64?)
        /// An interceptor waits, and why.
        case waiting(Duration, because: String)
        /// An interceptor has something to tell.
        case note(String)
        /// The request ended: `CancellationError` when it was cancelled.
        case finished(Result<HTTPStatus, any Error>)
    }
}

extension SessionEvent.Kind {
    /// The same with its URL masked.
    var masked: Self {
        switch self {
        case .created(let method, let url): .created(method, url.flatMap { Redaction.masked($0) })
        case .redirect(let status, let url):
            .redirect(status, to: url.flatMap { Redaction.masked($0) })
        default: self
        }
    }
}

extension SessionEvent: CustomStringConvertible {
    /// One line, safe to show.
    public var description: String {
        switch kind {
        case .created(let method, let url): "\(method) \(url.map { Redaction.url($0) } ?? "(no URL)")"
        case .attempt(let number): "attempt \(number)"
        case .redirect(let status, let url):
            "\(status), redirected to \(url.map { Redaction.url($0) } ?? "(no URL)")"
        case .head(let status): "\(status)"
        case .received(let bytes, let total?) where total != bytes: "\(bytes) bytes of \(total)"
        case .received(let bytes, _): "\(bytes) bytes"
        case .waiting(let duration, let reason):
            (reason.contains("waiting \(duration.secondsText)") ? "" : "waiting \(duration.secondsText): ")
                + TerminalEscaping.escaped(reason)
        case .note(let text): TerminalEscaping.escaped(text)
        case .finished(.success(let status)): "finished with \(status)"
        case .finished(.failure(let error)):
            "failed: \((error as? RESTClientError)?.message ?? TerminalEscaping.escaped("\(error)"))"
        }
    }
}

/// Sees what a manager does, in order for each request.
///
/// It is called where things happen, on threads that all requests share: be brief, and hand work on.
public struct EventMonitor: Sendable {
    let receive: @Sendable (SessionEvent) -> Void

    /// A monitor that hands each event to `receive`.
    public init(_ receive: @escaping @Sendable (SessionEvent) -> Void) { self.receive = receive }

    /// Writes one line an event to the standard error.
    public static let standardError = EventMonitor { event in
        try? FileHandle.standardError.write(contentsOf: Data("[\(event.request)] \(event)\n".utf8))
    }
}

extension Duration {
    /// As people write it: `30 s`, `0.25 s`.
    package var secondsText: String {
        let value = self / .seconds(1)
        let isWhole = value == value.rounded() && abs(value) < 1e15
        return isWhole ? "\(Int64(value)) s" : "\((value * 1000).rounded() / 1000) s"
    }
}
