/// A limit of real time that counts only while this process gets its turns.
///
/// Hundreds of tests on two cores may keep one of them from running for seconds; a plain timer would end its wait
/// although nothing is wrong. This one passes through the same queue as what it waits for, many times over.
struct Patience: Sendable {
    private static let turns = 50
    private let task: Task<Void, Never>

    /// Calls `giveUp` when `limit` has passed, unless it is ended before.
    init(_ limit: Duration, giveUp: @escaping @Sendable () -> Void) {
        task = Task {
            for _ in 0..<Self.turns {
                guard (try? await Task.sleep(for: limit / Self.turns)) != nil else { return }
            }
            giveUp()
        }
    }

    /// What was waited for has come.
    func end() { task.cancel() }
}
