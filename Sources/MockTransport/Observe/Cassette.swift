import Foundation

/// The recording of one server on a file. Several servers can record on the same file, each with its own masking.
final class Cassette: Sendable {
    let masking: HAR.Masking
    private let file: RecordedFile
    /// `true` after the server has masked the exchanges that were read from the file.
    private let hasMasked = LockedState(false)

    init(_ file: RecordedFile, masking: HAR.Masking) { (self.file, self.masking) = (file, masking) }

    deinit { file.saveOrWarn() }

    /// Adds a completed exchange. The last exchanges of a large file are saved when the server is deallocated.
    func add(_ entry: HAR.Entry) throws(MockServerError) {
        // Masking calls closures of the user, which may use the cassette, so no lock is held.
        if !hasMasked.withLock({ $0 }) {
            file.maskLoaded(masking)
            hasMasked.withLock { $0 = true }
        }
        try file.add(masking.masked(entry))
    }
}

/// A file of recorded exchanges.
///
/// Each exchange is masked and encoded once, unless a later one shows that it contains a secret. A small file is written
/// after each exchange, a large one after it has grown by half, so that the time is proportional to the size.
final class RecordedFile: Sendable {
    fileprivate struct State {
        var items: [Item]
        /// The number of exchanges that were read from the file, which each server that records masks.
        let loadedCount: Int
        /// The secrets of all exchanges, which are masked in each of them.
        var secrets: Set<String> = []
        var savedSize = 0
        var unsavedSize = 0
    }

    fileprivate struct Item {
        let masked: HAR.MaskedEntry
        /// The text in the file, or `nil` if it must be encoded.
        var text: HAR.EntryText?
    }

    /// The size up to which a file is written after each exchange.
    private static let smallSize = 256 << 10

    /// The files with exchanges that are not saved. They are saved when the process exits.
    private static let unsaved: LockedState<[ObjectIdentifier: RecordedFile]> = {
        atexit { for file in RecordedFile.unsaved.withLock({ $0 }).values { file.saveOrWarn() } }
        return LockedState([:])
    }()

    let url: URL
    private let times: HAR.Times
    private let recordedOn: String?
    private let state: LockedState<State>

    init(_ url: URL, initial archive: HAR, times: HAR.Times) {
        (self.url, self.times, recordedOn) = (url, times, archive.recordedOn)
        let items = archive.entries.map { Item(masked: HAR.Masking.standard.masked($0)) }
        let size = items.reduce(0) { $0 + $1.masked.size }
        state = LockedState(State(items: items, loadedCount: items.count, savedSize: size))
    }

    /// The exchanges so far, masked only as their servers demand.
    var archive: HAR { HAR(state.withLock { $0.items.map(\.masked.entry) }) }

    fileprivate func add(_ entry: HAR.MaskedEntry) throws(MockServerError) {
        let mustSave = state.withLock { state in
            state.items.append(Item(masked: entry))
            state.unsavedSize += entry.size
            return state.savedSize + state.unsavedSize <= Self.smallSize
                || state.unsavedSize >= state.savedSize / 2
        }
        if mustSave { return try save() }
        Self.unsaved.withLock { $0[ObjectIdentifier(self)] = self }
    }

    /// Masks the exchanges that were read from the file, again if another server masks them at the same time.
    fileprivate func maskLoaded(_ masking: HAR.Masking) {
        var isReplaced = false
        while !isReplaced {
            let loaded = state.withLock { $0.items.prefix($0.loadedCount).map(\.masked) }
            let masked = loaded.map { old in
                var new = masking.masked(old.entry)
                new.secrets.formUnion(old.secrets)
                return new
            }
            isReplaced = state.withLock { state in
                let range = 0..<state.loadedCount
                guard state.items[range].map(\.masked.entry) == loaded.map(\.entry) else { return false }
                state.items.replaceSubrange(range, with: masked.map { Item(masked: $0) })
                return true
            }
        }
    }

    private func save() throws(MockServerError) {
        do {
            try state.withLock { state in
                try FileReplacement.write(state.data(times, recordedOn), to: url)
                (state.savedSize, state.unsavedSize) = (state.savedSize + state.unsavedSize, 0)
            }
        } catch { throw MockServerError(.cassette(.unwritable(url, error))) }
        _ = Self.unsaved.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }

    /// Saves the exchanges that are not saved. No request is left that could fail if this is not possible.
    fileprivate func saveOrWarn() {
        guard state.withLock({ $0.unsavedSize > 0 }) else { return }
        do { try save() } catch { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
    }
}

extension RecordedFile.State {
    fileprivate mutating func data(_ times: HAR.Times, _ recordedOn: String?) throws -> Data {
        let known = secrets
        for item in items where item.text == nil { secrets.formUnion(item.masked.secrets) }
        if secrets != known {
            let found = SecretValues(secrets.subtracting(known))
            for index in items.indices where items[index].text != nil {
                let masked = items[index].masked
                if masked.masked(by: found) != masked.entry { items[index].text = nil }
            }
        }
        let values = SecretValues(secrets)
        for index in items.indices where items[index].text == nil {
            items[index].text = try HAR.EntryText(items[index].masked.masked(by: values), times)
        }
        return HAR.data(items.compactMap(\.text), times, recordedOn)
    }
}
