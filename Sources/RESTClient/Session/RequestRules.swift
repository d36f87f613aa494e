import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a request must be to go onto the wire: everything that the platform would drop, misread or trap on is
/// refused here, with words (PLATFORM B).
extension URLRequest {
    /// A copy that may be sent, with a body on disk if it `hasFile`.
    ///
    /// - Throws: `RESTClientError` of kind `invalidRequest`.
    func checked(hasFile: Bool = false) throws -> URLRequest {
        var request = self
        if url?.isPlain != true {
            request = withoutUserInfo()
            request.url = try request.checkedURL()
        }
        try checkMethod(hasFile: hasFile)
        try checkHeaders()
        return request.forTransport()
    }

    /// Its URL as the platform may have it.
    func checkedURL() throws -> URL {
        guard let url, let scheme = url.scheme else {
            throw invalid(.missingURL)
        }
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(scheme.lowercased())
        else { throw invalid(.unsupportedScheme(scheme)) }
        guard let host = parts.percentEncodedHost, !host.isEmpty else { throw invalid(.missingHost) }
        #if canImport(FoundationNetworking)
        guard !host.hasPrefix("[") else {
            throw invalid(.ipv6Literal)
        }
        #endif
        // A port that is no number at all counts as none, and would be the scheme's own.
        if let range = parts.rangeOfPort, !range.isEmpty, let text = parts.string?[range],
            !(Int(text).map { (1...65_535).contains($0) } ?? false)
        {
            throw invalid(.invalidPort(String(text)))
        }
        // The platform knows lower-case schemes only, and a fragment is not the server's business.
        guard scheme != scheme.lowercased() || parts.fragment != nil else { return url }
        parts.scheme = scheme.lowercased()
        parts.fragment = nil
        return parts.url ?? url
    }

    private func checkMethod(hasFile: Bool) throws {
        let method = httpMethod ?? "GET"
        guard method.isToken else { throw invalid(.invalidMethod(method)) }
        if ["GET", "HEAD"].contains(method.uppercased()), hasFile || httpBody != nil || httpBodyStream != nil
        {
            throw invalid(.bodyNotAllowed(HTTPMethod(rawValue: method)))
        }
    }

    private func checkHeaders() throws {
        for (name, value) in allHTTPHeaderFields ?? [:] {
            guard name.isToken else { throw invalid(.invalidHeaderName(name)) }
            guard value.isFieldValue else {
                throw invalid(.invalidHeaderValue(name: name))
            }
            if Self.reservedHeaders.contains(name.lowercased()) {
                throw invalid(.reservedHeader(name))
            }
        }
    }

    private static let reservedHeaders: Set<String> = [
        "content-length", "transfer-encoding", "host", "connection", "keep-alive", "upgrade", "te", "trailer",
    ]

    private func invalid(_ reason: RESTClientError.InvalidRequest) -> RESTClientError {
        RESTClientError(.invalidRequest(reason), self)
    }

    /// A copy whose URL has no user info; what was there goes as Basic to this origin, unless the request has an
    /// `Authorization` of its own.
    func withoutUserInfo() -> URLRequest {
        guard let url, url.user(percentEncoded: true) != nil || url.password(percentEncoded: true) != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return self }
        let credential = Credential.basic(user: parts.user ?? "", password: parts.password ?? "")
        parts.percentEncodedUser = nil
        parts.percentEncodedPassword = nil
        var copy = self
        copy.url = parts.url
        if value(forHTTPHeaderField: credential.header.rawValue) == nil {
            copy.setValue(credential.value, forHTTPHeaderField: credential.header.rawValue)
        }
        return copy
    }

    /// Sets the fields of `headers`, those of one name joined into one value.
    mutating func set(_ headers: HTTPHeaders) {
        for field in headers {
            let values = headers[all: field.name]
            let joined = values.joined(separator: field.name == .cookie ? "; " : ", ")
            setValue(joined, forHTTPHeaderField: field.name.rawValue)
        }
    }
}

extension String {
    /// Whether it is without the control characters that would end a header field, or be misread (RFC 9110, section 5.5).
    var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

    /// Whether it is a token (RFC 9110, section 5.6.2), as names of methods and fields must be.
    var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
