import Foundation
import MockTransport
import RESTClientHTTP

/// A client socket that sends exact bytes and receives text.
final class TestSocket: Sendable {
    enum End: Equatable, Sendable { case closed, reset, timedOut }

    private let descriptor: Int32

    convenience init(_ server: LoopbackServer) throws { try self.init(port: server.url.port ?? 0) }

    init(port: Int) throws {
        descriptor = StreamSocket.make()
        StreamSocket.disableBrokenPipeSignal(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Data(text.utf8)) }

    func send(_ data: Data) {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { StreamSocket.send(descriptor, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Receives text until `isComplete` returns `true`, the connection ends or nothing arrives within `limit`.
    func receive(
        within limit: Duration = .seconds(1_000),
        until isComplete: (@Sendable (String) -> Bool)? = nil
    ) async -> (text: String, end: End?) {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var data = Data()
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                func finish(_ end: End?) {
                    continuation.resume(returning: (String(decoding: data, as: UTF8.self), end))
                }
                while isComplete?(String(decoding: data, as: UTF8.self)) != true {
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&wanted, 1, Int32(limit / .milliseconds(1))) > 0 else {
                        return finish(.timedOut)
                    }
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { return finish(count == 0 ? .closed : .reset) }
                    data.append(contentsOf: buffer[..<count])
                }
                finish(nil)
            }
        }
    }
}

extension MockServer {
    func listen(_ limit: (inout LoopbackServer.Limits) -> Void) async throws -> LoopbackServer {
        var limits = LoopbackServer.Limits()
        limit(&limits)
        return try await listen(limits: limits)
    }

    /// Listens, sends `text` and returns the data received until the server closes.
    func answer(to text: String) async throws -> (text: String, end: TestSocket.End?) {
        try await listen().answer(to: text)
    }
}

extension LoopbackServer {
    /// Sends `text` and returns the data received until the server closes.
    func answer(to text: String) async throws -> (text: String, end: TestSocket.End?) {
        let client = try TestSocket(self)
        client.send(text)
        return await client.receive()
    }
}
