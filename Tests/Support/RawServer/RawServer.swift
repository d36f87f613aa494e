package import Foundation
import RESTClientHTTP

#if canImport(Glibc)
import Glibc
#endif

/// A socket on 127.0.0.1 that answers each connection with bytes, whatever they are: the truth to compare with.
package final class RawServer: Sendable {
    /// What a connection does next.
    package enum Act: Sendable {
        case send(String)
        case bytes(Data)
        case reset
        case close
        /// Leaves the connection open and silent.
        case silence
        /// The text byte by byte, with a pause behind each, in milliseconds.
        case drip(String, pause: UInt32)
        /// The same bytes many times.
        case times(Int, Data)
    }

    package let port: Int
    private let listener: Int32
    /// What each connection sent, head and body.
    private let received = LockedState<[String]>([])

    package var requests: [String] { received.withLock { $0 } }

    package init(_ answer: @escaping @Sendable (_ path: String) -> [Act]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        let received = received
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { Self.serve(connection, answer, received) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    package func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    private static func serve(
        _ connection: Int32, _ answer: (String) -> [Act], _ received: LockedState<[String]>
    ) {
        var request = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let gap = Data("\r\n\r\n".utf8)
        while true {
            if let head = request.range(of: gap) {
                let text = String(decoding: request[..<head.lowerBound], as: UTF8.self).lowercased()
                let length = text.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
                if request.count - head.upperBound >= length ?? 0 { break }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else {
                Glibc.close(connection)
                return
            }
            request.append(contentsOf: buffer[..<count])
        }
        let text = String(decoding: request, as: UTF8.self)
        received.withLock { $0.append(text) }
        let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        for act in answer(path) {
            switch act {
            case .send(let text): write(connection, Data(text.utf8))
            case .bytes(let data): write(connection, data)
            case .silence: return
            case .drip(let text, let pause):
                for byte in text.utf8 {
                    guard write(connection, Data([byte])) else { break }
                    usleep(pause * 1_000)
                }
            case .times(let count, let data):
                for _ in 0..<count { guard write(connection, data) else { break } }
            case .close: break
            case .reset:
                // What was sent must have been read before it is thrown away.
                usleep(50_000)
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            }
        }
        Glibc.close(connection)
    }

    /// False when nobody takes it any more.
    @discardableResult private static func write(_ connection: Int32, _ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = send(connection, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}
