package import Foundation

/// A request method, such as GET; case-sensitive (RFC 9110, section 9.1).
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The method as written in the request line.
    public let rawValue: String

    /// Creates a method with any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `GET`
    public static let get: Self = "GET"
    /// `HEAD`
    public static let head: Self = "HEAD"
    /// `POST`
    public static let post: Self = "POST"
    /// `PUT`
    public static let put: Self = "PUT"
    /// `PATCH`
    public static let patch: Self = "PATCH"
    /// `DELETE`
    public static let delete: Self = "DELETE"
    /// `OPTIONS`
    public static let options: Self = "OPTIONS"
    /// `TRACE`
    public static let trace: Self = "TRACE"

    /// `true` if sending the request several times has the same effect as sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { Self.idempotent.contains(self) }

    private static let idempotent: Set<Self> = [.get, .head, .put, .delete, .options, .trace]
}

extension HTTPMethod: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a method with any name: `let method: HTTPMethod = "PURGE"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The method as written in the request line, safe to show: a method that is not valid can contain control characters.
    public var description: String { TerminalEscaping.escaped(rawValue, limit: 80) }
}

/// A 3-digit status code, such as 404 (RFC 9110, section 15).
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
    /// The status code as a number.
    public let rawValue: Int

    /// Creates a status with any number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `true` for 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(rawValue) }

    /// `true` for 300 to 399.
    public var isRedirect: Bool { (300..<400).contains(rawValue) }

    /// `true` if a response with this status never has a body, regardless of its headers (RFC 9110, section 6.4.1).
    public var hasNoBody: Bool { rawValue < 200 || [204, 205, 304].contains(rawValue) }

    /// The registered reason phrase, or an empty string. The phrase that the server sent is not available.
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
    /// Creates a status with any number: `let status: HTTPStatus = 418`.
    public init(integerLiteral value: Int) { self.init(rawValue: value) }

    /// 200.
    public static let ok: Self = 200
    /// 201.
    public static let created: Self = 201
    /// 204.
    public static let noContent: Self = 204
    /// 400.
    public static let badRequest: Self = 400
    /// 401.
    public static let unauthorized: Self = 401
    /// 403.
    public static let forbidden: Self = 403
    /// 404.
    public static let notFound: Self = 404
    /// 409.
    public static let conflict: Self = 409
    /// 429.
    public static let tooManyRequests: Self = 429
    /// 500.
    public static let internalServerError: Self = 500
    /// 503.
    public static let serviceUnavailable: Self = 503

    /// Compares the numbers.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The number and the registered reason phrase: `404 Not Found`.
    public var description: String { reasonPhrase.isEmpty ? "\(rawValue)" : "\(rawValue) \(reasonPhrase)" }
}

/// A media type with its parameters, such as `text/html; charset=utf-8` (RFC 9110, section 8.3).
public struct MediaType: RawRepresentable, Hashable, Sendable {
    /// The value of a `Content-Type` header.
    public let rawValue: String

    /// Creates a media type from the value of a `Content-Type` header.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The type and subtype in lower case, without parameters: `text/html`.
    public var essence: String {
        let end = rawValue.firstIndex(of: ";") ?? rawValue.endIndex
        return rawValue[..<end].filter { !$0.isWhitespace }.lowercased()
    }

    /// `true` for `application/json`, `text/json`, any `+json` type (RFC 6839, section 3.1), and versions of JSON such as
    /// `application/x-amz-json-1.1`.
    public var isJSON: Bool {
        let essence = essence
        return essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
            || essence.hasPrefix("application/x-amz-json-")
    }

    /// `true` for the types of JSON Lines and of JSON text sequences (RFC 7464), such as `application/x-ndjson`.
    public var isJSONSequence: Bool {
        [
            "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
            "application/jsonlines", "application/x-jsonlines", "application/json-lines",
            "application/json-seq", "application/stream+json", "application/x-json-stream",
        ].contains(essence)
    }

    /// `application/json`
    public static let json: Self = "application/json"
    /// `application/problem+json` (RFC 9457)
    public static let problemJSON: Self = "application/problem+json"
    /// `text/plain; charset=utf-8`
    public static let text: Self = "text/plain; charset=utf-8"
    /// `text/html; charset=utf-8`
    public static let html: Self = "text/html; charset=utf-8"
    /// `application/octet-stream`
    public static let octetStream: Self = "application/octet-stream"
    /// `application/x-www-form-urlencoded`
    public static let form: Self = "application/x-www-form-urlencoded"
    /// `text/event-stream`
    public static let eventStream: Self = "text/event-stream"
}

extension MediaType {
    /// Creates the type of a file from its extension. Returns `nil` if the extension is unknown.
    package init?(ofFile file: URL) {
        guard let type = Self.byExtension[file.pathExtension.lowercased()] else { return nil }
        self = type
    }

    private static let byExtension: [String: MediaType] = [
        "json": .json, "txt": .text, "html": .html, "htm": .html, "csv": "text/csv; charset=utf-8",
        "xml": "application/xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "svg": "image/svg+xml", "pdf": "application/pdf", "zip": "application/zip",
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    ]
}

extension MediaType: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a media type with any name: `let type: MediaType = "image/png"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The value of a `Content-Type` header.
    public var description: String { rawValue }
}

extension UInt8 {
    /// `true` for the ASCII digits.
    package var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// `true` for the ASCII letters and digits.
    package var isASCIIAlphanumeric: Bool {
        isASCIIDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
    }

    /// `true` if a method or the name of a header field can contain the byte (RFC 9110, section 5.6.2).
    @inlinable package var isTokenByte: Bool {
        switch self {
        case 48...57, 65...90, 94...122, 33, 35...39, 42, 43, 45, 46, 124, 126: true
        default: false
        }
    }

    /// `true` if the value of a header field can contain the byte (RFC 9110, section 5.5).
    @inlinable package var isFieldByte: Bool { self >= 32 && self != 127 || self == 9 }
}

extension String {
    /// `true` for a token (RFC 9110, section 5.6.2), such as a method or the name of a header field.
    package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }

    /// `true` for the value of a header field: text without control characters (RFC 9110, section 5.5).
    package var isFieldValue: Bool { utf8.allSatisfy(\.isFieldByte) }

    /// The value of several equal header fields, which were joined with a comma.
    package var withoutRepetition: String {
        let parts = components(separatedBy: ", ")
        let period = (1..<parts.count).first { length in
            parts.count.isMultiple(of: length) && parts.indices.allSatisfy { parts[$0] == parts[$0 % length] }
        }
        return period.map { parts.prefix($0).joined(separator: ", ") } ?? self
    }
}
