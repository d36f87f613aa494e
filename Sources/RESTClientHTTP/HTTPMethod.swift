/// A request method, such as GET; case-sensitive (RFC 9110, section 9.1).
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it stands in the request line.
    public let rawValue: String

    /// A method of any name.
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

    /// Whether sending it twice means no more than sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { Self.idempotent.contains(self) }

    private static let idempotent: Set<Self> = [.get, .head, .put, .delete, .options, .trace]
}

extension HTTPMethod: ExpressibleByStringLiteral, CustomStringConvertible {
    /// A method of any name: `let method: HTTPMethod = "PURGE"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The method as it stands in the request line.
    public var description: String { rawValue }
}
