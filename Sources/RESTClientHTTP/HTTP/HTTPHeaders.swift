/// An ordered list of header fields that can contain duplicates. Names are case-insensitive (RFC 9110, section 5).
///
/// ```swift
/// var headers: HTTPHeaders = [.accept: "application/json", "X-Trace": "7"]
/// headers.add(.cookie, "a=1")
/// headers["accept"]           // "application/json"
/// ```
public struct HTTPHeaders: Hashable, Sendable {
    /// A case-insensitive field name that keeps the case it was written in.
    public struct Name: Sendable {
        /// The name as written.
        public let rawValue: String
        fileprivate let folded: String

        /// Creates a name.
        public init(_ name: String) {
            rawValue = name
            folded = name.lowercased()
        }

        /// Returns `true` if `name` is this name. Most others differ in length, and are not folded.
        package func matches(_ name: String) -> Bool {
            name.utf8.count == rawValue.utf8.count && Self(name) == self
        }
    }

    private struct Field: Hashable, Sendable {
        let name: Name
        let value: String
    }

    private var fields: [Field] = []

    /// Creates an empty list of fields.
    public init() {}

    /// Creates the fields of a dictionary, such as `URLRequest.allHTTPHeaderFields`, sorted by name.
    public init(_ fields: [String: String]) {
        self.fields = fields.map { Field(name: Name($0), value: $1) }.sorted {
            $0.name.rawValue < $1.name.rawValue
        }
    }

    /// Creates the fields of an untyped dictionary, such as `HTTPURLResponse.allHeaderFields`, sorted by name.
    package init(_ fields: [AnyHashable: Any]) {
        self.fields = fields.map { name, value in
            Field(name: Name(name as? String ?? "\(name)"), value: value as? String ?? "\(value)")
        }.sorted { $0.name.rawValue < $1.name.rawValue }
    }

    /// Creates the fields of a response, sorted by name. The values of equal names are joined with ", ".
    package init(joining fields: [(name: String, value: String)]) {
        var places: [Name: Int] = [:]
        places.reserveCapacity(fields.count)
        self.fields.reserveCapacity(fields.count)
        for (name, value) in fields {
            let name = Name(name)
            if let place = places[name] {
                let first = self.fields[place]
                self.fields[place] = Field(name: first.name, value: "\(first.value), \(value)")
            } else {
                places[name] = self.fields.count
                self.fields.append(Field(name: name, value: value))
            }
        }
        self.fields.sort { $0.name.rawValue < $1.name.rawValue }
    }

    /// The values of `name` joined with ", ", or `nil` if there is none. Setting a value replaces all of them.
    public subscript(name: Name) -> String? {
        get {
            let values = self[all: name]
            return values.count > 1 ? values.joined(separator: ", ") : values.first
        }
        set {
            let first = fields.firstIndex { $0.name == name }
            fields.removeAll { $0.name == name }
            guard let newValue else { return }
            fields.insert(Field(name: name, value: newValue), at: first ?? fields.endIndex)
        }
    }

    /// The values of `name`, in order.
    public subscript(all name: Name) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Appends a field and keeps existing fields with the same name.
    public mutating func add(_ name: Name, _ value: String) { fields.append(Field(name: name, value: value)) }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }

    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }

    /// The field at `position`.
    public subscript(position: Int) -> (name: Name, value: String) {
        (fields[position].name, fields[position].value)
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates fields in the given order. A name may occur more than once. A field whose value is `nil` is omitted.
    public init(dictionaryLiteral elements: (Name, String?)...) {
        fields = elements.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }
}

extension HTTPHeaders.Name: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a name: `let name: HTTPHeaders.Name = "X-Trace"`.
    public init(stringLiteral value: String) { self.init(value) }

    /// Compares the names without case.
    public static func == (left: Self, right: Self) -> Bool { left.folded == right.folded }

    /// Hashes the values that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    /// The name as written.
    public var description: String { rawValue }
}

extension HTTPHeaders.Name {
    /// `Accept`
    public static let accept: Self = "Accept"
    /// `Accept-Encoding`
    public static let acceptEncoding: Self = "Accept-Encoding"
    /// `Authorization`
    public static let authorization: Self = "Authorization"
    /// `Content-Encoding`
    public static let contentEncoding: Self = "Content-Encoding"
    /// `Content-Length`
    public static let contentLength: Self = "Content-Length"
    /// `Content-Type`
    public static let contentType: Self = "Content-Type"
    /// `Cookie`
    public static let cookie: Self = "Cookie"
    /// `Date`
    public static let date: Self = "Date"
    /// `ETag`
    public static let eTag: Self = "ETag"
    /// `Host`
    public static let host: Self = "Host"
    /// `Idempotency-Key`
    public static let idempotencyKey: Self = "Idempotency-Key"
    /// `If-Modified-Since`
    public static let ifModifiedSince: Self = "If-Modified-Since"
    /// `If-None-Match`
    public static let ifNoneMatch: Self = "If-None-Match"
    /// `If-Range`
    public static let ifRange: Self = "If-Range"
    /// `Last-Modified`
    public static let lastModified: Self = "Last-Modified"
    /// `Link`
    public static let link: Self = "Link"
    /// `Location`
    public static let location: Self = "Location"
    /// `Range`
    public static let range: Self = "Range"
    /// `Retry-After`
    public static let retryAfter: Self = "Retry-After"
    /// `Set-Cookie`
    public static let setCookie: Self = "Set-Cookie"
    /// `Transfer-Encoding`
    public static let transferEncoding: Self = "Transfer-Encoding"
    /// `User-Agent`
    public static let userAgent: Self = "User-Agent"
    /// `WWW-Authenticate`
    public static let wwwAuthenticate: Self = "WWW-Authenticate"
}
