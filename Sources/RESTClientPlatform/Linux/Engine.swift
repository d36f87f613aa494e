// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import RESTClientHTTP

/// The thread that performs all transfers of the process.
///
/// The thread waits for the sockets of all connection pools with one `poll`, and calls libcurl for those that are ready. It
/// starts with the first transfer, and ends when the last pool is released.
final class Engine: @unchecked Sendable {
    // SAFETY: the properties are used on the thread of the engine only; other threads send commands through `shared`.

    enum Command: Sendable {
        case start(Transfer)
        case resume(Transfer)
        case cancel(Transfer)
        case close(ConnectionPool.ID)
    }

    private struct Shared {
        var engine: Engine?
        var commands: [Command] = []
    }

    private static let shared = LockedState(Shared())

    /// The number of transfers in progress up to which a transfer counts as alone: with more, the next event of another one is
    /// likely to arrive soon.
    private static let maxOthers = 2
    /// The number of events without any progress after which the thread pauses between them, and the pause in microseconds.
    private static let maxIdleRounds = 200
    private static let pause: UInt32 = 2_000

    /// The transfers whose handlers are to be told that all events were reported.
    var updated: [Transfer] = []
    /// The transfers to end after the current callback of libcurl.
    var ending: [Transfer] = []
    private let curl: LibCurl
    private var pools: [ConnectionPool.ID: PoolConnections] = [:]
    /// The sockets to wait for, and before them the end of a pipe that wakes up the thread.
    private var sockets: [pollfd]
    /// The pools of `sockets`.
    private var owners: [ConnectionPool.ID] = [0]
    /// The index of each descriptor in `sockets`.
    private var indices: [Int32: Int] = [:]
    private let wakeUpEnd: Int32
    /// The number of events since the last progress: libcurl can ask to send without end (PLATFORM A33).
    private var idleRounds = 0

    private init?(_ curl: LibCurl) {
        self.curl = curl
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        sockets = [pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)]
        wakeUpEnd = ends[1]
    }

    /// Sends a command to the thread, which is started if necessary. Returns `false` if it cannot be started.
    @discardableResult static func send(_ command: Command) -> Bool {
        shared.withLock { shared in
            if shared.engine == nil {
                // Only a transfer needs the thread.
                guard case .start = command, let curl = LibCurl.shared, let engine = Engine(curl) else {
                    return false
                }
                shared.engine = engine
                Thread.detachNewThread { engine.run() }
            }
            shared.commands.append(command)
            // A thread that has commands to read was woken up by the first of them.
            if shared.commands.count == 1, let engine = shared.engine { engine.wakeUp() }
            return true
        }
    }

    private func wakeUp() {
        var byte: UInt8 = 0
        _ = write(wakeUpEnd, &byte, 1)
    }

    // MARK: The thread

    private func run() {
        // Signals are handled by other threads. A connection that was closed raises SIGPIPE when TLS writes to it.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        while performCommands() {
            let timeout = runTimers()
            finishEvents()
            idleRounds += 1
            if idleRounds > Self.maxIdleRounds { usleep(Self.pause) }
            if poll(&sockets, nfds_t(sockets.count), pools.isEmpty ? 0 : timeout) > 0 { performEvents() }
            finishEvents()
        }
        close(sockets[0].fd)
        close(wakeUpEnd)
    }

    private func performEvents() {
        if sockets[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(sockets[0].fd, &bytes, bytes.count) == bytes.count {}
        }
        // libcurl changes the sockets in its calls.
        let ready = sockets.indices.dropFirst().filter { sockets[$0].revents != 0 }
        let events = ready.map { (owners[$0], sockets[$0]) }
        for (owner, socket) in events { pools[owner]?.perform(socket.fd, Self.mask(socket.revents)) }
    }

    /// Performs the commands that were sent. Returns `false` if the thread is no longer needed.
    private func performCommands() -> Bool {
        let commands: [Command]? = Self.shared.withLock { shared in
            if shared.commands.isEmpty, pools.isEmpty {
                shared.engine = nil
                return nil
            }
            defer { shared.commands = [] }
            return shared.commands
        }
        if commands?.isEmpty == false { idleRounds = 0 }
        for command in commands ?? [] { perform(command) }
        return commands != nil
    }

    private func perform(_ command: Command) {
        switch command {
        case .start(let transfer):
            let pool = transfer.pool
            let connections: PoolConnections
            if let existing = pools[pool.id] {
                connections = existing
            } else if let new = PoolConnections(pool.id, curl, pool.maxConnectionsPerHost, self) {
                connections = new
                pools[pool.id] = new
            } else {
                return transfer.end(TransferFailure(.unknown, "libcurl cannot be used"))
            }
            connections.start(transfer)
        case .resume(let transfer): pools[transfer.pool.id]?.resume(transfer)
        case .cancel(let transfer): pools[transfer.pool.id]?.cancel(transfer)
        case .close(let id): pools.removeValue(forKey: id)?.close()
        }
    }

    /// Calls libcurl for the pools whose time has come. Returns the milliseconds until the next one, or -1.
    private func runTimers() -> Int32 {
        var timeout = Int32(-1)
        for pool in pools.values {
            guard let due = pool.due else { continue }
            let rest = due - Self.now
            if rest <= 0 { pool.performTimer() }
            let next = pool.due.map { max($0 - Self.now, 0) }
            if let next, timeout < 0 || next < timeout { timeout = Int32(clamping: next) }
        }
        return timeout
    }

    /// Ends transfers and tells their handlers, when no callback of libcurl is running.
    private func finishEvents() {
        if !ending.isEmpty || !updated.isEmpty { idleRounds = 0 }
        for transfer in ending { pools[transfer.pool.id]?.complete(transfer) }
        ending = []
        guard !updated.isEmpty else { return }
        let transfers = updated
        updated = []
        for transfer in transfers {
            let others = pools[transfer.pool.id]?.transferCount ?? 0
            transfer.reportUpdate(isAlone: transfers.count == 1 && others <= Self.maxOthers)
        }
    }

    /// The time in milliseconds.
    static var now: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

    // MARK: Sockets

    /// Waits for the events that libcurl requests: 1 to receive, 2 to send, 3 for both, otherwise none.
    func watch(_ descriptor: Int32, _ request: Int32, of pool: ConnectionPool.ID) {
        guard 1...3 ~= request else { return forget(descriptor) }
        let events = (request & 1 != 0 ? POLLIN : 0) | (request & 2 != 0 ? POLLOUT : 0)
        let socket = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        if let index = indices[descriptor] {
            (sockets[index], owners[index]) = (socket, pool)
        } else {
            indices[descriptor] = sockets.count
            sockets.append(socket)
            owners.append(pool)
        }
    }

    private func forget(_ descriptor: Int32) {
        guard let index = indices.removeValue(forKey: descriptor), let last = sockets.popLast(),
            let owner = owners.popLast()
        else { return }
        guard index < sockets.count else { return }
        (sockets[index], owners[index]) = (last, owner)
        indices[last.fd] = index
    }

    /// Returns the events of `poll` as libcurl names them: 1 for input, 2 for output. An error of the socket is both:
    /// libcurl then tries to receive and to send, and finds the cause that it would not name otherwise.
    static func mask(_ events: Int16) -> Int32 {
        let events = Int32(events)
        guard events & ~(POLLIN | POLLOUT) == 0 else { return 3 }
        return (events & POLLIN != 0 ? 1 : 0) | (events & POLLOUT != 0 ? 2 : 0)
    }
}
#endif
