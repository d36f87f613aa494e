import Dispatch
import Foundation
import RESTClientHTTP

/// The bytes between a transfer and its reader: bounded in memory, whatever the reader's pace.
///
/// The work queue of URLSession appends, one reader takes. When there is no more room the appender waits, which makes
/// libcurl stop reading and TCP slow the server down, but for `longestWait` at most and only while no other exchange
/// of the process is under way, because they all share that queue (PLATFORM A6, C). What does not fit then goes to a
/// file, until the reader has caught up.
final class ByteBuffer: Sendable {
    private struct State {
        var chunks: [Data] = []
        /// Bytes in `chunks`.
        var held = 0
        /// What did not fit, behind `chunks`.
        var spilled = SpilledBytes()
        var reader: CheckedContinuation<[Data], any Error>?
        var isFinished = false
        var error: (any Error)?
        var isAbandoned = false
        /// Whether the appender waits for room.
        var waits = false

        var isFull: Bool { !isAbandoned && !isFinished && held >= capacity && spilled.count == 0 }
    }

    private static let capacity = 1 << 20
    private static let longestWait = DispatchTimeInterval.milliseconds(100)
    private static let readSize = 256 << 10

    private let state = LockedState(State())
    private let room = DispatchSemaphore(value: 0)
    private let spillLimit: Int64
    private let abandoned: @Sendable () -> Void

    /// A buffer that calls `abandoned` when its reader goes before the end.
    init(spillLimit: Int64, abandoned: @escaping @Sendable () -> Void) {
        self.spillLimit = spillLimit
        self.abandoned = abandoned
    }

    // MARK: The transfer's side

    /// Takes a chunk; the result says why it cannot.
    func append(_ data: Data) -> ExchangeFailure? {
        if state.withLock({ $0.isFull }) { waitForRoom() }
        let limit = spillLimit
        let (reader, failure) = state.withLock {
            state -> (CheckedContinuation<[Data], any Error>?, ExchangeFailure?) in
            guard !state.isAbandoned, !state.isFinished else { return (nil, nil) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, nil)
            }
            if state.held < Self.capacity, state.spilled.count == 0 {
                state.chunks.append(data)
                state.held += data.count
                return (nil, nil)
            }
            do throws(ExchangeFailure) {
                try state.spilled.append(data, limit: limit)
                return (nil, nil)
            } catch {
                return (nil, error)
            }
        }
        reader?.resume(returning: [data])
        return failure
    }

    /// No more bytes come: all is there, or `error` says why not. What was taken before is still handed out.
    func finish(_ error: (any Error)?) {
        let reader = state.withLock { state in
            guard !state.isFinished else { return nil as CheckedContinuation<[Data], any Error>? }
            state.isFinished = true
            state.error = error
            defer { state.reader = nil }
            return state.reader
        }
        letAppenderGo()
        guard let reader else { return }
        if let error { reader.resume(throwing: error) } else { reader.resume(returning: []) }
    }

    private func waitForRoom() {
        guard InFlight.isAlone(self, letGo: { [weak self] in self?.letAppenderGo() }) else { return }
        defer { InFlight.forget(self) }
        let waits = state.withLock { state in
            state.waits = state.isFull
            return state.waits
        }
        guard waits else { return }
        let result = room.wait(timeout: .now() + Self.longestWait)
        let nobodySignals = state.withLock { state in
            defer { state.waits = false }
            return state.waits
        }
        // Who let us go just as the time was up signals, too; the next wait must not take that for room.
        if result == .timedOut, !nobodySignals { room.wait() }
    }

    private func letAppenderGo() {
        let waits = state.withLock { state in
            defer { state.waits = false }
            return state.waits
        }
        if waits { room.signal() }
    }

    // MARK: The reader's side

    /// The chunks that have come since the last time, waiting for one if there is none; no chunks are the end.
    ///
    /// - Throws: what the transfer failed with, once all that had come is handed out; `CancellationError` at once
    ///   when the task is cancelled or the reader has gone.
    func next() async throws -> [Data] {
        if let chunks = try takeWithoutWaiting() { return chunks }
        defer { state.synchronizeForSanitizer() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0) }
        } onCancel: {
            abandon()
        }
    }

    /// The whole body, if it is no larger than `most`; otherwise nothing is taken.
    func readAll(ifAtMost most: Int) async throws -> Data? {
        var chunks: [Data] = []
        var count = 0
        while count <= most {
            let more = try await next()
            if more.isEmpty { return Data(chunks.joined()) }
            chunks += more
            count += more.reduce(0) { $0 + $1.count }
        }
        putBack(chunks)
        return nil
    }

    /// Waits until `isEnough` says of the next of the bytes in order that they are, or they end, or are more than `most`;
    /// takes nothing.
    func wait(forAtMost most: Int, until isEnough: (Data) -> Bool) async throws {
        var chunks: [Data] = []
        var count = 0
        var goesOn = true
        while goesOn, count <= most {
            let more = try await next()
            chunks += more
            count += more.reduce(0) { $0 + $1.count }
            goesOn = !more.isEmpty && !more.contains(where: isEnough)
        }
        putBack(chunks)
    }

    private func putBack(_ chunks: [Data]) {
        state.withLock { state in
            guard !state.isAbandoned else { return }
            state.chunks = chunks + state.chunks
            state.held += chunks.reduce(0) { $0 + $1.count }
        }
    }

    /// The reader goes: the transfer ends if it has not.
    func abandon() {
        let (reader, cancels) = state.withLock { state in
            let cancels = !state.isFinished && !state.isAbandoned
            let reader = state.reader
            state = State(isAbandoned: true, waits: state.waits)
            return (reader, cancels)
        }
        letAppenderGo()
        if cancels { abandoned() }
        reader?.resume(throwing: CancellationError())
    }

    private func takeWithoutWaiting() throws -> [Data]? {
        let result = state.withLock { state in Result { try Self.take(&state) } }
        letAppenderGo()
        return try result.get()
    }

    private func wait(_ reader: CheckedContinuation<[Data], any Error>) {
        let result: Result<[Data]?, any Error> = state.withLock { state in
            Result {
                if let chunks = try Self.take(&state) { return chunks }
                // Copies of an iterator may wait at a time; the one that waits already must not be forgotten.
                guard state.reader == nil else { throw ByteStream.AlreadyRead() }
                state.reader = reader
                return nil
            }
        }
        switch result {
        case .success(nil): return
        case .success(let chunks?): reader.resume(returning: chunks)
        case .failure(let error): reader.resume(throwing: error)
        }
    }

    private static func take(_ state: inout State) throws -> [Data]? {
        guard !state.isAbandoned else { throw CancellationError() }
        if !state.chunks.isEmpty {
            defer {
                state.chunks = []
                state.held = 0
            }
            return state.chunks
        }
        if state.spilled.count > 0 {
            return [try state.spilled.takeFirst(readSize)]
        }
        guard state.isFinished else { return nil }
        if let error = state.error { throw error }
        return []
    }
}
