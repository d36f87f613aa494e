import Foundation
import MockTransport
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// A hostile or invalid input and the expected result of `items`.
struct RobustnessCase: Sendable, PlatformRow, CustomTestStringConvertible {
    /// The way the case is tested.
    enum Method: Sendable {
        /// The command with arguments, against a socket that answers each path with the given bytes.
        case responses([String], @Sendable (_ path: String) -> [RawServer.Action])
        /// Any other test, for example with several servers.
        case run(@Sendable () async throws -> Program.Run)
    }

    /// The broken or hostile part of the input.
    let input: String
    /// The exit code.
    let code: Int32
    let method: Method
    /// A text that the messages must contain.
    var message = ""
    /// A text that the hint must contain.
    var hint = ""
    /// The expected standard output, or `nil` for any.
    var output: String?
    var linuxReason: String?

    var testDescription: String { input }

    /// A server that answers each path, and the arguments of the program.
    static func server(
        _ input: String, _ code: Int32, message: String = "", hint: String = "", output: String? = nil,
        _ arguments: String..., answer: @escaping @Sendable (_ path: String) -> [RawServer.Action]
    ) -> Self {
        Self(
            input: input, code: code, method: .responses(arguments, answer), message: message, hint: hint,
            output: output)
    }

    /// A server with one reply.
    static func reply(
        _ input: String, _ code: Int32, message: String = "", output: String? = nil, _ arguments: String...,
        actions: @escaping @Sendable () -> [RawServer.Action]
    ) -> Self {
        Self(
            input: input, code: code, method: .responses(arguments) { _ in actions() }, message: message,
            output: output)
    }

    func run() async throws -> Program.Run {
        switch method {
        case .run(let body): return try await body()
        case .responses(let arguments, let reply):
            let server = try RawServer(reply)
            return try await Program.items(arguments, at: try server.url("/"))
        }
    }
}

extension Program {
    /// Runs the command in the process on `url`, with an idle timeout that a slow machine does not exceed.
    static func items(_ arguments: [String] = [], at url: URL) async throws -> Run {
        let outcome = try await Outcome.of(
            ["--idle-timeout", "600"] + arguments + [url.absoluteString], configuration: .ephemeral)
        return Run(
            status: outcome.code.rawValue, isSignal: false, output: outcome.output, messages: outcome.messages
        )
    }
}

/// Raw HTTP responses.
enum RawResponse {
    static let list = #"{"items":["a"]}"#

    /// A response with a Content-Length.
    static func reply(
        _ body: String, type: String = "application/json", status: String = "200 OK", fields: [String] = []
    ) -> [RawServer.Action] { reply(Data(body.utf8), type: type, status: status, fields: fields) }

    static func reply(
        _ body: Data, type: String = "application/json", status: String = "200 OK", fields: [String] = []
    ) -> [RawServer.Action] {
        let head = ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.count)"] + fields
        return [.bytes(Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body), .close]
    }

    /// A response with only the given header fields.
    static func raw(_ fields: String..., body: String = list) -> [RawServer.Action] {
        let head = ["HTTP/1.1 200 OK", "Content-Type: application/json"] + fields
        return [.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body), .close]
    }

    static func redirect(_ location: String, status: String = "302 Found") -> [RawServer.Action] {
        [.send("HTTP/1.1 \(status)\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"), .close]
    }

    /// An uncompressed gzip member of less than 64 KB.
    static func gzip(_ text: String) -> Data {
        let body = Data(text.utf8)
        let count = UInt16(body.count)
        var crc: UInt32 = .max
        for byte in body {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
        var data = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1])
        for word in [count, ~count] { data += [UInt8(word & 255), UInt8(word >> 8)] }
        data += body
        for word in [~crc, UInt32(body.count)] {
            data += (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        return data
    }
}
