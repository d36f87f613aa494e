/// Moves a virtual clock by itself: whenever someone waits, nobody holds it, and the process has gone quiet.
final class Settler: Sendable {
    private enum Watch { case off, on, again }

    private let sleepers: Sleepers
    private let watch = LockedState(Watch.off)

    init(_ sleepers: Sleepers) { self.sleepers = sleepers }

    /// Something has happened that may let time move.
    func look() {
        let mustStart = watch.withLock { watch -> Bool in
            defer { watch = watch == .off ? .on : .again }
            return watch == .off
        }
        guard mustStart else { return }
        Task.detached { [self] in
            while await settle() {}
        }
    }

    /// One move of time at most; false when there is nothing to wait for.
    private func settle() async -> Bool {
        guard sleepers.isReady else {
            return watch.withLock { watch in
                defer { watch = watch == .again ? .on : .off }
                return watch == .again
            }
        }
        let events = sleepers.events
        if await Stillness.lasts(while: { self.sleepers.events == events }) {
            _ = sleepers.moveByItself(ifStillAt: events)
        }
        return true
    }
}
