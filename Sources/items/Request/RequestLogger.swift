import Foundation
import RESTClient

/// Logs retry delays and, with `--verbose`, requests and responses with secrets masked.
///
/// The innermost interceptor, which sees each request as it is sent, and a monitor for all other events.
struct RequestLogger: RequestInterceptor {
    let messages: Messages
    var timing: TimingReport?

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        log(MaskedRequest(request).lines)
        let response = try await next(request)
        if !response.redirects.isEmpty { log(MaskedRequest(response.request).lines) }
        let fields = response.maskedHeaders(of: request).map { field in
            let value = field.value.escaped()
            return "\(field.name.rawValue.escaped(80)): \(value)"
        }
        log(["\(response.status)"] + fields)
        return response
    }

    /// Logs a line, and those after it indented, without lines of other requests between them.
    private func log(_ lines: [String]) { messages.debug(lines.joined(separator: "\nitems:   ")) }

    var monitor: EventMonitor {
        EventMonitor { [messages, timing] event in
            timing?.record(event)
            switch event.kind {
            // Logged by the interceptor or reported at the end of the program.
            case .created, .attempt(1), .finished: return
            case .responseHead: event.connection.map { messages.debug("connected to \($0)") }
            case .waiting: messages.info("\(event)")
            case .redirect(let status, let url):
                messages.debug("\(status)")
                messages.debug("redirected to \(Self.masked(url))")
            default: messages.debug("\(event)")
            }
        }
    }

    private static func masked(_ url: URL?) -> String { (url.map { Redaction.url($0) } ?? "").escaped() }
}

/// A request that is safe to display: secrets masked, control characters escaped.
struct MaskedRequest {
    /// The method and URL, then one header field per line.
    let lines: [String]

    init(_ request: URLRequest) {
        let url = request.url.map { TerminalEscaping.escaped(Redaction.url($0)) } ?? ""
        lines =
            ["\(request.httpMethod ?? "GET") \(url)"]
            + request.sentHeaders.map { name, value in
                let masked = Redaction.value(value, of: name).escaped()
                return "\(TerminalEscaping.escaped(name.rawValue)): \(masked)"
            }
    }
}
