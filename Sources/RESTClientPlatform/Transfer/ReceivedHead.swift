package import Foundation
package import RESTClientHTTP

/// The head of a response, as it was received.
package struct ReceivedHead: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The version of the protocol, such as `HTTP/1.1` or `HTTP/2`; `nil` if URLSession has not reported it.
    package var version: String?
    package var status: Int
    package var fields: [Field] = []
    /// The URL of the response, if it can differ from that of the request.
    package var url: URL?
    /// The `Content-Length`, or `nil` if it is missing or invalid. Until the head is complete, it is `nil`.
    package var contentLength: Int64?

    /// `true` for 1xx: another head follows.
    package var isInterim: Bool { (100..<200).contains(status) && status != 101 }

    /// The values of a field, joined with ", ", or `nil` if there is none.
    package func value(of name: HTTPHeaders.Name) -> String? {
        let values = fields.filter { name.matches($0.name) }
        return values.isEmpty ? nil : values.map(\.value).joined(separator: ", ")
    }

    /// The fields, sorted by name. The values of equal names are joined, as by URLSession (RFC 9110, section 5.3).
    package var headers: HTTPHeaders { HTTPHeaders(joining: fields.map { ($0.name, $0.value) }) }

    /// Returns a length, which consists of digits (RFC 9110, section 8.6), or `nil`.
    package static func length(_ text: String) -> Int64? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
    }

    package init(version: String? = nil, status: Int, fields: [Field] = []) {
        (self.version, self.status, self.fields) = (version, status, fields)
        contentLength = value(of: .contentLength).flatMap(Self.length)
    }

    /// Creates the head of a response, or returns `nil` if it is not one of HTTP.
    package init?(of response: URLResponse?) {
        if let head = (response as? ResponseWithHead)?.head {
            self = head
            return
        }
        guard let response = response as? HTTPURLResponse else { return nil }
        status = response.statusCode
        fields = response.allHeaderFields.map { name, value in
            Field(name: name as? String ?? "\(name)", value: value as? String ?? "\(value)")
        }
        contentLength = response.expectedContentLength < 0 ? nil : response.expectedContentLength
    }

    /// Creates a head from a status line, or returns `nil` for another line.
    init?(statusLine line: UnsafeRawBufferPointer) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard line.starts(with: "HTTP/".utf8), parts.count >= 2 else { return nil }
        let digits = parts[1].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard (1...3).contains(digits.count) else { return nil }
        version = Self.text(parts[0])
        status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Adds the field of a line, or the line to the last field if it begins with whitespace (RFC 9112, section 5.2).
    mutating func add(line: UnsafeRawBufferPointer) throws(HeadParser.Failure) {
        if let first = line.first, Self.isBlank(first) {
            guard let last = fields.indices.last else { return }
            // libcurl reads only the first line of such a field.
            if Self.limitsBody(fields[last].name) {
                throw HeadParser.Failure(text: "the response has a folded \(fields[last].name)")
            }
            let more = Self.text(Self.trimmed(line[...]))
            fields[last].value += fields[last].value.isEmpty || more.isEmpty ? more : " \(more)"
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return }
        let name = Self.text(Self.trimmed(line[..<colon]))
        // libcurl ignores a field with a blank before its colon, and other recipients do not (RFC 9112, section 5.1): they would
        // disagree about the end of the body.
        if Self.isBlank(line[colon - 1]), Self.limitsBody(name) {
            throw HeadParser.Failure(text: "the response has a blank between \(name) and its colon")
        }
        fields.append(Field(name: name, value: Self.text(Self.trimmed(line[(colon + 1)...]))))
    }

    /// Returns `true` for a field that says where the body ends.
    private static func limitsBody(_ name: String) -> Bool {
        [.transferEncoding, .contentLength].contains(HTTPHeaders.Name(name))
    }

    /// Returns bytes as text: Latin-1 unless they are UTF-8.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        // ASCII needs no validation, which takes three times as long.
        if !bytes.contains(where: { $0 >= 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns bytes without the blanks at both ends.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

/// A response that keeps its head.
///
/// To convert the fields for HTTPURLResponse and back takes a tenth of the time of a small request. The response of a manager's
/// task has no other fields.
final class ResponseWithHead: HTTPURLResponse, @unchecked Sendable {
    // SAFETY: the head is set before the response is delivered.
    fileprivate(set) var head: ReceivedHead?

    static func create(_ url: URL, _ head: ReceivedHead, hasFields: Bool) -> ResponseWithHead? {
        let headers = hasFields ? head.headers : [:]
        let response = ResponseWithHead(
            url: url, statusCode: head.status, httpVersion: head.version,
            headerFields: Dictionary(uniqueKeysWithValues: headers.map { ($0.name.rawValue, $0.value) }))
        response?.head = head
        return response
    }
}

/// Collects the lines of one or more heads.
struct HeadParser {
    /// The heads are larger than their limit, or do not say where the body ends.
    struct Failure: Error { let text: String }

    /// The maximum number of bytes of all heads of a response, with interim ones: 256 KiB.
    static let maxBytes = 256 << 10

    private var byteCount = 0
    private var head: ReceivedHead?

    /// `true` after the first line.
    var hasStarted: Bool { byteCount > 0 }

    /// Adds a line with its end. Returns the head, if the line completes one that is not interim.
    mutating func add(_ line: UnsafeRawBufferPointer) throws(Failure) -> ReceivedHead? {
        byteCount += line.count
        guard byteCount <= Self.maxBytes else {
            throw Failure(text: "the header of the response is larger than \(Self.maxBytes) bytes")
        }
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let content = UnsafeRawBufferPointer(rebasing: line[..<end])
        if content.isEmpty {
            defer { head = nil }
            guard let head, !head.isInterim else { return nil }
            return ReceivedHead(version: head.version, status: head.status, fields: head.fields)
        }
        if head == nil {
            head = ReceivedHead(statusLine: content)
            // libcurl compares the name of the protocol without its case (RFC 9112, section 2.3).
            if head == nil, byteCount == line.count {
                throw Failure(text: "the response does not start with a status line of HTTP")
            }
        } else {
            try head?.add(line: content)
        }
        return nil
    }
}
