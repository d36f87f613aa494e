public import Foundation
public import RESTClientHTTP
import Synchronization

/// A step in the execution of a request, such as an attempt or a redirect, with secrets masked.
///
/// Each event also contains what is known about the request at that time, so that a log or a metric needs only one event,
/// such as `finished`.
public struct SessionEvent: Sendable {
    /// The number of the request in its manager.
    public var request: Int
    /// The time since the request was created.
    public var time: Duration
    /// The kind of the event.
    public var kind: Kind
    /// The method of the request.
    public var method: HTTPMethod = .get
    /// The URL of the request before redirects, with secrets masked.
    public var url: URL?
    /// The number of the current or last attempt, beginning with 1; 0 before the first.
    public var attempt = 0
    /// The time since the start of the current or last attempt; `nil` before the first.
    public var attemptTime: Duration?
    /// The time from the start of the current or last attempt to the head of its response; `nil` if there was none.
    public var firstByte: Duration?
    /// The status of the last response; `nil` if there was none.
    public var status: HTTPStatus?
    /// The number of bytes of the request body that were sent in the current or last attempt.
    public var sent: Int64 = 0
    /// The number of decoded bytes of the response body that were received in the current or last attempt.
    public var received: Int64 = 0
    /// The connection of the current or last attempt; `nil` until it is known, and with a mock. On Apple platforms it is
    /// known when the body was received.
    public var connection: ConnectionMetrics?

    /// The kind of an event.
    #if hasAttribute(nonexhaustive)
    // Older compilers do not know the attribute. Without it, a client may switch over the cases without `default`.
    @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// The request was created.
        case created(HTTPMethod, URL?)
        /// An attempt started; the first has the number 1.
        case attempt(Int)
        /// A redirect is followed.
        case redirect(HTTPStatus, to: URL?)
        /// The head of a response was received.
        case responseHead(HTTPStatus)
        /// The buffered body was received; `of` is the `Content-Length`. Not reported for a streamed body.
        case received(bytes: Int64, of: Int64?)
        /// An interceptor waits for this duration.
        case waiting(Duration, because: String)
        /// A message of an interceptor.
        case note(String)
        /// The request ended; the error is a `CancellationError` if it was cancelled.
        case finished(Result<HTTPStatus, any Error>)
    }
}

extension SessionEvent.Kind {
    /// The same kind with the secrets in its URL or text masked.
    var masked: Self {
        switch self {
        case .created(let method, let url): .created(method, url.flatMap { Redaction.masked($0) })
        case .redirect(let status, let url): .redirect(status, to: url.flatMap { Redaction.masked($0) })
        case .waiting(let duration, let reason): .waiting(duration, because: Redaction.text(reason))
        case .note(let text): .note(Redaction.text(text))
        case .finished(.failure(let error)): .finished(.failure(ErrorSecrets().masked(error)))
        default: self
        }
    }
}

extension SessionEvent: CustomStringConvertible {
    /// The event on one line; safe to show.
    public var description: String {
        switch kind {
        case .created(let method, let url): "\(method) \(url.map { Redaction.url($0) } ?? "(no URL)")"
        case .attempt(let number): "attempt \(number)"
        case .redirect(let status, let url):
            "\(status), redirected to \(url.map { Redaction.url($0) } ?? "(no URL)")"
        case .responseHead(let status): "\(status)" + (connection.map { " from \($0)" } ?? "")
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

/// An observer that is called with each event of a manager. The events of one request arrive in order.
///
/// The closure is called synchronously, on threads that all requests share, so it must return quickly.
public struct EventMonitor: Sendable {
    let receive: @Sendable (SessionEvent) -> Void

    /// Creates a monitor that calls `receive` with each event.
    public init(_ receive: @escaping @Sendable (SessionEvent) -> Void) { self.receive = receive }

    /// Writes each event to the standard error, on one line.
    public static let standardError = EventMonitor { event in
        try? FileHandle.standardError.write(contentsOf: Data("[\(event.request)] \(event)\n".utf8))
    }
}

extension Duration {
    /// The duration in seconds with its unit, such as `30 s`, `0.25 s` or `3,600 s`.
    package var secondsText: String {
        let value = self / .seconds(1)
        let isWhole = value == value.rounded() && abs(value) < 1e15
        return isWhole ? "\(Int64(value).groupedText) s" : "\((value * 1000).rounded() / 1000) s"
    }
}

/// Delivers the events of a manager to its monitor and to the sequences of `SessionManager.events()`.
final class EventBroadcaster: Sendable {
    private struct State {
        var lastNumber = 0
        var continuations: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
    }

    private let monitor: EventMonitor?
    private let state = LockedState(State())
    /// The number of sequences, so that a request without an observer needs no lock for its events.
    private let sequenceCount = Atomic(0)

    init(_ monitor: EventMonitor?) { self.monitor = monitor }

    deinit {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }

    /// Returns the events from now on; the oldest are dropped if more than `buffer` are waiting.
    func events(buffer: Int) -> AsyncStream<SessionEvent> {
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(max(1, buffer)))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.continuations[state.lastNumber] = continuation
            sequenceCount.store(state.continuations.count, ordering: .releasing)
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            state.withLock { state in
                state.continuations[number] = nil
                self.sequenceCount.store(state.continuations.count, ordering: .releasing)
            }
        }
        return events
    }

    private var hasSequences: Bool { sequenceCount.load(ordering: .acquiring) > 0 }

    /// `true` if there is a monitor or a sequence.
    var isObserved: Bool { monitor != nil || hasSequences }

    func deliver(_ event: SessionEvent) {
        monitor?.receive(event)
        let continuations = hasSequences ? state.withLock { Array($0.continuations.values) } : []
        for continuation in continuations { continuation.yield(event) }
    }
}
