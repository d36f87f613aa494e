import Foundation

/// An error response to an invalid request. The connection closes after it.
struct HTTPError: Error, Equatable {
    let status: HTTPStatus
    let reason: String

    static let misdirected = Self(
        status: 421,
        reason:
            "the server answers only for 127.0.0.1, localhost and [::1] with its port, unless it was told other hosts"
    )

    static func malformed(_ reason: String) -> Self { Self(status: 400, reason: reason) }
}

/// A request line and header fields, parsed strictly by RFC 9112.
struct RequestHead: Sendable, Equatable {
    enum Framing: Equatable, Sendable { case length(Int), chunked }

    private(set) var method: HTTPMethod = .get
    private(set) var url = Self.noURL
    private(set) var path = ""
    private(set) var headers = HTTPHeaders()
    /// The host of the `Host` field in lower case, or `nil` if the request line contains it, as in a request to a proxy.
    private(set) var host: String?
    private(set) var framing = Framing.length(0)
    /// `true` for HTTP/1.0, which has no chunked coding.
    private(set) var isHTTP10 = false
    private(set) var keepsAlive = true
    private(set) var expectsContinue = false

    /// The URL before it is read. Creating one takes as long as reading a field.
    private static let noURL = URL(filePath: "/")
    private static let connection: HTTPHeaders.Name = "Connection"
    private static let expect: HTTPHeaders.Name = "Expect"

    /// - Parameters:
    ///   - bytes: The request line and the fields, including the last line break.
    ///   - authority: The host and port of the server, for requests without a `Host` field.
    init(_ bytes: ArraySlice<UInt8>, authority: String, bodyLimit: Int) throws(HTTPError) {
        // The parser guarantees that each line ends in CRLF.
        let lines = bytes.split(separator: 10).map { $0.dropLast() }
        let target = try readRequestLine(lines.first ?? [])
        for line in lines.dropFirst() { try readField(line) }
        try readHost(target, authority)
        try readFraming(bodyLimit)
        let options = tokens(of: Self.connection)
        keepsAlive = isHTTP10 ? options.contains("keep-alive") : !options.contains("close")
        switch headers[Self.expect].map(Self.asciiLowercased) {
        case nil: break
        case "100-continue": expectsContinue = !isHTTP10
        default: throw HTTPError(status: 417, reason: "the only supported expectation is 100-continue")
        }
    }

    private mutating func readRequestLine(_ line: ArraySlice<UInt8>) throws(HTTPError) -> String {
        let parts = line.split(separator: 32, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenByte) else {
            throw .malformed("the request line is not \"METHOD target HTTP/1.1\"")
        }
        switch String(decoding: parts[2], as: UTF8.self) {
        case "HTTP/1.1": break
        case "HTTP/1.0": isHTTP10 = true
        case let version where version.wholeMatch(of: /HTTP\/[0-9]\.[0-9]/) != nil:
            throw HTTPError(status: 505, reason: "only HTTP/1.1 is supported")
        default: throw .malformed("the request line does not end in HTTP/1.1")
        }
        method = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self))
        guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw .malformed("the request target contains control characters")
        }
        return String(decoding: parts[1], as: UTF8.self)
    }

    private mutating func readField(_ line: ArraySlice<UInt8>) throws(HTTPError) {
        let (name, value) = try Self.field(line)
        // Values that are not UTF-8 are read as Latin-1, in which every byte is a character.
        let text =
            String(validating: value, as: UTF8.self)
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
        headers.add(HTTPHeaders.Name(String(decoding: name, as: UTF8.self)), text)
    }

    /// Parses a field line of the head or of a trailer section (RFC 9112, section 5).
    static func field(
        _ line: ArraySlice<UInt8>
    ) throws(HTTPError) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw .malformed("a header field has no colon")
        }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
            throw .malformed("a header field name is not a token")
        }
        var value = line[line.index(after: colon)...].drop { $0 == 32 || $0 == 9 }
        while let last = value.last, last == 32 || last == 9 { value = value.dropLast() }
        guard value.allSatisfy(\.isFieldByte) else {
            throw .malformed("a header field value contains control characters")
        }
        return (name, value)
    }

    private mutating func readHost(_ target: String, _ authority: String) throws(HTTPError) {
        let hosts = headers[all: .host]
        guard hosts.count == 1 || hosts.isEmpty && isHTTP10 else {
            throw .malformed("the request must have exactly one Host field (RFC 9112, section 3.2)")
        }
        let host = hosts.first.flatMap { $0.isEmpty ? nil : $0 } ?? authority
        guard host.utf8.allSatisfy(\.isAuthorityByte) else { throw .malformed("the Host field is invalid") }
        let text: String
        let end =
            host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
        self.host = Self.asciiLowercased(String(host[..<(end ?? host.endIndex)]))
        if target.hasPrefix("/") {
            text = "http://\(host)\(target)"
        } else if target == "*", method == .options {
            text = "http://\(host)"
        } else if target.lowercased().hasPrefix("http://") {
            text = "http://" + target.dropFirst(7)
            self.host = nil
        } else if method.rawValue == "CONNECT" {
            throw HTTPError(status: 501, reason: "CONNECT is not supported")
        } else {
            throw .malformed("the request target is neither a path nor an http URL")
        }
        guard let url = URL(string: text), url.host(percentEncoded: true)?.isEmpty == false else {
            throw .malformed("the request target and the Host field do not form a valid URL")
        }
        self.url = url
        path = url.path(percentEncoded: true)
    }

    private mutating func readFraming(_ limit: Int) throws(HTTPError) {
        let codings = tokens(of: .transferEncoding)
        let lengths = Set(headers[all: .contentLength])
        if !headers[all: .transferEncoding].isEmpty {
            // Conflicting lengths allow request smuggling (RFC 9112, section 6.3).
            guard lengths.isEmpty, !isHTTP10 else {
                throw .malformed("Transfer-Encoding must not be used with Content-Length or HTTP/1.0")
            }
            guard codings == ["chunked"] else {
                throw HTTPError(status: 501, reason: "the only supported transfer coding is chunked")
            }
            framing = .chunked
        } else if let length = lengths.first {
            guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy(\.isASCIIDigit)
            else { throw .malformed("Content-Length is not a single number") }
            guard let count = Int(length), count <= limit else {
                throw HTTPError(status: 413, reason: "the body exceeds \(limit) bytes")
            }
            framing = .length(count)
        }
    }

    private func tokens(of name: HTTPHeaders.Name) -> [String] {
        headers[all: name].flatMap { $0.split(separator: ",") }
            .map { Self.asciiLowercased($0.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))) }
    }

    /// Lowercases ASCII letters only: Unicode rules would turn a Kelvin sign into a `k`.
    private static func asciiLowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    /// `true` if the byte is allowed in a host and port (RFC 3986, section 3.2).
    fileprivate var isAuthorityByte: Bool {
        switch self {
        case 48...57, 65...90, 97...122, 33, 36...46, 58, 59, 61, 91, 93, 95, 126: true
        default: self >= 128
        }
    }
}

extension ReceivedRequest {
    init(_ head: RequestHead, body: Data, time: Duration) {
        (method, url, headers, path) = (head.method, head.url, head.headers, head.path)
        (self.body, self.time) = (body, time)
    }
}
