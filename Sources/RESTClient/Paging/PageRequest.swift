public import Foundation
public import RESTClientHTTP

/// The differences between the request of a page and the request of the client.
///
/// ```swift
/// var next = PageRequest(page.url)
/// next.members["start_cursor"] = "x9"  // {"page_size": 50} becomes {"page_size": 50, "start_cursor": "x9"}
/// ```
public struct PageRequest: Sendable {
    /// The URL of the page.
    public var url: URL
    /// The method, or `nil` for the method of the client's request.
    public var method: HTTPMethod?
    /// The header fields that are set in addition to those of the client's request, or that replace them.
    public var headers: HTTPHeaders = [:]
    /// The JSON body, or `nil` for the body of the client's request.
    public var body: JSONLiteral?
    /// The members of the JSON body that are replaced or added. A body that is not a JSON object is an error of kind
    /// `pagination`.
    public var members: [MemberPath: JSONLiteral] = [:]
    /// A Boolean value that indicates whether several pages may have this request. Defaults to `false`: a request that
    /// was sent before is an error, because the pages would form a loop.
    public var isRepeatable = false

    /// Creates the request of the page at `url`, which otherwise does not differ from that of the client.
    public init(_ url: URL) { self.url = url }
}

/// A description of the request of a page: a `URL`, or a `PageRequest`.
public protocol PageRequestConvertible: Sendable {
    /// The request of the page.
    var pageRequest: PageRequest { get }
}

extension URL: PageRequestConvertible {
    /// The request of the page at this URL.
    public var pageRequest: PageRequest { PageRequest(self) }
}

extension PageRequest: PageRequestConvertible {
    /// The request itself.
    public var pageRequest: PageRequest { self }

    /// A Boolean value that indicates whether the request differs from that of the client only in the URL.
    var hasOnlyURL: Bool { method == nil && headers.isEmpty && body == nil && members.isEmpty }

    /// Returns the JSON object of the body, or `nil` if there is none. `original` is the body of the client's request.
    func json(original: Envelope?) throws -> Envelope? {
        guard body != nil || !members.isEmpty else { return original }
        var json = try body.map { Envelope(text: Array(try $0.encoded())) } ?? original
        for (path, value) in members.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            guard let changed = json?.setting(path, to: Array(try value.encoded()))
            else { throw RESTClientError(pagination: .bodyNotObject) }
            json = changed
        }
        return json
    }
}

extension DataRequest {
    /// The JSON object in the body, or `nil` if the body is something else.
    var jsonBody: Envelope? {
        guard let type = urlRequest.value(forHTTPHeaderField: "Content-Type"),
            MediaType(rawValue: type).isJSON, let data = bodyData,
            case .object? = (try? JSONLiteral(parsing: data))?.node
        else { return nil }
        return Envelope(text: Array(data))
    }

    private var bodyData: Data? {
        if case .data(let data)? = body?.preview(options.encoder) { data } else { urlRequest.httpBody }
    }

    /// Returns the request of a page, whose JSON body is `json`.
    func page(_ page: PageRequest, json: Envelope?) throws -> Self {
        var request = self
        // The first page has the URL of the request, and setting it takes time.
        if page.url != request.urlRequest.url { request.urlRequest.url = page.url }
        if page.hasOnlyURL { return request }
        if let method = page.method { request.urlRequest.httpMethod = method.rawValue }
        if let json, page.body != nil || !page.members.isEmpty {
            request.urlRequest.httpBody = nil
            request.body = .data(Data("\(json)".utf8), type: .json)
            if request.urlRequest.value(forHTTPHeaderField: "Content-Type") == nil {
                try request.urlRequest.setHeader(.contentType, to: MediaType.json.rawValue)
            }
        }
        try request.urlRequest.set(page.headers)
        return request
    }
}
