/// What a body is: a type, a subtype and parameters, such as `text/html; charset=utf-8` (RFC 9110, section 8.3).
public struct MediaType: RawRepresentable, Hashable, Sendable {
    /// The value of a `Content-Type` header.
    public let rawValue: String

    /// A media type from the value of a `Content-Type` header.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Type and subtype, lower case, without parameters: `text/html`.
    public var essence: String {
        let end = rawValue.firstIndex(of: ";") ?? rawValue.endIndex
        return rawValue[..<end].filter { !$0.isWhitespace }.lowercased()
    }

    /// Whether it says JSON: `application/json`, `text/json`, or any `+json` (RFC 6839, section 3.1).
    public var isJSON: Bool {
        let essence = essence
        return essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
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

extension MediaType: ExpressibleByStringLiteral, CustomStringConvertible {
    /// A media type of any name: `let type: MediaType = "image/png"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The value of a `Content-Type` header.
    public var description: String { rawValue }
}
