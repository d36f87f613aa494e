// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import RESTClientHTTP

/// The transfer of a task, and its events until the protocol delivers them on the work queue of URLSession.
///
/// The load of a manager's task is created with the task, and starts before URLSession asks its protocol to: the engine
/// sends the request meanwhile. Every other load is created by the protocol.
final class Load: TransferHandler {
    struct Events {
        var response: HTTPURLResponse?
        var body = Data()
        var end: Result<Void, any Error>?
    }

    private struct Receiver: @unchecked Sendable {
        // SAFETY: the protocol is called on the work queue only, where it was created.
        weak var value: HTTPProtocol?
    }

    struct Weak { weak var load: Load? }

    private struct State {
        var events = Events()
        /// Creates the request of the transfer; `nil` after its start.
        var makeRequest: (@Sendable () throws -> TransferRequest)?
        var transfer: Transfer?
        var isStopped = false
        /// `true` while the consumer does not want more bytes.
        var isPaused = false
        /// `true` if libcurl waits until the events are taken.
        var isWaiting = false
        /// `true` if the protocol was asked to take the events.
        var isAwake = false
        weak var task: URLSessionTask?
        weak var observer: (any TransferObserver)?
        /// The task in the table of loads, which can be released before the load.
        var key: ObjectIdentifier?
        var receiver = Receiver()
    }

    /// The number of bytes at which the transfer waits until the events are taken.
    private static let highWaterMark = 1 << 20

    /// The loads that were created with their task. A `URLRequest` loses the properties that a protocol could read
    /// (PLATFORM A29).
    static let loads = LockedState<[ObjectIdentifier: Weak]>([:])

    private static let wakeUpQueue = DispatchQueue(label: "RESTClient.wake-up")

    private let url: URL?
    private let pool: ConnectionPool
    private let workQueue: WorkQueue?
    /// `true` for a task that keeps only the last chunk (PLATFORM A7), which gets its body as one.
    private let joinsBody: Bool
    private let state: LockedState<State>

    init(
        _ url: URL?, pool: ConnectionPool, joinsBody: Bool = false, workQueue: WorkQueue? = nil,
        observer: (any TransferObserver)? = nil,
        makeRequest: @escaping @Sendable () throws -> TransferRequest
    ) {
        (self.url, self.pool, self.joinsBody) = (url, pool, joinsBody)
        self.workQueue = workQueue
        state = LockedState(State(makeRequest: makeRequest, observer: observer))
    }

    deinit {
        guard let key = state.withLock({ $0.key }) else { return }
        // Another task can have the same address after this one was released. Its load is released without the lock.
        _ = Self.loads.withLock { loads in
            let other = loads[key]?.load
            if other == nil { loads[key] = nil }
            return other
        }
    }

    /// Returns the load that was created with the task, and not that of a released task that had the same address.
    static func of(_ task: URLSessionTask) -> Load? {
        let load = loads.withLock { $0[ObjectIdentifier(task)]?.load }
        return load?.state.withLock { $0.task === task } == true ? load : nil
    }

    /// Lets the protocol of the task find this load.
    func register(for task: URLSessionTask) {
        task.taskDescription = HTTPProtocol.ownedDescription
        let key = ObjectIdentifier(task)
        state.withLock { ($0.task, $0.key) = (task, key) }
        Self.loads.withLock { $0[key] = Weak(load: self) }
    }

    func attach(to receiver: HTTPProtocol, _ task: URLSessionTask) {
        let receiver = Receiver(value: receiver)
        state.withLock { ($0.receiver, $0.task) = (receiver, task) }
    }

    /// Starts the transfer, unless it was started before. The error of an invalid request is the end of the load.
    func startIfNeeded() {
        guard let makeRequest = state.withLock({ $0.makeRequest.take() }) else { return }
        do {
            let transfer = pool.start(try makeRequest(), self)
            let isStopped = state.withLock { state in
                if state.events.end == nil { state.transfer = transfer }
                return state.isStopped
            }
            if isStopped { transfer.cancel() }
        } catch {
            state.withLock { $0.events.end = .failure(error) }
        }
    }

    /// Removes and returns the events since the last call.
    func takeEvents() -> Events {
        let (events, transfer) = state.withLock { state -> (Events, Transfer?) in
            guard !state.isStopped else { return (Events(), nil) }
            state.isAwake = false
            var events = state.events
            if joinsBody, events.end == nil {
                events.body = Data()
                state.events.response = nil
            } else {
                state.events = Events()
            }
            if events.end != nil { state.isStopped = true }
            guard state.isWaiting, !state.isPaused else { return (events, nil) }
            state.isWaiting = false
            return (events, state.transfer)
        }
        transfer?.resume()
        return events
    }

    /// Lets the transfer wait for its consumer, or go on. The bytes that were received before are still delivered.
    func setPaused(_ isPaused: Bool) {
        let transfer: Transfer? = state.withLock { state in
            guard state.isPaused != isPaused else { return nil }
            state.isPaused = isPaused
            guard !isPaused else { return nil }
            state.isWaiting = false
            return state.transfer
        }
        transfer?.resume()
    }

    func cancel() {
        let transfer = state.withLock { state in
            state.isStopped = true
            state.events = Events()
            return state.transfer.take()
        }
        transfer?.cancel()
    }

    func deliver() { state.withLock { $0.receiver }.value?.deliver() }

    // MARK: TransferHandler

    private var observer: (any TransferObserver)? { state.withLock { $0.observer } }

    func transferDidBegin() { observer?.transferDidBegin() }
    func transferDidConnect(_ connection: ConnectionMetrics) { observer?.transferDidConnect(connection) }
    func transferDidSend(total: Int64) { observer?.transferDidSend(total: total) }

    func transferDidReceive(_ head: ReceivedHead) {
        // On this thread, because the work queue is that of all sessions.
        let url = head.url ?? url
        let response = url.flatMap { ResponseWithHead.create($0, head, hasFields: observer == nil) }
        state.withLock { $0.events.response = response }
    }

    func transferDidReceive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            // The transfer waits until it is cancelled: the rest of the bytes can be decoded to any number.
            if state.isStopped { return false }
            if !joinsBody, state.isPaused || state.events.body.count >= Self.highWaterMark {
                state.isWaiting = true
                return false
            }
            state.events.body.append(contentsOf: bytes)
            return true
        }
    }

    func transferDidEnd(_ failure: TransferFailure?) {
        state.withLock { state in
            state.events.end = failure.map { .failure($0.error(url)) } ?? .success(())
            state.transfer = nil
        }
    }

    /// Makes the protocol take the events, unless URLSession has not started it: it then takes them first.
    func transferDidUpdate(isAlone: Bool) {
        let task: URLSessionTask? = state.withLock { state in
            guard !state.isStopped, !state.isAwake, state.receiver.value != nil else { return nil }
            let events = state.events
            guard events.response != nil || events.end != nil || !joinsBody && !events.body.isEmpty else {
                return nil
            }
            state.isAwake = true
            return state.task
        }
        guard let task else { return }
        if let workQueue { return workQueue.deliver(self, inline: isAlone) }
        // URLSession calls the protocol of a running task again when the task is resumed.
        Self.wakeUpQueue.async { if task.state == .running { task.resume() } }
    }
}
#endif
