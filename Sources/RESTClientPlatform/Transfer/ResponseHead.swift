import Foundation
import RESTClientHTTP

/// The head of a response, parsed from its lines.
package struct ResponseHead: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String
    }

    /// The version of the protocol, such as `HTTP/1.1` or `HTTP/2`.
    package var version: String
    package var status: Int
    package var fields: [Field] = []
    /// The URL of the response, if it can differ from that of the request.
    package var url: String?

    /// `true` for 1xx: another head follows.
    package var isInterim: Bool { (100..<200).contains(status) }

    /// The fields by name. The values of equal names, which are compared without case, are joined (RFC 9110, section 5.3).
    package var dictionary: [String: String] {
        var names: [String: String] = [:]
        var values = [String: String](minimumCapacity: fields.count)
        for field in fields {
            let name = names[field.name.lowercased(), default: field.name]
            names[field.name.lowercased()] = name
            values[name] = values[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return values
    }

    init(version: String, status: Int) { (self.version, self.status) = (version, status) }

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
    mutating func add(line: UnsafeRawBufferPointer) {
        if let first = line.first, Self.isBlank(first) {
            guard let last = fields.indices.last else { return }
            let more = Self.text(Self.trimmed(line[...]))
            fields[last].value += fields[last].value.isEmpty || more.isEmpty ? more : " \(more)"
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return }
        let name = Self.text(Self.trimmed(line[..<colon]))
        fields.append(Field(name: name, value: Self.text(Self.trimmed(line[(colon + 1)...]))))
    }

    /// Returns bytes as text: Latin-1 unless they are UTF-8.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

/// Collects the lines of one or more heads.
struct ResponseHeadParser {
    /// The heads are larger than their limit.
    struct TooLarge: Error {}

    /// The maximum number of bytes of all heads of a response, with interim ones: 256 KiB.
    static let maxBytes = 256 << 10

    private var byteCount = 0
    private var head: ResponseHead?

    /// Adds a line with its end. Returns the head, if the line completes one that is not interim.
    mutating func add(_ line: UnsafeRawBufferPointer) throws(TooLarge) -> ResponseHead? {
        byteCount += line.count
        guard byteCount <= Self.maxBytes else { throw TooLarge() }
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let content = UnsafeRawBufferPointer(rebasing: line[..<end])
        if content.isEmpty {
            defer { head = nil }
            return head.flatMap { $0.isInterim ? nil : $0 }
        }
        if head == nil {
            head = ResponseHead(statusLine: content)
        } else {
            head?.add(line: content)
        }
        return nil
    }
}
