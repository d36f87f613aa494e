package import Foundation
import RESTClientHTTP

/// A server on 127.0.0.1, or at another address, that sends exactly the given bytes, with a thread for each connection.
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

    /// The address at which a server listens.
    package enum Address: Sendable {
        /// The address 127.0.0.1 with a port, or a free one if it is 0.
        case ipv4(port: Int = 0)
        /// The address ::1 with a port.
        case ipv6(port: Int)
        case unix(path: String)

        var family: Int32 {
            switch self {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        }
    }

    /// The port; 0 for a Unix socket.
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
    package convenience init(
        at address: Address = .ipv4(), _ actions: @escaping @Sendable (_ path: String) -> [Action]
    ) throws {
        try self.init(
            at: address,
            serving: { connection in
                let request = connection.readRequest()
                guard !request.isEmpty else { return }
                let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                for action in actions(path) where !connection.perform(action) { return }
            })
    }

    /// Calls `serve` with each connection, which is closed when it returns.
    package static func serving(
        at address: Address = .ipv4(), _ serve: @escaping @Sendable (Connection) -> Void
    ) throws -> RawServer {
        try RawServer(at: address, serving: serve)
    }

    private init(
        at address: Address = .ipv4(), serving serve: @escaping @Sendable (Connection) -> Void
    ) throws {
        let listener = StreamSocket.make(family: address.family)
        guard let port = Self.listen(listener, at: address) else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        self.port = port
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
            // The end of the server. Closed elsewhere, the number could belong to another server before it is accepted from again.
            if errno == EINVAL { closeDescriptor(listener) }
        }
    }

    /// Returns the port of the bound socket, or `nil` for an error.
    private static func listen(_ listener: Int32, at address: Address) -> Int? {
        func bound<Value>(_ value: inout Value) -> Bool {
            var length = socklen_t(MemoryLayout<Value>.size)
            return withUnsafeMutablePointer(to: &value) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(listener, pointer, length) == 0 && startListening(listener)
                        && getsockname(listener, pointer, &length) == 0
                }
            }
        }
        switch address {
        case .ipv4(let port):
            var reuses: CInt = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<CInt>.size))
            var value = sockaddr_in()
            value.sin_family = sa_family_t(AF_INET)
            value.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
            value.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return bound(&value) ? Int(UInt16(bigEndian: value.sin_port)) : nil
        case .ipv6(let port):
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_addr = in6addr_loopback
            value.sin6_port = UInt16(port).bigEndian
            return bound(&value) ? port : nil
        case .unix(let path):
            var value = sockaddr_un()
            value.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &value.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return bound(&value) ? 0 : nil
        }
    }

    deinit {
        lifetime.leave()
        // Ends `accept` on Linux, where the thread then closes the descriptor.
        if shutdown(listener, Int32(SHUT_RDWR)) != 0 { closeDescriptor(listener) }
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
        package func read(_ count: Int) -> String { String(decoding: readBytes(count), as: UTF8.self) }

        package func readBytes(_ count: Int) -> Data {
            while buffer.count < count, receive() {}
            defer { buffer = Data(buffer.dropFirst(count)) }
            return buffer.prefix(count)
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

        /// Connects to a port of 127.0.0.1, and passes on the bytes of both sides until one of them closes its connection.
        package func tunnel(to port: Int) {
            let other = StreamSocket.make()
            defer { closeDescriptor(other) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = UInt16(port).bigEndian
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { return }
            let peer = Connection(other, log, serverLifetime)
            var sockets = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while poll(&sockets, 2, -1) > 0 {
                for (socket, from, to) in [(sockets[0], self, peer), (sockets[1], peer, self)]
                where socket.revents != 0 {
                    guard from.receive(), to.send(from.readBytes(from.buffer.count)) else { return }
                }
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

/// Calls the function of the C library, which a method with the same name hides.
private func startListening(_ descriptor: Int32) -> Bool { listen(descriptor, 512) == 0 }

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
