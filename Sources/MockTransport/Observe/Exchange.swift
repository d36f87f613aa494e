import Foundation

/// A request with the outcome of its reply. Its description is a line of ``MockServer/accessLog``.
public struct MockExchange: Sendable, CustomStringConvertible {
    /// The end of a reply.
    public enum Outcome: Sendable {
        /// The reply has not ended yet.
        case pending
        /// The reply is complete.
        case completed
        /// The reply ended with an error: of a fault, of the route, or of the network if it was passed through.
        case failed(any Error)
        /// The server did not answer, for example because no route matches.
        case rejected(MockServerError)
        /// The client cancelled the request before the end of the reply.
        case cancelled
    }

    /// The request, with the route that matched it.
    public internal(set) var request: ReceivedRequest
    /// The status of the response, or `nil` if there was none.
    public let status: HTTPStatus?
    /// The number of body bytes sent.
    public let bodySize: Int
    /// The time from the arrival of the request to the end of the reply, on the server's clock, or `nil` while the
    /// reply is pending.
    public let duration: Duration?
    /// The end of the reply.
    public let outcome: Outcome

    /// The time, the request, the status, the size, the duration and the route. Secrets are masked.
    public var description: String {
        var parts = ["[\(Self.seconds(request.time))]", "\(request)"]
        if let status {
            parts.append("\(status.rawValue)")
            parts.append(bodySize == 1 ? "1 byte" : "\(bodySize) bytes")
        }
        if let duration { parts.append(Self.seconds(duration)) }
        if let text = outcome.text { parts.append(text) }
        if let route = request.route {
            parts.append(request.routeName.map { "\"\($0)\"" } ?? Redaction.text(route))
        }
        return parts.joined(separator: "  ")
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        return String(format: "%ld.%03lds", milliseconds / 1_000, milliseconds % 1_000)
    }
}

extension MockExchange.Outcome {
    fileprivate var text: String? {
        switch self {
        case .pending: return "pending"
        case .completed: return nil
        case .cancelled: return "cancelled"
        case .failed(let error):
            return "failed: \(TerminalEscaping.escaped(error.localizedDescription, limit: 200))"
        case .rejected(let error):
            if case .unmatched = error.kind { return "no route" }
            return "rejected: \(error.description.prefix { !$0.isNewline })"
        }
    }
}
