import Foundation
import HTTPCore
import RESTClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Says what is sent and what comes back, secrets masked: `--verbose`.
///
/// The innermost interceptor, so that it sees requests as they go out, and a monitor for what happens then.
struct Trace: RequestInterceptor {
    let messages: Messages

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        if let url = request.url {
            messages.detail("\(request.httpMethod ?? "GET") \(SafeText.escaped(Redaction.url(url)))")
        }
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shown = Redaction.value(value, of: HTTPHeaders.Name(name))
            messages.detail("  \(SafeText.escaped(name)): \(SafeText.escaped(shown, limit: 200))")
        }
        return try await next(request)
    }

    var monitor: EventMonitor {
        EventMonitor { [messages] event in
            switch event.kind {
            // What the interceptor says better, and what the program says in the end.
            case .created, .attempt(1), .finished: return
            case .redirect(_, let url):
                messages.detail("redirected to \(SafeText.escaped(Redaction.url(url), limit: 200))")
            default: messages.detail("\(event)")
            }
        }
    }
}
