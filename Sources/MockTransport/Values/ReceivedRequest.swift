public import Foundation

/// A request received by a mock server.
public struct ReceivedRequest: Sendable, CustomStringConvertible {
    /// The HTTP method.
    public let method: HTTPMethod
    /// The URL as sent by the client.
    public let url: URL
    /// The header fields, sorted by name: URLSession stores them without an order.
    public let headers: HTTPHeaders
    /// The whole body, sent as data or as a stream. Empty if there was none.
    public internal(set) var body: Data
    /// The arrival time on the server's clock, since the server was created.
    public let time: Duration
    /// The matching route as written in code, or `nil` if none matched.
    public internal(set) var route: String?
    /// The name of the matching route, or `nil` if it has none.
    public internal(set) var routeName: String?
    /// The cache policy of the request, or `nil` if it was received over a socket.
    public internal(set) var cachePolicy: URLRequest.CachePolicy?

    /// The identifier of the matching route, and the number of requests that the routes have answered.
    var call: (route: Int, number: Int)?
    var captures: [String: String] = [:]
    /// An object that all copies of the request share.
    let identity = Identity()
    /// The percent-encoded path of the URL.
    public let path: String

    init(
        method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: Data = Data(), time: Duration = .zero
    ) {
        (self.method, self.url) = (method, url)
        path = url.path(percentEncoded: true)
        (self.headers, self.body, self.time) = (headers, body, time)
    }

    /// Creates a request that a protocol loads, without its body.
    init(_ request: URLRequest, _ url: URL, _ headers: HTTPHeaders, at time: Duration) {
        self.init(
            method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url, headers: headers, time: time)
        cachePolicy = request.cachePolicy
    }

    /// The decoded items of the URL's query.
    public var query: QueryItems { QueryItems(of: url) }

    /// The decoded items of a form body (`application/x-www-form-urlencoded`).
    public var form: QueryItems { QueryItems(percentEncoded: text) }

    /// The body as text. Invalid UTF-8 is replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The value captured by the route's URL pattern: `"/items/:id"` gives `request["id"]`.
    public subscript(capture: String) -> String? { captures[capture] }

    /// The captured value converted to a type: `request["id", as: Int.self]`.
    public subscript<Value: LosslessStringConvertible>(capture: String, as type: Value.Type) -> Value? {
        captures[capture].flatMap(Value.init)
    }

    /// Decodes the body as JSON. Throws `DecodingError` if it is not valid.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value { try decoder.decode(type, from: body) }

    /// The method and the URL, with secrets masked.
    public var description: String { "\(method) \(Redaction.url(url))" }
}

extension URL {
    /// The port, or the usual one of the scheme.
    var usualPort: Int { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}

extension ReceivedRequest {
    final class Identity: Sendable {}

    /// A part of a multipart body (RFC 7578).
    public struct Part: Sendable {
        /// The name of the form field.
        public let name: String
        /// The name of the file, or `nil` if the part is not a file.
        public let filename: String?
        /// The header fields of the part.
        public let headers: HTTPHeaders
        /// The content of the part.
        public let body: Data

        /// The content as text. Invalid UTF-8 is replaced.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The parts of a multipart body, in order. Empty if the body is not multipart.
    public var parts: [Part] {
        guard let parser = headers[.contentType].flatMap({ MultipartBody(body, type: $0) }) else { return [] }
        return parser.sections.compactMap { section in
            guard section.isComplete, let name = section.name else { return nil }
            return Part(
                name: name, filename: section.filename, headers: section.headers,
                body: parser.body(of: section))
        }
    }

    /// The cookies of all `Cookie` fields, in order (RFC 6265, section 4.2).
    var cookies: [(name: String, value: String)] {
        headers[all: .cookie].flatMap { $0.split(separator: ";") }.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            return (name, parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
    }
}
