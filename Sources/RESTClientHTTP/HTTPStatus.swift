/// A status code, such as 404 (RFC 9110, section 15).
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
    /// The three digits.
    public let rawValue: Int

    /// A status of any number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(rawValue) }

    /// 300 to 399.
    public var isRedirect: Bool { (300..<400).contains(rawValue) }

    /// Whether a response of this status has no body, whatever its headers say (RFC 9110, section 6.4.1).
    public var hasNoBody: Bool { rawValue < 200 || [204, 205, 304].contains(rawValue) }

    /// The registered reason phrase, or an empty string; a server's own phrase never reaches us.
    public var reasonPhrase: String { Self.reasons[rawValue] ?? "" }

    private static let reasons: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency",
        425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        507: "Insufficient Storage", 508: "Loop Detected", 511: "Network Authentication Required",
    ]
}

extension HTTPStatus: Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// A status of any number: `let status: HTTPStatus = 418`.
    public init(integerLiteral value: Int) { self.init(rawValue: value) }

    /// By number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The number and, where it is registered, the reason: `404 Not Found`.
    public var description: String { reasonPhrase.isEmpty ? "\(rawValue)" : "\(rawValue) \(reasonPhrase)" }
}
