import Foundation

/// Servers of this process, which run until it exits.
private let running = Box<[RawServer]>([])

extension RawServer {
    /// Replies to the first request on each connection with `reply`, unchanged, and closes the connection.
    static func replying(_ reply: String) throws -> RawServer {
        try serving { connection in
            connection.readRequest()
            connection.send(reply)
        }
    }

    /// Replies to every request with 200 and `body`, on connections that are kept alive.
    static func keepAlive(_ body: String) throws -> RawServer {
        try serving { connection in
            while !connection.readRequest().isEmpty {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    /// Sends a body of the given size as fast as the client reads it.
    static func sending(megabytes: Int) throws -> RawServer {
        let piece = Data(repeating: 120, count: 1 << 20)
        return try serving { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(megabytes << 20)\r\n\r\n")
            for _ in 0..<megabytes where !connection.send(piece) { return }
        }
    }

    /// Returns the root URL, and keeps the server running.
    func url() -> URL {
        running.change { $0.append(self) }
        return URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/")
    }
}
