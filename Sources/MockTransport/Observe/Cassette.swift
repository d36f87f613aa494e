import Foundation

/// A file of recorded exchanges, which several servers can record. It is written after each exchange.
struct Cassette: ExchangeRecorder {
    private struct State {
        /// The exchanges, of which each recorded one is masked by its server.
        var archive: HAR
        /// The number of exchanges that were read from the file, which each server that records masks.
        let loadedCount: Int
        /// The masked values, which are masked in all exchanges.
        var maskedValues: Set<String> = []

        init(_ archive: HAR) { (self.archive, loadedCount) = (archive, archive.entries.count) }

        var loaded: [HAR.Entry] { Array(archive.entries.prefix(loadedCount)) }

        /// Replaces the exchanges of the file. Returns `false` if they are not the expected ones.
        mutating func replace(_ loaded: [HAR.Entry], by masked: [HAR.Entry]) -> Bool {
            guard self.loaded == loaded else { return false }
            archive.entries.replaceSubrange(0..<loadedCount, with: masked)
            return true
        }
    }

    private let file: URL
    private let times: HAR.Times
    /// The masking of the server.
    private(set) var masking: HAR.Masking
    private let state: LockedState<State>
    /// `true` after the server has masked the exchanges of the file.
    private var hasMasked = LockedState(false)

    init(_ file: URL, initial archive: HAR, times: HAR.Times, masking: HAR.Masking) {
        self.file = file
        self.times = times
        self.masking = masking
        state = LockedState(State(archive))
    }

    /// Returns the same cassette for a server with another masking.
    func masked(by masking: HAR.Masking) -> Self {
        var copy = self
        copy.masking = masking
        copy.hasMasked = LockedState(false)
        return copy
    }

    /// The exchanges recorded so far.
    var recorded: HAR { state.withLock { $0.archive } }

    /// Adds a completed exchange and writes the file.
    func add(_ entry: HAR.Entry) throws(MockServerError) {
        // Masking calls closures of the user, which may use the cassette, so the lock is not held.
        var values: Set<String> = []
        let masked = masking.masked(entry) { values.insert($0) }
        if !hasMasked.withLock({ $0 }) {
            maskLoadedExchanges(&values)
            hasMasked.withLock { $0 = true }
        }
        do {
            try state.withLock { [values] state in
                state.maskedValues.formUnion(values)
                state.archive.entries.append(masked)
                try FileReplacement.write(
                    state.archive.data(
                        times: times, masking: .standard, maskedValues: state.maskedValues), to: file)
            }
        } catch { throw MockServerError(.cassette(.unwritable(file, error))) }
    }

    /// Masks the exchanges that were read from the file, again if another server masks them at the same time.
    private func maskLoadedExchanges(_ values: inout Set<String>) {
        var isReplaced = false
        while !isReplaced {
            let loaded = state.withLock { $0.loaded }
            let masked = loaded.map { entry in masking.masked(entry) { values.insert($0) } }
            isReplaced = state.withLock { $0.replace(loaded, by: masked) }
        }
    }
}
