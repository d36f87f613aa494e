import Foundation
import RESTClientHTTP

/// Checks of a request before it is sent. URLSession would ignore or misinterpret the invalid parts, or crash (PLATFORM
/// B).
extension URLRequest {
    /// Returns a valid copy of the request, or throws. `hasFile` is `true` if the body is sent from a file.
    ///
    /// - Throws: `RESTClientError` of kind `invalidRequest`.
    func checked(hasFile: Bool = false) throws -> URLRequest {
        var request = self
        if url?.isPlain != true {
            request = withoutUserInfo()
            request.url = try request.checkedURL()
        }
        guard method.rawValue.isToken else { throw invalid(.invalidMethod(method.rawValue)) }
        let hasBody = hasFile || httpBody != nil || httpBodyStream != nil
        guard !hasBody || allowsBody else { throw invalid(.bodyNotAllowed(method)) }
        for (name, value) in allHTTPHeaderFields ?? [:] {
            try checkHeader(name, value)
            if Self.reservedHeaders.contains(name.lowercased()) { throw invalid(.reservedHeader(name)) }
        }
        return request.withoutPlatformFeatures()
    }

    /// `true` if the method is idempotent (RFC 9110, section 9.2.2) or the request has an `Idempotency-Key`.
    var isIdempotent: Bool { method.isIdempotent || self[.idempotencyKey] != nil }

    /// Returns the URL in a form that URLSession accepts, or throws.
    func checkedURL() throws -> URL {
        guard let url, let scheme = url.scheme else { throw invalid(.missingURL) }
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(scheme.lowercased())
        else { throw invalid(.unsupportedScheme(scheme)) }
        guard let host = parts.percentEncodedHost, !host.isEmpty else { throw invalid(.missingHost) }
        // A port that is not a number is `nil` in `URLComponents`, which means the default port.
        if let range = parts.rangeOfPort, !range.isEmpty, let text = parts.string?[range],
            !(Int(text).map { (1...65_535).contains($0) } ?? false)
        {
            throw invalid(.invalidPort(String(text)))
        }
        // URLSession accepts only lower-case schemes, and a fragment is not sent to a server.
        guard scheme != scheme.lowercased() || parts.fragment != nil else { return url }
        parts.scheme = scheme.lowercased()
        parts.fragment = nil
        return parts.url ?? url
    }

    private func checkHeader(_ name: String, _ value: String) throws {
        guard name.isToken else { throw invalid(.invalidHeaderName(name)) }
        guard value.isFieldValue else { throw invalid(.invalidHeaderValue(name: name)) }
    }

    private static let reservedHeaders: Set<String> = [
        "content-length", "transfer-encoding", "host", "connection", "keep-alive", "upgrade", "te", "trailer",
    ]

    private func invalid(_ reason: RESTClientError.InvalidRequest) -> RESTClientError {
        RESTClientError(.invalidRequest(reason), self)
    }

    /// Returns a copy that does not use the cookies, the cache and the timeout of URLSession. The timeout is set to a
    /// year: its resolution is one second, and infinite or very large values trap (PLATFORM B).
    func withoutPlatformFeatures() -> URLRequest {
        var copy = self
        copy.timeoutInterval = 86_400 * 365
        copy.httpShouldHandleCookies = false
        copy.cachePolicy = .reloadIgnoringLocalCacheData
        return copy
    }

    /// Returns a copy with the user info of the URL moved to a Basic `Authorization` header, unless the request has one.
    func withoutUserInfo() -> URLRequest {
        guard let url, url.user(percentEncoded: true) != nil || url.password(percentEncoded: true) != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return self }
        let credential = Credential.basic(user: parts.user ?? "", password: parts.password ?? "")
        parts.percentEncodedUser = nil
        parts.percentEncodedPassword = nil
        var copy = self
        copy.url = parts.url
        copy[.authorization] = self[.authorization] ?? credential.value
        return copy
    }

    /// Sets the fields of `headers`; fields with the same name are joined.
    ///
    /// - Throws: `RESTClientError` of kind `invalidRequest`.
    mutating func set(_ headers: HTTPHeaders) throws {
        for field in headers {
            let values = headers[all: field.name]
            try setHeader(field.name, to: values.joined(separator: field.name == .cookie ? "; " : ", "))
        }
    }

    /// Sets a header field, which URLSession would drop without an error if it were not valid.
    ///
    /// - Throws: `RESTClientError` of kind `invalidRequest`.
    mutating func setHeader(_ name: HTTPHeaders.Name, to value: String) throws {
        try checkHeader(name.rawValue, value)
        self[name] = value
    }

    /// The value of a header field. Setting it does not check the value, and has no effect without a URL: the request
    /// cannot be sent, and on Linux a copy of it cannot be changed.
    subscript(name: HTTPHeaders.Name) -> String? {
        get { value(forHTTPHeaderField: name.rawValue) }
        set { if url != nil { setValue(newValue, forHTTPHeaderField: name.rawValue) } }
    }

    /// The method, GET by default.
    var method: HTTPMethod { HTTPMethod(rawValue: httpMethod ?? "GET") }

    /// `true` unless the method is GET, HEAD or TRACE (RFC 9110, section 9.3), in any case of letters.
    var allowsBody: Bool { !["GET", "HEAD", "TRACE"].contains(method.rawValue.uppercased()) }
}
