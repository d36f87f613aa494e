import Foundation
import RESTClient
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Logs retry delays and, with `--verbose`, requests and responses with secrets masked.
///
/// The innermost interceptor, which sees each request as it is sent, and a monitor for all other events.
struct RequestLogger: RequestInterceptor {
    let messages: Messages

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        let lines = RedactedRequest(request).lines
        messages.debug(lines[0])
        for line in lines.dropFirst() { messages.debug("  \(line)") }
        return try await next(request)
    }

    var monitor: EventMonitor {
        EventMonitor { [messages] event in
            Self.recordForCrash(event)
            switch event.kind {
            // Logged by the interceptor or reported at the end of the program.
            case .created, .attempt(1), .finished: return
            case .waiting: messages.info("\(event)")
            case .redirect(_, let url):
                messages.debug("redirected to \(Self.redacted(url))")
            default: messages.debug("\(event)")
            }
        }
    }

    /// Records the request for the message of a crash.
    private static func recordForCrash(_ event: SessionEvent) {
        switch event.kind {
        case .created(let method, let url): CrashContext.record("\(method) \(redacted(url))")
        case .redirect(_, let url): CrashContext.record("GET \(redacted(url))")
        default: return
        }
    }

    private static func redacted(_ url: URL) -> String {
        TerminalEscaping.escaped(Redaction.url(url), limit: 200)
    }
}

/// A request that is safe to display: secrets masked, control characters escaped.
struct RedactedRequest {
    /// The method and URL, then one header field per line.
    let lines: [String]

    init(_ request: URLRequest) {
        let url = request.url.map { TerminalEscaping.escaped(Redaction.url($0)) } ?? ""
        lines =
            ["\(request.httpMethod ?? "GET") \(url)"]
            + HTTPHeaders(request.allHTTPHeaderFields ?? [:]).map { name, value in
                let masked = TerminalEscaping.escaped(Redaction.value(value, of: name), limit: 200)
                return "\(TerminalEscaping.escaped(name.rawValue)): \(masked)"
            }
    }
}
