// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP

/// The connections of one session. They are closed when the pool is released and its transfers have ended.
package final class ConnectionPool: Sendable {
    typealias ID = UInt32

    private static let lastID = LockedState<ID>(0)

    let id: ID
    let maxConnectionsPerHost: Int

    /// - Parameter maxConnectionsPerHost: the maximum number of connections to a host; 0 for any number.
    package init(maxConnectionsPerHost: Int) {
        self.maxConnectionsPerHost = maxConnectionsPerHost
        id = Self.lastID.withLock { id in
            id += 1
            return id
        }
    }

    deinit { Engine.send(.close(id)) }

    /// The version of the libcurl that performs the transfers, or `nil` if it cannot be used.
    package static var engineVersion: String? { LibCurl.shared?.version }

    /// Starts a transfer, and reports its events to `handler`, which is retained until the end.
    package func start(_ request: TransferRequest, _ handler: any TransferHandler) -> Transfer {
        let transfer = Transfer(request, handler, self)
        if !Engine.send(.start(transfer)) {
            transfer.end(TransferFailure(.unknown, "the thread of the engine cannot be started"))
        }
        return transfer
    }
}

/// The addresses of a connection, which tell its socket. The ports alone do not: connections to several hosts can have the
/// same ones.
struct SocketAddresses: Equatable {
    struct Address: Equatable {
        var port: Int32
        /// The address as a number, such as `::1`.
        var host: String
    }

    var local: Address
    var remote: Address
}

/// A socket that was opened for a connection, used on the thread of the engine only.
final class OpenSocket {
    let descriptor: Int32
    fileprivate(set) var isOpen = true
    /// The addresses of a connection on which requests are sent one after another.
    var addresses: SocketAddresses?

    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
}

/// The multi handle of a pool, used on the thread of the engine only.
final class PoolConnections {
    let id: ConnectionPool.ID
    /// The time at which libcurl must be called, in milliseconds.
    private(set) var due: Int?
    let curl: LibCurl
    unowned let engine: Engine
    private let multi: LibCurl.Handle
    private var transfers: [LibCurl.Handle: Transfer] = [:]
    var transferCount: Int { transfers.count }
    private var sockets: [Int32: OpenSocket] = [:]
    private var runningCount: Int32 = 0

    init?(_ id: ConnectionPool.ID, _ curl: LibCurl, _ maxConnectionsPerHost: Int, _ engine: Engine) {
        guard let multi = curl.multiInit() else { return nil }
        (self.id, self.curl, self.multi, self.engine) = (id, curl, multi, engine)
        curl.set(.maxHostConnections, max(0, maxConnectionsPerHost), of: multi)
        curl.set(.socketData, pointer, of: multi)
        curl.set(.timerData, pointer, of: multi)
        let onSocket:
            @convention(c) (OpaquePointer?, Int32, Int32, UnsafeMutableRawPointer?, UnsafeRawPointer?) ->
                Int32 = {
                    _, descriptor, request, pool, _ in
                    guard let pool = PoolConnections.object(pool) else { return 0 }
                    pool.engine.watch(descriptor, request, of: pool.id)
                    return 0
                }
        let onTimer: @convention(c) (OpaquePointer?, Int, UnsafeMutableRawPointer?) -> Int32 = {
            _, delay, pool in
            PoolConnections.object(pool)?.due = delay < 0 ? nil : Engine.now + delay
            return 0
        }
        curl.set(.socketFunction, unsafeBitCast(onSocket, to: UnsafeRawPointer.self), of: multi)
        curl.set(.timerFunction, unsafeBitCast(onTimer, to: UnsafeRawPointer.self), of: multi)
    }

    /// The argument of callbacks.
    var pointer: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func object(_ pointer: UnsafeMutableRawPointer?) -> PoolConnections? {
        pointer.map { Unmanaged<PoolConnections>.fromOpaque($0).takeUnretainedValue() }
    }

    func start(_ transfer: Transfer) {
        guard !transfer.hasEnded else { return }
        // A handle is used once: in libcurl 7.83 to 8.1.0, a reply to the next request can use memory that was freed (PLATFORM A30).
        guard let handle = curl.easyInit() else {
            return transfer.end(TransferFailure(.unknown, "libcurl has no memory"))
        }
        transfer.configure(handle, self)
        transfers[handle] = transfer
        if let failure = transfer.outcome { return end(handle, failure) }
        let result = curl.multiAdd(multi, handle)
        if result != 0 {
            end(handle, TransferFailure(.unknown, "libcurl cannot start the transfer (\(result))"))
        }
    }

    /// Lets the transfer send and receive again after a pause.
    func resume(_ transfer: Transfer) {
        guard let handle = transfer.handle, transfers[handle] === transfer else { return }
        let result = curl.easyPause(handle, 0)
        // libcurl passes on the bytes that it kept. If the transfer refuses them, no message follows. The code 43 says that the
        // transfer has no connection.
        if transfer.outcome != nil || ![0, 43].contains(result) {
            return end(handle, transfer.failure(result, curl))
        }
        readMessages()
    }

    func cancel(_ transfer: Transfer) {
        if let handle = transfer.handle, transfers[handle] === transfer {
            end(handle, .cancelled)
        } else {
            transfer.end(.cancelled)
        }
    }

    /// Ends a transfer whose outcome is known before libcurl ends it.
    func complete(_ transfer: Transfer) {
        if let handle = transfer.handle, transfers[handle] === transfer { end(handle, transfer.outcome) }
    }

    func perform(_ descriptor: Int32, _ events: Int32) {
        _ = curl.multiAction(multi, descriptor, events, &runningCount)
        readMessages()
    }

    func performTimer() {
        due = nil
        perform(LibCurl.Value.timerSocket, 0)
    }

    private func readMessages() {
        var rest: Int32 = 0
        while let message = curl.multiRead(multi, &rest)?.load(as: LibCurl.Message.self) {
            guard message.kind == 1, let handle = message.handle, let transfer = transfers[handle] else {
                continue
            }
            if transfer.needsOtherConnection {
                release(handle)
                start(transfer)
            } else {
                end(handle, transfer.failure(Int32(truncatingIfNeeded: message.result), curl))
            }
        }
    }

    // MARK: Unsolicited bytes

    func addSocket(_ descriptor: Int32) -> OpenSocket {
        let socket = OpenSocket(descriptor)
        sockets[descriptor] = socket
        return socket
    }

    func removeSocket(_ descriptor: Int32) { sockets.removeValue(forKey: descriptor)?.isOpen = false }

    /// Returns `true` if bytes wait on a connection, such as a response 408 to no request. libcurl 7.88 would take them for
    /// the response to the next request (PLATFORM A31).
    func hasUnreadBytes(_ addresses: SocketAddresses) -> Bool {
        guard let socket = sockets.values.first(where: { $0.addresses == addresses }) else { return false }
        var byte: UInt8 = 0
        return recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    private func end(_ handle: LibCurl.Handle, _ failure: TransferFailure?) { release(handle)?.end(failure) }

    @discardableResult private func release(_ handle: LibCurl.Handle) -> Transfer? {
        let transfer = transfers.removeValue(forKey: handle)
        _ = curl.multiRemove(multi, handle)
        transfer?.releaseHandle(curl)
        curl.easyCleanup(handle)
        return transfer
    }

    /// Closes all connections. Transfers retain their pool, so that none are left.
    func close() {
        for handle in transfers.keys { end(handle, .cancelled) }
        _ = curl.multiCleanup(multi)
    }
}
#endif
