public import Foundation

/// What the server got.
public struct ReceivedRequest: Sendable, CustomStringConvertible {
    /// The method of the request line.
    public let method: HTTPMethod
    /// The URL as the client wrote it.
    public let url: URL
    /// The header fields, sorted by name: URLSession keeps them without an order.
    public let headers: HTTPHeaders
    /// The whole body, whether it came as data or as a stream; empty where there was none.
    public let body: Data
    /// When it came, on the server's clock, since the server was made.
    public let time: Duration
    /// The route that answers it, as it is written; `nil` where none matched.
    public internal(set) var route: String?

    var captures: [String: String] = [:]
    /// The path as it stands in the URL: every route looks at it.
    let path: String

    init(
        method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: Data = Data(), time: Duration = .zero
    ) {
        self.method = method
        self.url = url
        path = url.path(percentEncoded: true)
        self.headers = headers
        self.body = body
        self.time = time
    }

    /// The items of the URL's query, decoded.
    public var query: QueryItems { QueryItems(of: url) }

    /// The items of a form body (`application/x-www-form-urlencoded`), decoded.
    public var form: QueryItems { QueryItems(percentEncoded: text) }

    /// The body as text; bytes that are not UTF-8 are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// What a part of the route's URL pattern stood for: `"/items/:id"` gives `request["id"]`.
    public subscript(capture: String) -> String? { captures[capture] }

    /// The same as a value: `request["id", as: Int.self]`.
    public subscript<Value: LosslessStringConvertible>(capture: String, as type: Value.Type) -> Value? {
        captures[capture].flatMap(Value.init)
    }

    /// The body as JSON; throws `DecodingError` when it is something else.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }

    /// Method and URL, secrets masked.
    public var description: String { "\(method) \(Redaction.url(url))" }
}
