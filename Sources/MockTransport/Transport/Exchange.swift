import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its reply: what has happened and waits to be told to the client.
///
/// Anyone may post; only the protocol, on the queue of its client, takes.
final class Exchange: Sendable {
    enum Event: Sendable {
        case head(HTTPURLResponse)
        case chunk(Data)
        case end
        case failure(any Error)
    }

    private struct State {
        var inbox: [Event] = []
        /// Ends what goes on elsewhere for this exchange.
        var stops: [@Sendable () -> Void] = []
        var isWoken = false
        var isOver = false
    }

    private let state = Lock(State())
    private let task: URLSessionTask
    let request: URLRequest
    /// What keeps a virtual clock still meanwhile.
    let hold: VirtualClock.Hold?

    init(task: URLSessionTask, request: URLRequest, hold: VirtualClock.Hold?) {
        self.task = task
        self.request = request
        self.hold = hold
    }

    /// Whether the client may not be called any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Tells the client of `events` as soon as it may be told.
    func post(_ events: [Event], insteadOfOthers: Bool = false) {
        let mustWake = state.withLock { state -> Bool in
            guard !state.isOver, !events.isEmpty else { return false }
            if insteadOfOthers { state.inbox = [] }
            state.inbox += events
            defer { state.isWoken = true }
            return !state.isWoken
        }
        if mustWake { Pump.wake(self, task) }
    }

    /// What has been posted since the last time.
    func take() -> [Event] {
        state.withLock { state in
            state.isWoken = false
            defer { state.inbox = [] }
            return state.isOver ? [] : state.inbox
        }
    }

    /// Lets `work` go on elsewhere until the exchange is over.
    func drive(_ work: @escaping @Sendable () async -> Void) {
        let driver = Task { await VirtualClock.$currentHold.withValue(hold) { await work() } }
        onFinish { driver.cancel() }
    }

    /// Calls `stop` when nothing more will be told: at once if that is so already.
    func onFinish(_ stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state -> Bool in
            if !state.isOver { state.stops.append(stop) }
            return state.isOver
        }
        if isLate { Pump.async(stop) }
    }

    /// Nothing more will be told.
    func finish() {
        let stops = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.stops
        }
        for stop in stops { Pump.async(stop) }
    }
}
