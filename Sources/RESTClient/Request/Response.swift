public import Foundation
public import RESTClientHTTP

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What came back: one type for heads, buffers, streams, files and values.
///
/// Its `description` shows no secrets; its properties hold them as they were sent.
public struct Response<Body: Sendable>: Sendable {
    /// The request as it was answered: after interceptors and redirects.
    public var request: URLRequest
    /// The status.
    public var status: HTTPStatus
    /// The header fields. The platform hands them over in no order and joins duplicates by ", " (PLATFORM B); they come
    /// sorted by name.
    public var headers: HTTPHeaders
    /// The body, in the form that was asked for.
    public var body: Body
    /// The redirects on the way, the first one first.
    public var redirects: [RedirectPolicy.Hop]
    /// The exchanges with the server that led here, the last one last.
    public var attempts: [Attempt]

    /// A response made by hand: by a cache, in a test.
    public init(to request: URLRequest, status: HTTPStatus, headers: HTTPHeaders = [:], body: Body) {
        self.request = request
        self.status = status
        self.headers = headers
        self.body = body
        redirects = []
        attempts = []
    }

    /// The same response with another body.
    public func map<Other: Sendable>(_ transform: (Body) throws -> Other) rethrows -> Response<Other> {
        var other = Response<Other>(to: request, status: status, headers: headers, body: try transform(body))
        other.redirects = redirects
        other.attempts = attempts
        return other
    }

    /// The URL that answered, after redirects.
    public var url: URL? { request.url }

    /// What the body is, as the server says.
    public var mediaType: MediaType? { headers[.contentType].map(MediaType.init(rawValue:)) }
}

/// A response without its body.
public typealias ResponseHead = Response<Void>

/// A response with its whole body.
public typealias DataResponse = Response<Data>

/// A response whose body is still arriving.
public typealias StreamingResponse = Response<ByteStream>

extension Response: CustomStringConvertible, CustomReflectable {
    /// The status and the request it answers, secrets masked.
    public var description: String { "\(status) to \(request.redactedDescription)" }

    /// Shows to `dump` what is not a secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "request": request.redactedDescription, "headers": headers, "body": body,
                "redirects": redirects, "attempts": attempts,
            ])
    }
}

extension Response<Data> {
    /// The body decoded from JSON.
    ///
    /// - Throws: `RESTClientError` of kind `notJSON`, `malformedJSON` or `wrongShape`.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> T {
        if body.isEmpty, let nothing = NoContent() as? T { return nothing }
        do {
            return try decoder.decode(type, from: body)
        } catch {
            throw DecodingFailure(error, in: body).error(for: self)
        }
    }

    /// The body as text: UTF-8, or Latin-1 where it is not valid UTF-8 and the server says so.
    var text: String {
        if let text = String(validating: body, as: UTF8.self) { return text }
        let charset = mediaType?.rawValue.lowercased() ?? ""
        if charset.contains("iso-8859-1") || charset.contains("latin1") {
            return String(decoding: body.map { UInt16($0) }, as: UTF16.self)
        }
        return String(decoding: body, as: UTF8.self)
    }

    /// The part that an error keeps: without the headers that carry secrets, on both sides, and with the first 4 KB.
    func scrubbed() -> Self {
        var copy = self
        copy.body = Data(body.prefix(4096))
        copy.request = Self.scrubbed(request)
        copy.headers = HTTPHeaders()
        for field in headers where !Redaction.isSecret(header: field.name) {
            copy.headers.add(field.name, Redaction.value(field.value, of: field.name))
        }
        copy.redirects = redirects.map { hop in
            var hop = hop
            hop.from = URL(string: Redaction.url(hop.from)) ?? hop.from
            hop.proposed = Self.scrubbed(hop.proposed)
            return hop
        }
        return copy
    }

    private static func scrubbed(_ request: URLRequest) -> URLRequest {
        var copy = request
        copy.url = request.url.flatMap { URL(string: Redaction.url($0)) }
        copy.httpBody = nil
        copy.httpBodyStream = nil
        for name in (request.allHTTPHeaderFields ?? [:]).keys where Redaction.isSecret(header: .init(name)) {
            copy.setValue(nil, forHTTPHeaderField: name)
        }
        return copy
    }
}

/// Decodes from an empty body: of a 204, a 205, an answer to HEAD.
public struct NoContent: Decodable, Hashable, Sendable {
    /// Nothing.
    public init() {}

    /// Nothing, whatever is there.
    public init(from decoder: any Decoder) throws {}
}

/// One exchange with the server, as it went; redirects that were followed belong to it.
public struct Attempt: Sendable {
    /// The status that came, whether or not the validation accepts it, or why none came.
    public var outcome: Result<HTTPStatus, RESTClientError>
    /// When it began, from when the request was created.
    public var start: Duration
    /// From its start to the head of the last response, if one came.
    public var firstByte: Duration?
    /// From its start to its end.
    public var total: Duration
}
