import Foundation
import RESTClient
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Says why there is a wait, and with `--verbose` what is sent and what comes back, secrets masked.
///
/// The innermost interceptor, so that it sees requests as they go out, and a monitor for what happens then.
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
            Self.note(event)
            switch event.kind {
            // What the interceptor says better, and what the program says in the end.
            case .created, .attempt(1), .finished: return
            case .waiting: messages.info("\(event)")
            case .redirect(_, let url):
                messages.debug("redirected to \(Self.redacted(url))")
            default: messages.debug("\(event)")
            }
        }
    }

    /// Lets the last words of a program that traps name the request.
    private static func note(_ event: SessionEvent) {
        switch event.kind {
        case .created(let method, let url): CrashContext.record("\(method) \(shown(url))")
        case .redirect(_, let url): CrashContext.record("GET \(shown(url))")
        default: return
        }
    }

    private static func shown(_ url: URL) -> String {
        TerminalEscaping.escaped(Redaction.url(url), limit: 200)
    }
}

/// A request as it goes out, safe to show: secrets masked, nothing that drives a terminal.
struct RedactedRequest {
    /// Method and URL, then a header field each.
    let lines: [String]

    init(_ request: URLRequest) {
        let url = request.url.map { TerminalEscaping.escaped(Redaction.url($0)) } ?? ""
        let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        lines =
            ["\(request.httpMethod ?? "GET") \(url)"]
            + fields.map { name, value in
                let shown = Redaction.value(value, of: HTTPHeaders.Name(name))
                return "\(TerminalEscaping.escaped(name)): \(TerminalEscaping.escaped(shown, limit: 200))"
            }
    }
}
