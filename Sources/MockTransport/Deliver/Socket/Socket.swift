import Foundation
import RESTClientHTTP

/// A TCP socket that never blocks and never raises SIGPIPE.
struct Socket: Sendable {
    let descriptor: Int32

    enum Outcome {
        /// The number of bytes transferred. Zero means that the peer has closed its side.
        case bytes(Int)
        case wouldBlock
        case failed
    }

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Returns a socket that listens on 127.0.0.1. Port 0 is any free port.
    static func listening(port: Int) throws -> Socket {
        guard let port = UInt16(exactly: port) else { throw POSIXError(.EADDRNOTAVAIL) }
        let listener = Socket(StreamSocket.make())
        guard listener.descriptor >= 0 else { throw POSIXError.last }
        listener.prepare()
        listener.set(SOL_SOCKET, SO_REUSEADDR, Int32(1))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener.descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener.descriptor, 1_024) == 0 else {
            let error = POSIXError.last
            listener.close()
            throw error
        }
        return listener
    }

    var port: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    enum Accepted {
        case connection(Socket)
        case none
        /// The process has no free descriptors.
        case descriptorsExhausted
    }

    func accepted() -> Accepted {
        while true {
            let connection = Socket(accept(descriptor, nil, nil))
            if connection.descriptor >= 0 {
                connection.prepare()
                connection.set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
                return .connection(connection)
            }
            switch errno {
            // A connection that was closed before it was accepted is skipped (accept(2)).
            case EINTR, ECONNABORTED, EPROTO: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .descriptorsExhausted
            default: return .none
            }
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Outcome { outcome { StreamSocket.send(descriptor, bytes) } }

    /// The number of sent bytes that the peer has not acknowledged.
    var unacknowledged: Int { StreamSocket.unacknowledgedBytes(descriptor) }

    func closeSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes `close` reset the connection.
    func resetOnClose() { set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    func close() { closeDescriptor(descriptor) }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        StreamSocket.disableBrokenPipeSignal(descriptor)
    }

    private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    private func outcome(_ call: () -> Int) -> Outcome {
        while true {
            let count = call()
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed
            }
        }
    }
}

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// The bytes to be sent over a socket. Small chunks are joined, large ones are kept.
struct WriteBuffer {
    private static let joinLimit = 16 << 10

    private var chunks: [Data] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        count += data.count
        if let last = chunks.last?.count, max(last, data.count) <= Self.joinLimit {
            chunks[chunks.count - 1].append(data)
        } else {
            chunks.append(data)
        }
    }

    mutating func append(_ other: WriteBuffer) { for chunk in other.chunks { append(chunk) } }

    enum SendResult { case empty, full, failed }

    /// Sends until the buffer is empty or the socket is full.
    mutating func send(to socket: Socket) -> SendResult {
        while let chunk = chunks.first {
            switch chunk.withUnsafeBytes(socket.send) {
            case .wouldBlock: return .full
            case .failed: return .failed
            case .bytes(let sent):
                count -= sent
                if sent < chunk.count { chunks[0] = chunk.dropFirst(sent) } else { chunks.removeFirst() }
            }
        }
        return .empty
    }
}
