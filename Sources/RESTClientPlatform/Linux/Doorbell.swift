// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import RESTClientHTTP

/// A task of a session that calls its loads on the work queue of the session.
///
/// URLSession calls the protocol of a running task on its work queue when the task is resumed (PLATFORM A8). With one task
/// for all loads of a session, many of them are delivered after one wait for that queue.
final class Doorbell: Sendable {
    private struct Weak { weak var doorbell: Doorbell? }

    private struct State {
        var loads: [Load] = []
        /// `true` until the loads were called.
        var isRinging = false
    }

    private static let scheme = "restclient-doorbell"
    private static let doorbells = LockedState<[ObjectIdentifier: Weak]>([:])
    private static let queue = DispatchQueue(label: "RESTClient.wake-up")
    /// The number of times that loads are called before others may use the work queue.
    private static let maxRounds = 8

    private let task: URLSessionTask
    private let state = LockedState(State())

    /// Creates the task in a session whose protocol classes contain `DoorbellProtocol`.
    init?(_ session: URLSession) {
        guard let url = URL(string: "\(Self.scheme):/") else { return nil }
        task = session.dataTask(with: url)
        Self.doorbells.withLock { $0[ObjectIdentifier(task)] = Weak(doorbell: self) }
        task.resume()
    }

    deinit { _ = Self.doorbells.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) } }

    static func of(_ task: URLSessionTask) -> Doorbell? {
        doorbells.withLock { $0[ObjectIdentifier(task)]?.doorbell }
    }

    static func isDoorbell(_ request: URLRequest) -> Bool { request.url?.scheme == scheme }

    /// Ends the task, so that its session can be invalidated.
    func close() { task.cancel() }

    /// Delivers the events of a load soon. On the calling thread this takes less time for one load, on a queue for many.
    func ring(_ load: Load, inline: Bool) {
        let isNeeded = state.withLock { state in
            state.loads.append(load)
            defer { state.isRinging = true }
            return !state.isRinging
        }
        if isNeeded { Self.perform(inline: inline) { [task] in task.resume() } }
    }

    static func perform(inline: Bool, _ work: @escaping @Sendable () -> Void) {
        if inline { work() } else { queue.async(execute: work) }
    }

    /// Calls the loads, on the work queue.
    fileprivate func deliver() {
        for _ in 0..<Self.maxRounds {
            let loads = state.withLock { state in
                defer { state.loads = [] }
                if state.loads.isEmpty { state.isRinging = false }
                return state.loads
            }
            if loads.isEmpty { return }
            for load in loads { load.deliver() }
        }
        Self.queue.async { [task] in task.resume() }
    }
}

/// The protocol of the task of a `Doorbell`.
final class DoorbellProtocol: URLProtocol {
    private var doorbell: Doorbell?

    override class func canInit(with request: URLRequest) -> Bool { Doorbell.isDoorbell(request) }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        doorbell = doorbell ?? task.flatMap { Doorbell.of($0) }
        doorbell?.deliver()
    }

    override func stopLoading() { doorbell = nil }
}
#endif
