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
        var driver: Task<Void, Never>?
        var isWoken = false
        var isOver = false
    }

    private let state = Lock(State())
    private let task: URLSessionTask
    let request: URLRequest

    init(task: URLSessionTask, request: URLRequest) {
        self.task = task
        self.request = request
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
        let driver = Task { await work() }
        let isLate = state.withLock { state -> Bool in
            state.driver = driver
            return state.isOver
        }
        if isLate { Pump.cancel(driver) }
    }

    /// Nothing more will be told.
    func finish() {
        let driver = state.withLock { state -> Task<Void, Never>? in
            state.isOver = true
            state.inbox = []
            defer { state.driver = nil }
            return state.driver
        }
        if let driver { Pump.cancel(driver) }
    }
}
