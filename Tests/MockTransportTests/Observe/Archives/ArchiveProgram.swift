import Foundation
import RESTClientHTTP

@testable import MockTransport

/// A program that writes HTTP archives.
///
/// The archives follow the source code of Playwright, Chrome, Safari, Insomnia, mitmproxy and k6. Those of Firefox and Charles
/// were written from memory.
enum ArchiveProgram: String, CaseIterable, Sendable {
    case playwright, chrome, firefox, safari, charles, insomnia, mitmproxy, k6

    /// The exchanges that the program can write. Insomnia follows redirects itself and stores bodies as text.
    var exchanges: [SampleExchange] {
        self == .insomnia
            ? SampleExchange.allCases.filter { $0 != .image && $0 != .redirect } : SampleExchange.allCases
    }

    /// Returns an archive with `exchanges`, and further entries before them.
    func archive(_ exchanges: [SampleExchange], after others: [JSONLiteral] = []) throws -> Data {
        let log: JSONLiteral = [
            "version": "1.2", "creator": ["name": .value(rawValue), "version": "1"], "pages": [],
            "entries": JSONLiteral(.array(others + exchanges.map { entry($0) })),
        ]
        return try (["log": log] as JSONLiteral).encoded()
    }

    private var date: JSONLiteral {
        switch self {
        case .firefox, .charles: "2026-03-04T06:06:07.250+01:00"
        case .mitmproxy: "2026-03-04T05:06:07.123456+00:00"
        case .k6: "2026-03-04T05:06:07.1Z"
        default: "2026-03-04T05:06:07.123Z"
        }
    }

    func entry(_ exchange: SampleExchange) -> JSONLiteral {
        var members: [(String, JSONLiteral?)] = [
            ("startedDateTime", date), ("time", 20.5), ("request", request(exchange)),
            ("response", self == .k6 && exchange == .failed ? nil : response(exchange)),
            ("cache", self == .k6 ? nil : [:]), ("timings", timings),
        ]
        switch self {
        case .playwright: members.append(("_serverPort", 443))
        case .chrome:
            members += [
                ("_connectionId", "17"), ("_initiator", ["type": "script", "stack": ["callFrames": []]]),
                ("_priority", "High"), ("_resourceType", "fetch"), ("connection", "443"),
            ]
        case .firefox: members += [("pageref", "page_1"), ("_securityState", "secure")]
        case .safari: members += [("pageref", "page_0"), ("_fetchType", "Network Load")]
        case .charles: members.append(("_charlesStatus", exchange == .failed ? "FAILED" : "COMPLETE"))
        case .insomnia: members.append(("comment", "Get items"))
        case .mitmproxy: members.append(("_resourceType", nil))
        case .k6: members.append(("_id", "7f3a"))
        }
        return .object(members)
    }

