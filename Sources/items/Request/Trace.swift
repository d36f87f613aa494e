import Foundation
import RESTClientHTTP
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Says why there is a wait, and with `--verbose` what is sent and what comes back, secrets masked.
///
/// The innermost interceptor, so that it sees requests as they go out, and a monitor for what happens then.
struct Trace: RequestInterceptor {
    let messages: Messages

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        let lines = ShownRequest(request).lines
        messages.detail(lines[0])
        for line in lines.dropFirst() { messages.detail("  \(line)") }
        return try await next(request)
    }

    var monitor: EventMonitor {
        EventMonitor { [messages] event in
            Self.note(event)
            switch event.kind {
            // What the interceptor says better, and what the program says in the end.
            case .created, .attempt(1), .finished: return
            case .waiting: messages.note("\(event)")
            case .redirect(_, let url):
                messages.detail("redirected to \(Self.shown(url))")
            default: messages.detail("\(event)")
            }
        }
    }

    /// Lets the last words of a program that traps name the request.
    private static func note(_ event: SessionEvent) {
        switch event.kind {
        case .created(let method, let url): RequestUnderWay.note("\(method) \(shown(url))")
        case .redirect(_, let url): RequestUnderWay.note("GET \(shown(url))")
        default: return
        }
    }

    private static func shown(_ url: URL?) -> String {
        TerminalEscaping.escaped(url.map { Redaction.url($0) } ?? "", limit: 200)
    }
}
