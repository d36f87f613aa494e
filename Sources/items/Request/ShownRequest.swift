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
        lines =
            ["\(request.httpMethod ?? "GET") \(url)"]
            + HTTPHeaders(request.allHTTPHeaderFields ?? [:]).map { name, value in
                let shown = Redaction.value(value, of: name)
                return
                    "\(TerminalEscaping.escaped(name.rawValue)): \(TerminalEscaping.escaped(shown, limit: 200))"
            }
    }
}
