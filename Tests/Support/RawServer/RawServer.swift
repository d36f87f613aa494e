package import Foundation
import RESTClientHTTP

/// A server on 127.0.0.1 that sends exactly the given bytes, with a thread for each connection.
///
/// `Scripts/platform` compiles this file without the package, except for `StreamSocket`.
package final class RawServer: Sendable {
    /// A step of a scripted response.
    package enum Action: Sendable {
        case send(String)
        case bytes(Data)
        /// Closes the connection with a TCP reset.
        case reset
        case close
        /// Sends nothing until the client closes the connection.
        case silence
        /// Sends the text byte by byte, with a pause in milliseconds after each byte.
        case drip(String, pause: UInt32)
        /// Sends the bytes the given number of times.
        case times(Int, Data)
    }

    package let port: Int
    private let listener: Int32
    private let log = RequestLog()
    /// Entered until the server is released.
    private let lifetime = DispatchGroup()

    /// The received requests, each with its head and body.
    package var requests: [String] { log.requests }

    /// The number of accepted connections.
    package var connections: Int { log.connections }

    /// Reads one request on each connection, performs the actions for its path, and closes the connection.
    /// - Parameter port: the port, or 0 for a free one.
    package convenience init(
        port: Int = 0, _ actions: @escaping @Sendable (_ path: String) -> [Action]
    ) throws {
        try self.init(
            port: port,
            serving: { connection in
                let request = connection.readRequest()
                guard !request.isEmpty else { return }
                let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                for action in actions(path) where !connection.perform(action) { return }
            })
    }

    /// Calls `serve` with each connection, which is closed when it returns.
    package static func serving(
        port: Int = 0, _ serve: @escaping @Sendable (Connection) -> Void
    ) throws -> RawServer {
        try RawServer(port: port, serving: serve)
    }

    private init(port: Int, serving serve: @escaping @Sendable (Connection) -> Void) throws {
        let listener = StreamSocket.make()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        var reuses: CInt = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<CInt>.size))
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        self.port = Int(UInt16(bigEndian: address.sin_port))
        lifetime.enter()
        Thread.detachNewThread { [log, lifetime] in
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                log.addConnection()
                Thread.detachNewThread {
                    let connection = Connection(descriptor, log, lifetime)
                    serve(connection)
                    connection.close()
                }
            }
        }
    }

    deinit {
        lifetime.leave()
        shutdown(listener, Int32(SHUT_RDWR))
        closeDescriptor(listener)
    }

    package func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    fileprivate final class RequestLog: @unchecked Sendable {
        // SAFETY: `entries` is accessed only while `lock` is held.
        private let lock = NSLock()
        private var entries: [String] = []
        private var accepted = 0

        var connections: Int { lock.withLock { accepted } }
        func addConnection() { lock.withLock { accepted += 1 } }
        var requests: [String] { lock.withLock { entries } }
        func append(_ request: String) { lock.withLock { entries.append(request) } }
    }

    /// An accepted connection.
    package final class Connection {
        private let descriptor: Int32
        private let log: RequestLog
        private let serverLifetime: DispatchGroup
        /// Bytes that were received and not read yet.
        private var buffer = Data()
        private var isReset = false

        fileprivate init(_ descriptor: Int32, _ log: RequestLog, _ serverLifetime: DispatchGroup) {
            StreamSocket.disableBrokenPipeSignal(descriptor)
            self.descriptor = descriptor
            self.log = log
            self.serverLifetime = serverLifetime
        }

        /// Returns the head and body of the next request, or an empty string if the client closed the connection.
        @discardableResult package func readRequest() -> String {
            var request = read(until: "\r\n\r\n")
            guard !request.isEmpty else { return "" }
            let fields = request.lowercased().split(separator: "\r\n")
            if let field = fields.first(where: { $0.hasPrefix("content-length:") }) {
                request += read(Int(field.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0)
            } else if fields.contains("transfer-encoding: chunked") {
                let last = Data("0\r\n\r\n".utf8)
                while !buffer.suffix(last.count).elementsEqual(last), receive() {}
                request += read(buffer.count)
            }
            log.append(request)
            return request
        }

        /// Returns the next `count` bytes, or fewer if the client closed the connection.
        package func read(_ count: Int) -> String {
            while buffer.count < count, receive() {}
            defer { buffer = Data(buffer.dropFirst(count)) }
            return String(decoding: buffer.prefix(count), as: UTF8.self)
        }

        /// Returns the bytes up to the end of `separator`, or an empty string if the client closed the connection before.
        package func read(until separator: String) -> String {
            while true {
                if let end = buffer.range(of: Data(separator.utf8))?.upperBound {
                    return read(buffer.distance(from: buffer.startIndex, to: end))
                }
                guard receive() else { return "" }
            }
        }

        private func receive() -> Bool {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return false }
            buffer.append(contentsOf: chunk[..<count])
            return true
        }

        package func send(_ text: String) { send(Data(text.utf8)) }

        /// Returns `false` if the client closed the connection.
        @discardableResult package func send(_ data: Data) -> Bool {
            data.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                    let count = StreamSocket.send(descriptor, rest)
                    guard count > 0 else { return false }
                    sent += count
                }
                return true
            }
        }

        package func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

        /// Keeps the connection open until the server is released, without reading.
        package func keepOpen() { serverLifetime.wait() }

        /// Makes the connection end with a TCP reset.
        package func reset() {
            isReset = true
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }

        /// Returns `false` if the connection is to be closed.
        fileprivate func perform(_ action: Action) -> Bool {
            switch action {
            case .send(let text): send(text)
            case .bytes(let data): send(data)
            case .silence: while receive() {}
            case .drip(let text, let pause):
                for byte in text.utf8 {
                    guard send(Data([byte])) else { break }
                    usleep(pause * 1_000)
                }
            case .times(let count, let data): for _ in 0..<count { guard send(data) else { break } }
            case .close: return false
            case .reset:
                // A reset discards bytes that the client has not read yet.
                usleep(50_000)
                reset()
                return false
            }
            return true
        }

        fileprivate func close() {
            if !isReset { shutdown(descriptor, Int32(SHUT_WR)) }
            closeDescriptor(descriptor)
        }
    }
}

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
