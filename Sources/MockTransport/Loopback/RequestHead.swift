import Foundation

/// Why a server will not take a request; the connection closes behind it.
struct Refusal: Error, Equatable {
    let status: HTTPStatus
    let reason: String

    static func malformed(_ reason: String) -> Self { Self(status: 400, reason: reason) }
}

/// Request line and fields, strictly as RFC 9112 says.
struct RequestHead: Sendable, Equatable {
    /// How the end of the body is told.
    enum Framing: Equatable, Sendable { case length(Int), chunked }

    private(set) var method: HTTPMethod = .get
    private(set) var url = URL(filePath: "/")
    private(set) var headers = HTTPHeaders()
    private(set) var framing = Framing.length(0)
    /// HTTP/1.0, which knows no chunks.
    private(set) var isOld = false
    private(set) var keepsAlive = true
    private(set) var expectsContinue = false

    /// - Parameters:
    ///   - bytes: From the first byte of the request line to the end of the last field, that one included.
    ///   - authority: Host and port of the server, for those who do not name it.
    init(_ bytes: UnsafeRawBufferPointer, authority: String, bodyLimit: Int) throws(Refusal) {
        var rest = bytes[...]
        let target = try readRequestLine(Self.line(&rest))
        while !rest.isEmpty { try readField(Self.line(&rest)) }
        try readHost(target, authority)
        try readFraming(bodyLimit)
        let options = tokens(of: "Connection")
        keepsAlive = isOld ? options.contains("keep-alive") : !options.contains("close")
        switch headers["Expect"].map(Self.folded) {
        case nil: break
        case "100-continue": expectsContinue = !isOld
        default: throw Refusal(status: 417, reason: "the one expectation there is, is 100-continue")
        }
    }

    /// The bytes before the next CRLF; the parser has seen to it that there is one.
    private static func line(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        let end = rest.firstIndex(of: 10) ?? rest.endIndex
        let line = rest[..<end]
        rest = end < rest.endIndex ? rest[(end + 1)...] : rest[rest.endIndex...]
        return line.last == 13 ? line.dropLast() : line
    }

    private mutating func readRequestLine(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) -> String {
        let parts = line.split(separator: 32, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenByte) else {
            throw .malformed("the request line is not \"METHOD target HTTP/1.1\"")
        }
        switch String(decoding: parts[2], as: UTF8.self) {
        case "HTTP/1.1": break
        case "HTTP/1.0": isOld = true
        case let version where version.wholeMatch(of: /HTTP\/[0-9]\.[0-9]/) != nil:
            throw Refusal(status: 505, reason: "only HTTP/1.1 is spoken here")
        default: throw .malformed("the request line does not end in HTTP/1.1")
        }
        method = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self))
        guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw .malformed("the target of the request has control characters")
        }
        return String(decoding: parts[1], as: UTF8.self)
    }

    private mutating func readField(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) {
        let (name, value) = try Self.field(line)
        // What is not UTF-8 is Latin-1, where every byte is a character.
        let text =
            String(validating: value, as: UTF8.self)
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
        headers.add(HTTPHeaders.Name(String(decoding: name, as: UTF8.self)), text)
    }

    /// The parts of a field's line, of the head or behind the chunks of a body (RFC 9112, section 5).
    static func field<Bytes: RandomAccessCollection<UInt8> & BidirectionalCollection>(
        _ line: Bytes
    ) throws(Refusal) -> (name: Bytes.SubSequence, value: Bytes.SubSequence)
    where Bytes.SubSequence: BidirectionalCollection<UInt8> {
        guard let colon = line.firstIndex(of: 58) else { throw .malformed("a field has no colon") }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
            throw .malformed("the name of a field is not a token")
        }
        var value = line[line.index(after: colon)...].drop { $0 == 32 || $0 == 9 }
        while let last = value.last, last == 32 || last == 9 { value = value.dropLast() }
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
            throw .malformed("the value of a field has control characters")
        }
        return (name, value)
    }

    private mutating func readHost(_ target: String, _ authority: String) throws(Refusal) {
        let hosts = headers[all: .host]
        guard hosts.count == 1 || hosts.isEmpty && isOld else {
            throw .malformed("there must be one Host field (RFC 9112, section 3.2)")
        }
        let host = hosts.first.flatMap { $0.isEmpty ? nil : $0 } ?? authority
        guard host.utf8.allSatisfy(\.isAuthorityByte) else { throw .malformed("the Host field is no host") }
        let text: String
        if target.hasPrefix("/") {
            text = "http://\(host)\(target)"
        } else if target == "*", method == .options {
            text = "http://\(host)"
        } else if target.lowercased().hasPrefix("http://") {
            text = "http://" + target.dropFirst(7)
        } else if method.rawValue == "CONNECT" {
            throw Refusal(status: 501, reason: "CONNECT is not spoken here")
        } else {
            throw .malformed("the target of the request is neither a path nor an http URL")
        }
        guard let url = URL(string: text), url.host(percentEncoded: true)?.isEmpty == false else {
            throw .malformed("target and Host make no URL")
        }
        self.url = url
    }

    private mutating func readFraming(_ limit: Int) throws(Refusal) {
        let codings = tokens(of: .transferEncoding)
        let lengths = Set(headers[all: .contentLength])
        if !headers[all: .transferEncoding].isEmpty {
            // Two truths about one length are how requests are smuggled (RFC 9112, section 6.3).
            guard lengths.isEmpty, !isOld else {
                throw .malformed("Transfer-Encoding stands beside Content-Length, or in HTTP/1.0")
            }
            guard codings == ["chunked"] else {
                throw Refusal(status: 501, reason: "the one transfer coding there is, is chunked")
            }
            framing = .chunked
        } else if let length = lengths.first {
            guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (48...57).contains($0) })
            else {
                throw .malformed("Content-Length is not one number")
            }
            guard let count = Int(length), count <= limit else {
                throw Refusal(status: 413, reason: "a body may have \(limit) bytes")
            }
            framing = .length(count)
        }
    }

    private func tokens(of name: HTTPHeaders.Name) -> [String] {
        headers[all: name].flatMap { $0.split(separator: ",") }
            .map { Self.folded($0.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))) }
    }

    /// In lower case as ASCII has it: a Kelvin sign is no `k` to anybody else on the way.
    private static func folded(_ text: String) -> String {
        String(decoding: text.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    /// May stand in a method or a field name (RFC 9110, section 5.6.2).
    var isTokenByte: Bool {
        switch self {
        case 48...57, 65...90, 94...122, 33, 35...39, 42, 43, 45, 46, 124, 126: true
        default: false
        }
    }

    /// May stand in a host and port (RFC 3986, section 3.2).
    fileprivate var isAuthorityByte: Bool {
        switch self {
        case 48...57, 65...90, 97...122, 33, 36...46, 58, 59, 61, 91, 93, 95, 126: true
        default: self >= 128
        }
    }
}