    private var timings: JSONLiteral {
        switch self {
        case .mitmproxy: ["connect": nil, "ssl": nil, "send": 0.1, "receive": 2, "wait": 5]
        case .safari:
            ["blocked": -3.5, "dns": -1, "connect": -1, "ssl": -1, "send": -0.5, "wait": 4, "receive": 1]
        case .playwright: ["dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 4, "receive": -1]
        case .chrome:
            ["blocked": 1, "dns": -1, "send": 0.1, "wait": 4, "receive": 1, "_blocked_queueing": 0.9]
        default: ["send": 0, "wait": 4, "receive": 1]
        }
    }

    private func request(_ exchange: SampleExchange) -> JSONLiteral {
        var headers: [(String, String)] = [("accept", "*/*")]
        if self == .chrome { headers += [(":method", exchange.method), (":path", "/")] }
        if let type = exchange.requestBody?.type { headers.append(("content-type", type)) }
        return .object([
            ("method", "\(exchange.method)"), ("url", "\(exchange.url)"), ("httpVersion", "HTTP/2.0"),
            ("cookies", []), ("headers", .list(headers)),
            ("queryString", [["name": "q", "value": "a b"], ["name": "page", "value": "2"]]),
            ("postData", postData(exchange)), ("headersSize", -1),
            ("bodySize", .value(exchange.requestBody?.text.utf8.count ?? (self == .safari ? -1 : 0))),
        ])
    }

    private func postData(_ exchange: SampleExchange) -> JSONLiteral? {
        guard let (type, text) = exchange.requestBody else {
            return self == .insomnia ? ["mimeType": "", "text": ""] : nil
        }
        let isForm = exchange == .form
        let params = isForm ? JSONLiteral.list(SampleExchange.formItems) : []
        return switch self {
        case .charles where isForm, .insomnia where isForm: ["mimeType": "\(type)", "params": params]
        case .k6 where isForm: ["mimeType": "\(type)", "params": params, "text": ""]
        case .charles, .insomnia: ["mimeType": "\(type)", "text": "\(text)"]
        default: ["mimeType": "\(type)", "text": "\(text)", "params": params]
        }
    }

    private func response(_ exchange: SampleExchange) -> JSONLiteral {
        guard let status = exchange.status else { return failure }
        return .object([
            ("status", .value(status)), ("statusText", ""), ("httpVersion", "HTTP/2.0"), ("cookies", []),
            ("headers", .list(headers(exchange))), ("content", content(exchange)),
            ("redirectURL", exchange == .redirect && self != .safari ? "https://shop.example/new" : ""),
            ("headersSize", -1), ("bodySize", bodySize(exchange)),
            ("_transferSize", [.playwright, .chrome, .safari].contains(self) ? 300 : nil),
            ("_error", self == .chrome ? .some(nil) : nil),
            ("_fetchedViaServiceWorker", self == .chrome ? false : nil),
        ])
    }

    private func headers(_ exchange: SampleExchange) -> [(String, String)] {
        var headers = exchange.headers.map { ($0.name, $0.value) }
        let cookies = headers.filter { $0.0 == "set-cookie" }.map(\.1)
        guard !cookies.isEmpty else { return headers }
        // These read the fields from a dictionary, or from a list of joined fields.
        let separator: String? =
            switch self {
            case .playwright, .chrome: "\n"
            case .safari: ", "
            default: nil
            }
        guard let separator else { return headers }
        headers.removeAll { $0.0 == "set-cookie" }
        return headers + [("set-cookie", cookies.joined(separator: separator))]
    }

    private func bodySize(_ exchange: SampleExchange) -> JSONLiteral {
        switch (self, exchange) {
        case (.insomnia, _), (.k6, _): -1
        case (_, .bodyMissing) where self != .mitmproxy: 5_120
        case (_, .json): 61
        case (_, .redirect): 154
        default: .value(exchange.body.count)
        }
    }

    private func content(_ exchange: SampleExchange) -> JSONLiteral {
        let type = exchange.headers.first { $0.name == "content-type" }?.value ?? "x-unknown"
        var members: [(String, JSONLiteral?)] = [("mimeType", "\(type)")]
        let body = exchange.body
        let text: JSONLiteral =
            exchange.isBinary || self == .k6 && !body.isEmpty
            ? "\(body.base64EncodedString())" : "\(String(decoding: body, as: UTF8.self))"
        let encoding: JSONLiteral? = exchange.isBinary || self == .k6 && !body.isEmpty ? "base64" : nil
        switch exchange {
        case .bodyMissing:
            switch self {
            case .playwright: members.append(("size", -1))
            case .chrome, .safari, .charles, .k6: members.append(("size", 5_120))
            case .firefox: members += [("size", 5_120), ("comment", "Response bodies are not included.")]
            case .insomnia: members += [("size", 0), ("text", "")]
            case .mitmproxy: members += [("size", 0), ("text", .some(nil))]
            }
        case .redirect where [.playwright, .chrome, .safari].contains(self):
            members.append(("size", self == .playwright ? -1 : 0))
        case .noContent where self != .insomnia && self != .mitmproxy,
            .head where self != .insomnia && self != .mitmproxy:
            members.append(("size", self == .playwright ? -1 : 0))
        default:
            // mitmproxy writes the size of the encoded body.
            let size = self == .mitmproxy && exchange == .json ? 61 : body.count
            members += [("size", .value(size)), ("text", text), ("encoding", encoding)]
        }
        return .object(members)
    }

    /// The response of a request that failed.
    private var failure: JSONLiteral {
        let members: [(String, JSONLiteral?)] =
            switch self {
            case .playwright:
                [
                    ("status", -1), ("content", ["size": -1, "mimeType": "x-unknown"]),
                    ("_failureText", "net::ERR_NAME_NOT_RESOLVED"), ("_transferSize", -1),
                ]
            case .chrome:
                [
                    ("status", 0), ("content", ["size": 0, "mimeType": "x-unknown"]), ("_transferSize", 0),
                    ("_error", "net::ERR_NAME_NOT_RESOLVED"),
                ]
            case .safari:
                [
                    ("status", 0), ("content", ["size": 0, "compression": 0, "mimeType": "x-unknown"]),
                    ("_error", "A server with the specified hostname could not be found."),
                ]
            case .charles: [("status", 0), ("_errorMessage", "Unknown host shop.example"), ("content", [:])]
            case .mitmproxy: [("status", 0), ("content", [:]), ("_error", "Name or service not known")]
            case .firefox: [("status", 0), ("content", ["mimeType": "text/plain", "size": 0, "text": ""])]
            case .insomnia, .k6: [("status", 0), ("content", ["size": 0, "mimeType": ""])]
            }
        return .object(
            [("statusText", ""), ("httpVersion", ""), ("headers", []), ("cookies", []), ("redirectURL", "")]
                + members)
    }
}
