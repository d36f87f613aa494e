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

        fileprivate var size: Int { if case .chunk(let data) = self { data.count } else { 0 } }
    }

    private struct State {
        var inbox: [Event] = []
        /// Ends what goes on elsewhere for this exchange.
        var stops: [@Sendable () -> Void] = []
        var isWoken = false
        var isOver = false
        /// Bytes in the inbox.
        var waiting = 0
        /// Goes on when the inbox has been taken.
        var writer: CheckedContinuation<Void, Never>?
    }

    /// Bytes that may wait in the inbox before a source has to.
    private static let room = 1 << 20

    private let state = LockedState(State())
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
            if insteadOfOthers {
                state.inbox = []
                state.waiting = 0
            }
            state.inbox += events
            state.waiting += events.reduce(0) { $0 + $1.size }
            defer { state.isWoken = true }
            return !state.isWoken
        }
        if mustWake { Pump.wake(self, task) }
    }

    /// What has been posted since the last time.
    func take() -> [Event] {
        let (events, writer) = state.withLock { state in
            let taken = (state.isOver ? [] : state.inbox, state.writer)
            state.isWoken = false
            state.inbox = []
            state.waiting = 0
            state.writer = nil
            return taken
        }
        writer?.resume()
        return events
    }

    /// Waits until the client has been told enough of what was posted for there to be room for more.
    func waitForRoom() async {
        await withCheckedContinuation { writer in
            let waits = state.withLock { state in
                guard !state.isOver, state.waiting >= Self.room else { return false }
                state.writer = writer
                return true
            }
            if !waits { writer.resume() }
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
        let (stops, writer) = state.withLock { state in
            defer { state = State(isOver: true) }
            return (state.stops, state.writer)
        }
        writer?.resume()
        for stop in stops { Pump.async(stop) }
    }
}
