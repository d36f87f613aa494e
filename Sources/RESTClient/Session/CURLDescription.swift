import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension DataRequest {
    /// The request as a `curl` command for a POSIX shell: quoted, secrets masked, the URL last.
    ///
    /// It says what goes to the interceptors; what they add, such as a credential, is not in it. A body of text up to
    /// 64 KB is in it, with the values of secret-looking form fields and JSON members masked; of any other, the command
    /// reads a file or the standard input.
    ///
    /// ```text
    /// curl -X POST -H 'Authorization: ***' -H 'Content-Type: application/json' --data-raw '{"id":7}' 'https://api.example.com/items'
    /// ```
    public var cURLDescription: String {
        CURLCommand(urlRequest, content: curlContent).description
    }
}

extension DataRequest: CustomStringConvertible, CustomReflectable {
    /// Method and URL, secrets masked.
    public var description: String { urlRequest.redactedDescription }

    /// Shows to `dump` what `cURLDescription` shows.
    public var customMirror: Mirror { Mirror(self, children: ["cURL": cURLDescription, "options": options]) }
}

/// A request as arguments of `curl`.
struct CURLCommand: CustomStringConvertible {
    /// What a body is to somebody who reads about it.
    enum Content: Sendable {
        case data(Data)
        case file(URL)
        /// Made when the request is sent.
        case unknown
    }

    private var words = ["curl"]

    init(_ request: URLRequest, content: Content?) {
        let method = request.httpMethod ?? "GET"
        switch method {
        case "GET" where content == nil: break
        case "HEAD": words.append("--head")
        default: words += ["-X", Self.shown(method)]
        }
        for (name, value) in HTTPHeaders(request.allHTTPHeaderFields ?? [:]) {
            let shown = Redaction.value(value, of: name)
            // With a colon and nothing behind it curl would leave the header out.
            words += ["-H", Self.shown(shown.isEmpty ? "\(name);" : "\(name): \(shown)")]
        }
        if let content { words += Self.body(content, MediaType(rawValue: request.type)) }
        let url = request.url.map { Redaction.url($0) } ?? ""
        if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
        words.append(TerminalEscaping.shellQuoted(url))
    }

    var description: String { words.joined(separator: " ") }

    private static func body(_ content: Content, _ type: MediaType) -> [String] {
        switch content {
        case .data(let data):
            guard let text = shownText(data, type) else { return ["--data-binary", "@-"] }
            return ["--data-raw", TerminalEscaping.shellQuoted(text)]
        case .file(let url): return ["--data-binary", shown("@\(url.path(percentEncoded: false))")]
        case .unknown: return ["--data-binary", "@-"]
        }
    }

    /// `data` as text that does no harm where it is shown, its secrets masked.
    private static func shownText(_ data: Data, _ type: MediaType) -> String? {
        guard data.count <= longest, let text = String(validating: data, as: UTF8.self),
            !text.unicodeScalars.contains(where: {
                TerminalEscaping.isUnsafe($0) && !["\n", "\r", "\t"].contains($0)
            })
        else { return nil }
        if type.isJSON { return Redaction.json(text) }
        return type.essence == MediaType.form.essence ? Redaction.query(text) : text
    }

    /// `text` as one word of a POSIX shell that drives no terminal; what is escaped for that could not be sent, mostly.
    private static func shown(_ text: String) -> String { TerminalEscaping.shellQuoted(TerminalEscaping.escaped(text)) }

    private static let longest = 64 << 10
}

extension URLRequest {
    /// Method and URL, secrets masked.
    var redactedDescription: String { "\(httpMethod ?? "GET") \(url.map { Redaction.url($0) } ?? "no URL")" }

    fileprivate var type: String { value(forHTTPHeaderField: "Content-Type") ?? "" }
}
