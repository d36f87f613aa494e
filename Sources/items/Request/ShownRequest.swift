import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request as it goes out, safe to show: secrets masked, nothing that drives a terminal.
struct ShownRequest {
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
