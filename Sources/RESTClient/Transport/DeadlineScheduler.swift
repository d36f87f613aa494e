import RESTClientHTTP

/// A type that a `DeadlineScheduler` calls at its deadline, to end an operation.
protocol DeadlineHandler: Sendable {
    var hasEnded: Bool { get }
    /// Ends the operation and returns `nil` if its deadline has passed. Otherwise, returns the next deadline.
    func deadlineReached() -> Duration?
}

/// Calls deadline handlers at their deadlines, with one sleeping Swift task for all requests of a manager.
///
/// A sleeping task for each request would be expensive: a cancelled `Task.sleep` holds about 740 bytes until its
/// deadline (PLATFORM D). The sleeps have a tolerance, so that a virtual clock treats them as timeouts and does not
/// advance for them.
final class DeadlineScheduler: Sendable {
    private struct State {
        var heap = DeadlineHeap<any DeadlineHandler>()
        var wakeTime: Duration?
        var sleeper: Task<Void, Never>?
        var lastToken = 0
    }

    private static let tolerance = Duration.milliseconds(2)
    /// The poll interval for a clock whose sleep fails.
    private static let pollInterval = Duration.milliseconds(100)

    private let clock: AnyClock
    private let state = LockedState(State())

    init(clock: AnyClock) { self.clock = clock }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    /// Schedules a call of `handler` at `due`, and returns a token for `remove`. If the handler returns another
    /// deadline, it is called again then.
    func add(_ handler: any DeadlineHandler, due: Duration) -> Int {
        let (token, isEarlier) = state.withLock { state in
            state.lastToken += 1
            state.heap.insert(handler, number: state.lastToken, due: due)
            return (state.lastToken, state.wakeTime.map { due < $0 } ?? true)
        }
        if isEarlier { schedule() }
        return token
    }

    func remove(_ token: Int) {
        // The handler must not be released under the lock.
        _ = state.withLock { $0.heap.remove(token) }
    }

    /// Sleeps until the earliest deadline. A sleep that ends later is replaced; a sleep that ends earlier schedules the
    /// next one.
    private func schedule() {
        let replaced: Task<Void, Never>? = state.withLock { state in
            guard let earliest = state.heap.earliest else { return nil }
            if let wakeTime = state.wakeTime, wakeTime <= earliest { return nil }
            let old = state.sleeper
            state.wakeTime = earliest
            // Detached, because the task outlives the request that started it, and must not keep the task-local values
            // of that request.
            state.sleeper = Task.detached { [weak self, clock] in
                do {
                    try await clock.sleep(until: earliest, tolerance: Self.tolerance)
                } catch {
                    // The sleep was replaced, or the clock cannot sleep and is polled instead.
                    guard (try? await Task.sleep(for: Self.pollInterval)) != nil else { return }
                }
                self?.wakeUp(at: earliest)
            }
            return old
        }
        replaced?.cancel()
    }

    private func wakeUp(at time: Duration) {
        let now = clock.now
        let due = state.withLock { state -> [(number: Int, element: any DeadlineHandler)] in
            guard state.wakeTime == time else { return [] }
            state.wakeTime = nil
            state.sleeper = nil
            return state.heap.removeDue(at: now)
        }
        for (token, handler) in due {
            guard let next = handler.deadlineReached() else { continue }
            state.withLock { $0.heap.insert(handler, number: token, due: next) }
            // The operation may have ended and removed its token before the new deadline was inserted.
            if handler.hasEnded { remove(token) }
        }
        schedule()
    }
}

/// A binary heap of elements ordered by due time, in which an element can be removed by its number in logarithmic time.
struct DeadlineHeap<Element> {
    private struct Entry {
        var due: Duration
        let number: Int
        let element: Element
    }

    private var entries: [Entry] = []
    private var positions: [Int: Int] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// The earliest due time.
    var earliest: Duration? { entries.first?.due }

    /// Adds `element` with `number`, and replaces an element with the same number.
    mutating func insert(_ element: Element, number: Int, due: Duration) {
        remove(number)
        entries.append(Entry(due: due, number: number, element: element))
        positions[number] = entries.count - 1
        siftUp(from: entries.count - 1)
    }

    /// Removes and returns the element with `number`.
    @discardableResult mutating func remove(_ number: Int) -> Element? {
        guard let position = positions.removeValue(forKey: number) else { return nil }
        let removed = entries[position].element
        let last = entries.removeLast()
        if position < entries.count {
            entries[position] = last
            positions[last.number] = position
            siftUp(from: position)
            siftDown(from: position)
        }
        return removed
    }

    /// Removes and returns all elements due at `now` or before, the earliest first.
    mutating func removeDue(at now: Duration) -> [(number: Int, element: Element)] {
        var due: [(number: Int, element: Element)] = []
        while let first = entries.first, first.due <= now {
            remove(first.number)
            due.append((first.number, first.element))
        }
        return due
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].due < entries[parent].due else { return }
            swap(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].due < entries[least].due {
                least = child
            }
            guard least != parent else { return }
            swap(parent, least)
            parent = least
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        entries.swapAt(first, second)
        positions[entries[first].number] = first
        positions[entries[second].number] = second
    }
}
