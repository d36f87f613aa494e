import RESTClientHTTP

/// Hands what a manager does to its monitor and to whoever reads its events.
final class EventHub: Sendable {
    private struct State {
        var next = 0
        var readers: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
    }

    private let monitor: EventMonitor?
    private let state = LockedState(State())

    init(_ monitor: EventMonitor?) { self.monitor = monitor }

    deinit { for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() } }

    /// Events from now on, the last `buffer` of them kept for a slow reader.
    func events(buffer: Int) -> AsyncStream<SessionEvent> {
        let (events, reader) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(max(1, buffer)))
        let number = state.withLock { state in
            state.next += 1
            state.readers[state.next] = reader
            return state.next
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
        }
        return events
    }

    /// Hands `event` over if anybody wants it; it is made only then.
    func report(_ event: () -> SessionEvent) {
        let readers = state.withLock { Array($0.readers.values) }
        guard monitor != nil || !readers.isEmpty else { return }
        let event = event()
        monitor?.receive(event)
        for reader in readers { reader.yield(event) }
    }
}
