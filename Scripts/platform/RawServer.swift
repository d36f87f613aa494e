import Foundation
import Glibc

/// A server on 127.0.0.1 that sends the very bytes it is told to, one thread a connection.
final class RawServer: Sendable {
    let port: UInt16
    let log = Log()

    /// `answer` gets each connection, which is closed when it returns.
    init(_ answer: @escaping @Sendable (Connection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw Unclear(why: "no socket: errno \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw Unclear(why: "cannot listen: errno \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
        let log = self.log
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                let connection = Connection(descriptor: descriptor, log: log)
                Thread.detachNewThread {
                    answer(connection)
                    connection.close()
                }
            }
        }
    }

    /// Reads one request on each connection and answers with `reply`, word for word.
    convenience init(_ reply: String) throws {
        try self.init { connection in
            connection.readRequest()
            connection.send(reply)
        }
    }

    /// Answers every request on kept connections with 200 and `body`.
    convenience init(keepAlive body: String) throws {
        try self.init { connection in
            while !connection.readRequest().isEmpty {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    /// Sends a body of so many megabytes as fast as it is taken.
    convenience init(megabytes: Int) throws {
        let piece = Data(repeating: 120, count: 1 << 20)
        try self.init { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(megabytes << 20)\r\n\r\n")
            for _ in 0..<megabytes where !connection.send(piece) { return }
        }
    }

    func url(_ path: String = "/") -> URL { url(host: "127.0.0.1", path) }

    func url(host: String, _ path: String = "/") -> URL {
        URL(string: "http://\(host):\(port)\(path)") ?? URL(fileURLWithPath: "/")
    }
}

/// Requests as they came, heads and bodies.
final class Log: @unchecked Sendable {
    // SAFETY: `entries` is touched with `lock` held only.
    private let lock = NSLock()
    private var entries: [String] = []

    var requests: [String] { lock.withLock { entries } }
    func append(_ request: String) { lock.withLock { entries.append(request) } }
}

struct Connection: Sendable {
    let descriptor: Int32
    let log: Log

    /// Head and body of the next request; empty when the client has gone.
    @discardableResult func readRequest() -> String {
        var bytes = Data()
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(descriptor, &byte, 1, 0) == 1 else { return "" }
            bytes.append(byte)
        }
        let head = String(decoding: bytes, as: UTF8.self)
        let fields = head.lowercased()
        var request = head
        if let field = fields.range(of: "content-length: ") {
            request += read(Int(fields[field.upperBound...].prefix { $0.isNumber }) ?? 0)
        } else if fields.contains("transfer-encoding: chunked") {
            var tail = ""
            while !tail.hasSuffix("0\r\n\r\n") {
                let next = read(1)
                if next.isEmpty { break }
                tail += next
            }
            request += tail
        }
        log.append(request)
        return request
    }

    func read(_ count: Int) -> String {
        var data = Data()
        var byte: UInt8 = 0
        while data.count < count, recv(descriptor, &byte, 1, 0) == 1 { data.append(byte) }
        return String(decoding: data, as: UTF8.self)
    }

    func send(_ text: String) { send(Data(text.utf8)) }

    /// False once the client has gone.
    @discardableResult func send(_ data: Data) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

    /// Makes the close a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    func close() {
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
        Glibc.close(descriptor)
    }
}
