import Foundation
import RESTClientHTTP

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
        let body = curlBody
        var words = ["curl"]
        switch urlRequest.method {
        case .get where body.isEmpty: break
        case .head: words.append("--head")
        default: words += ["-X", Self.shown(urlRequest.method.rawValue)]
        }
        for (name, value) in HTTPHeaders(urlRequest.allHTTPHeaderFields ?? [:]) {
            let shown = Redaction.value(value, of: name)
            // curl omits a header with a colon and no value; a semicolon sends an empty value.
            words += ["-H", Self.shown(shown.isEmpty ? "\(name);" : "\(name): \(shown)")]
        }
        words += body
        let url = urlRequest.url.map { Redaction.url($0) } ?? ""
        if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
        return (words + [TerminalEscaping.shellQuoted(url)]).joined(separator: " ")
    }

    /// The option for the body; empty without a body.
    private var curlBody: [String] {
        let preview = urlRequest.httpBodyStream == nil ? body?.preview(options.encoder) : .unknown
        switch urlRequest.httpBody.map(RequestBody.Preview.data) ?? preview {
        case nil: return []
        case .data(let data):
            guard let text = shownText(data) else { return ["--data-binary", "@-"] }
            return ["--data-raw", TerminalEscaping.shellQuoted(text)]
        case .file(let url): return ["--data-binary", Self.shown("@\(url.path(percentEncoded: false))")]
        case .unknown: return ["--data-binary", "@-"]
        }
    }

    /// Returns `data` as text with secrets masked, if it is text without control characters.
    private func shownText(_ data: Data) -> String? {
        guard data.count <= 64 << 10, let text = String(validating: data, as: UTF8.self),
            !text.unicodeScalars.contains(where: {
                TerminalEscaping.isUnsafe($0) && !["\n", "\r", "\t"].contains($0)
            })
        else { return nil }
        var scrubber = SecretScrubber()
        let type = urlRequest[.contentType].map { [.contentType: $0] as HTTPHeaders } ?? [:]
        return scrubber.masked(data, type).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns `text` as one word of a POSIX shell, with control characters escaped.
    private static func shown(_ text: String) -> String {
        TerminalEscaping.shellQuoted(TerminalEscaping.escaped(text))
    }
}

extension DataRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, with secrets masked.
    public var description: String { urlRequest.maskedDescription }

    /// A mirror with the cURL description and the options, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["cURL": cURLDescription, "options": options]) }
}

extension URLRequest {
    /// The method and the URL, with secrets masked.
    var maskedDescription: String { "\(method) \(url.map { Redaction.url($0) } ?? "(no URL)")" }
}
