import Foundation
import RESTClient

/// Logs retry delays and, with `--verbose`, requests and responses with secrets masked. The innermost
/// interceptor, which sees each request as it is sent, and a monitor for all other events.
struct RequestLogger: RequestInterceptor {
    let messages: Messages
    /// `true` to report the waits for the rate of `--rate`, which take several seconds.
    var reportsRate = false

    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        log(request.maskedLines)
        let response = try await next(request)
        if !response.redirects.isEmpty { log(response.request.maskedLines) }
        let fields = response.maskedHeaders(of: request).map {
            "\($0.name.rawValue.escaped(80)): \($0.value.escaped())"
        }
        log(["\(response.status)"] + fields)
        return response
    }

    /// Logs a line, and those after it indented, without lines of other requests between them.
    private func log(_ lines: [String]) { messages.debug(lines.joined(separator: "\nitems:   ")) }

    var monitor: EventMonitor {
        EventMonitor { [messages, reportsRate] event in
            switch event.kind {
            // Logged by the interceptor or reported at the end of the program.
            case .created, .attempt(1), .finished: return
            case .responseHead: event.connection.map { messages.debug("connected to \($0)\($0.times)") }
            case .waiting: messages.info("\(event)")
            // A quota of the server, which can take minutes.
            case .note(let text)
            where text.hasPrefix("waiting for the reset")
                || reportsRate && text.hasPrefix("waiting for the rate"):
                messages.info("\(event)")
            case .redirect(let status, let url):
                messages.debug("\(status)")
                messages.debug("redirected to \((url.map { Redaction.url($0) } ?? "").escaped())")
            default: messages.debug("\(event)")
            }
        }
    }

}

extension ConnectionMetrics {
    /// The times that are known, such as `: lookup 1.2 ms, connection 9.8 ms, TLS 21.4 ms, response 88.0 ms`.
    fileprivate var times: String {
        let times = [
            ("lookup", domainLookup), ("connection", connect), ("TLS", secureConnection), ("response", wait),
        ]
        let texts = times.compactMap { name, time in
            time.map { "\(name) \(String(format: "%.1f", $0 / .milliseconds(1))) ms" }
        }
        return texts.isEmpty ? "" : ": \(texts.joined(separator: ", "))"
    }
}

extension URLRequest {
    /// The method and URL, then the header fields, with secrets masked and control characters escaped.
    var maskedLines: [String] {
        let url = url.map { TerminalEscaping.escaped(Redaction.url($0)) } ?? ""
        return ["\(httpMethod ?? "GET") \(url)"]
            + sentHeaders.map { name, value in
                "\(TerminalEscaping.escaped(name.rawValue)): \(Redaction.value(value, of: name).escaped())"
            }
    }
}
