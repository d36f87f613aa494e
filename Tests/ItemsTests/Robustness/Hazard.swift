import Foundation
import RESTClientTestSupport
import Testing

/// Something hostile or broken, and what `items` must make of it.
struct Hazard: Sendable, CustomTestStringConvertible {
    enum Topic: String, CaseIterable, Sendable {
        case json = "JSON"
        case terminal = "What drives a terminal"
        case http = "HTTP"
        case redirects = "Redirects"
        case pages = "Pages"
        case retry = "Retry"
        case commandLine = "The command line"
    }

    /// How it is put to the test.
    enum Trial: Sendable {
        /// The program against a socket that answers each path with these very acts.
        case wire([String], @Sendable (_ path: String) -> [RawServer.Action])
        /// The program in a shell, as `$items`.
        case shell(String)
        /// Anything else, such as more than one server.
        case run(@Sendable () async throws -> Program.Run)
        /// A test of its own, by its name.
        case test(String)
    }

    let topic: Topic
    /// What it is, as the table says it.
    let input: String
    /// The exit code.
    let code: Int32
    let trial: Trial
    /// What must stand in the messages.
    var says = ""
    /// What must stand in the hints below them.
    var hints = ""
    /// What must be on the standard output; `nil` is anything.
    var prints: String?

    var testDescription: String { "\(topic.rawValue): \(input)" }

    static let all = json + terminal + http + redirects + pages + retry + commandLine

    /// Runs the trial, and gives nothing where a test of its own does.
    func run() async throws -> Program.Run? {
        switch trial {
        case .shell(let script): return try await Program.shell(script)
        case .run(let body): return try await body()
        case .test: return nil
        case .wire(let arguments, let answer):
            let server = try RawServer(answer)
            return try await Program.items(arguments, at: try server.url("/"))
        }
    }
}

extension Program {
    /// Runs the program on `url`.
    static func items(_ arguments: [String] = [], at url: URL) async throws -> Run {
        try await run(path, arguments + [url.absoluteString], input: try Scratch().handle)
    }
}

/// Replies as they go over a wire.
enum Wire {
    static let list = #"{"items":["a"]}"#

    /// A reply with a length.
    static func reply(
        _ body: String, type: String = "application/json", status: String = "200 OK", fields: [String] = []
    ) -> [RawServer.Action] { reply(Data(body.utf8), type: type, status: status, fields: fields) }

    static func reply(
        _ body: Data, type: String = "application/json", status: String = "200 OK", fields: [String] = []
    ) -> [RawServer.Action] {
        let head = ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.count)"] + fields
        return [.bytes(Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body), .close]
    }

    /// A reply with only these fields.
    static func raw(_ fields: String..., body: String = list) -> [RawServer.Action] {
        let head = ["HTTP/1.1 200 OK", "Content-Type: application/json"] + fields
        return [.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body), .close]
    }

    static func redirect(_ location: String, status: String = "302 Found") -> [RawServer.Action] {
        [.send("HTTP/1.1 \(status)\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"), .close]
    }

    /// A gzip member without compression, of less than 64 KB.
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
