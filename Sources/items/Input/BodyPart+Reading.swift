import Foundation
import RESTClient

extension BodyPart {
    /// Returns the bytes of the parts, read from their files.
    static func bytes(of parts: [BodyPart], _ environment: Environment) throws -> Data {
        let parts = try parts.map { try $0.resolved(environment) }
        return Data(parts.joined(separator: "&".utf8))
    }

    /// Returns the parts as a query. Bytes that are not ASCII are percent-encoded.
    static func query(of parts: [BodyPart], _ environment: Environment) throws -> String {
        let bytes = try bytes(of: parts, environment)
        return String(decoding: bytes.flatMap { $0 < 0x80 ? [$0] : percentEncoded($0) }, as: UTF8.self)
    }

    /// Returns the media type that a body has by default: JSON if it begins like an object or a list, otherwise a form.
    static func type(of bytes: Data) -> MediaType {
        let first = bytes.first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .json : .form
    }

    private func resolved(_ environment: Environment) throws -> [UInt8] {
        let contents = try file.map { try Self.contents(of: $0, environment) }
        switch kind {
        case .data:
            // As curl does: carriage returns, line feeds and null bytes.
            let removed = "\r\n\0".utf8
            return contents?.filter { !removed.contains($0) } ?? Array(text.utf8)
        case .raw, .binary: return contents ?? Array(text.utf8)
        case .urlEncoded:
            let (name, value) = text.divided(at: contents == nil ? "=" : "@")
            guard let value else { return Self.encoded(Array(text.utf8)) }
            return (name.isEmpty ? [] : Array("\(name)=".utf8)) + Self.encoded(contents ?? Array(value.utf8))
        }
    }

    private static func contents(of path: String, _ environment: Environment) throws -> [UInt8] {
        try FileInput(path, environment, of: "-d").bytes(limit: 16 << 20, of: "a body")
    }

    /// Percent-encodes all bytes except the unreserved characters (RFC 3986, section 2.3), as curl does.
    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        let unreserved = "-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8
        return bytes.flatMap { unreserved.contains($0) ? [$0] : percentEncoded($0) }
    }

    private static func percentEncoded(_ byte: UInt8) -> [UInt8] {
        Array(String(format: "%%%02X", byte).utf8)
    }
}
