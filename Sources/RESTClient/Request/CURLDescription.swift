import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension DataRequest {
    /// The request as a `curl` command for a POSIX shell, with secrets masked.
    ///
    /// Headers that are added by interceptors, such as credentials, are not included. A text body of up to 64 KB is
    /// included, with secret form fields, JSON members and tokens masked. For other bodies, the command reads a file or
    /// standard input.
    ///
    /// ```text
    /// curl -X POST -H 'Authorization: ***' -H 'Content-Type: application/json' --data-raw '{"id":7}' 'https://api.example.com/items'
    /// ```
    public var cURLDescription: String {
        CURLCommand(urlRequest, content: curlContent).description
    }

    private var curlContent: CURLCommand.Content? {
        if let data = urlRequest.httpBody { return .data(data) }
        if urlRequest.httpBodyStream != nil { return .unknown }
        return body.map { $0.preview() ?? .unknown }
    }
}

extension DataRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, with secrets masked.
    public var description: String { urlRequest.maskedDescription }

    /// A mirror with the cURL description and the options, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["cURL": cURLDescription, "options": options]) }
}

/// A `curl` command that is equivalent to a request, with secrets masked.
struct CURLCommand: CustomStringConvertible {
    /// The source of the request body.
    enum Content: Sendable {
        case data(Data)
        case file(URL)
        /// The body is created when the request is sent.
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
            // curl omits a header with a colon and no value; a semicolon sends an empty value.
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

    /// Returns `data` as text with secrets masked, if it is text without control characters.
    private static func shownText(_ data: Data, _ type: MediaType) -> String? {
        guard data.count <= maxTextBytes, let text = String(validating: data, as: UTF8.self),
            !text.unicodeScalars.contains(where: {
                TerminalEscaping.isUnsafe($0) && !["\n", "\r", "\t"].contains($0)
            })
        else { return nil }
        if type.essence == MediaType.form.essence { return Redaction.query(text) }
        let masked = Redaction.json(text)
        return type.isJSON || text.first.map { "{[".contains($0) } == true ? masked : Redaction.text(masked)
    }

    /// Returns `text` as one word of a POSIX shell, with control characters escaped.
    private static func shown(_ text: String) -> String {
        TerminalEscaping.shellQuoted(TerminalEscaping.escaped(text))
    }

    private static let maxTextBytes = 64 << 10
}

extension URLRequest {
    /// The method and the URL, with secrets masked.
    var maskedDescription: String {
        "\(httpMethod ?? "GET") \(url.map { Redaction.url($0) } ?? "(no URL)")"
    }

    fileprivate var type: String { value(forHTTPHeaderField: "Content-Type") ?? "" }
}
