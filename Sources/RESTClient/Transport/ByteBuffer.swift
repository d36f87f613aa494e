import Foundation
import RESTClientHTTP

/// A buffer with bounded memory for a streamed body, between URLSession and the consumer.
///
/// URLSession appends and one consumer reads. While the buffer is full, the transfer waits, unless a protocol of the caller
/// or URLSession's own protocol on Linux sends it, which cannot wait.
final class ByteBuffer: Sendable {
    private typealias Reader = CheckedContinuation<[Data], any Error>

    private struct State {
        var chunks: [Data] = []
        /// The number of bytes in `chunks`.
        var byteCount = 0
        var reader: Reader?
        var isFinished = false
        var error: (any Error)?
        var isAbandoned = false
        var isFull = false
        /// `true` if the buffer was full since the last call of `wasFull()`.
        var wasFull = false
    }

    private static let capacity = 1 << 20
    /// The number of unread bytes with which a transfer that cannot wait ends.
    static let maxUnreadBytes = 64 << 20

    private let state: LockedState<State>
    private let setPaused: (@Sendable (Bool) -> Void)?
    private let onAbandon: @Sendable () -> Void

    /// Creates a buffer of a transfer that `setPaused` lets wait. Calls `onAbandon` if the consumer stops reading before the
    /// end of the transfer.
    init(setPaused: (@Sendable (Bool) -> Void)? = nil, onAbandon: @escaping @Sendable () -> Void) {
        self.setPaused = setPaused
        self.onAbandon = onAbandon
        state = LockedState(State())
    }

    /// Creates the buffer of a transfer that has ended, with its whole body or the part before `error`.
    init(_ body: Data, endingWith error: (any Error)? = nil) {
        (setPaused, onAbandon) = (nil, {})
        state = LockedState(
            State(
                chunks: body.isEmpty ? [] : [body], byteCount: body.count, isFinished: true, error: error))
    }

    // MARK: Writing

    /// Appends a chunk. Returns `false` if more than `maxUnreadBytes` are not read.
    @discardableResult func append(_ data: Data) -> Bool {
        // The chunks for a reader are created under the lock, see `LockedState.synchronizeForSanitizer`.
        let (reader, chunks, fits) = state.withLock { state -> (Reader?, [Data], Bool) in
            guard !state.isAbandoned, !state.isFinished else { return (nil, [], true) }
            if let reader = state.reader.take() { return (reader, [data], true) }
            state.chunks.append(data)
            state.byteCount += data.count
            updateFullness(&state)
            return (nil, [], state.byteCount <= Self.maxUnreadBytes)
        }
        reader?.resume(returning: chunks)
        return fits
    }

    /// Marks the body as complete, or as failed with `error`. Buffered bytes can still be read.
    func finish(_ error: (any Error)?) {
        let reader = state.withLock { state -> Reader? in
            guard !state.isFinished else { return nil }
            (state.isFinished, state.error) = (true, error)
            updateFullness(&state)
            return state.reader.take()
        }
        guard let reader else { return }
        if let error { reader.resume(throwing: error) } else { reader.resume(returning: []) }
    }

    // MARK: Reading

    /// Returns the chunks received since the last call. Waits if there are none; returns an empty array at the end.
    ///
    /// - Throws: the error of the transfer after all bytes before it were returned; `CancellationError` immediately if the
    ///   task is cancelled or the buffer was abandoned.
    func next() async throws -> [Data] {
        let available = state.withLock { state in Result { try take(&state) } }
        if let chunks = try available.get() { return chunks }
        defer { state.synchronizeForSanitizer() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0) }
        } onCancel: {
            abandon()
        }
    }

    /// Returns the whole body if it has at most `limit` bytes; otherwise returns `nil` and consumes nothing.
    func collect(upTo limit: Int) async throws -> Data? {
        let (chunks, isComplete) = try await read(upTo: limit) { _ in false }
        if isComplete { return chunks.reduce(into: Data()) { $0.append($1) } }
        putBack(chunks)
        return nil
    }

    /// Receives chunks, without consuming them, until `isEnough` returns `true` for one, the body ends, or more than
    /// `limit` bytes were received.
    func peek(upTo limit: Int, until isEnough: (Data) -> Bool) async throws {
        putBack(try await read(upTo: limit, until: isEnough).chunks)
    }

    private func read(
        upTo limit: Int, until isEnough: (Data) -> Bool
    ) async throws -> (chunks: [Data], isComplete: Bool) {
        var chunks: [Data] = []
        var count = 0
        while count <= limit {
            let more = try await next()
            if more.isEmpty { return (chunks, true) }
            chunks += more
            count += more.reduce(0) { $0 + $1.count }
            if more.contains(where: isEnough) { break }
        }
        return (chunks, false)
    }

    private func putBack(_ chunks: [Data]) {
        state.withLock { state in
            guard !state.isAbandoned else { return }
            state.chunks = chunks + state.chunks
            state.byteCount += chunks.reduce(0) { $0 + $1.count }
        }
    }

    /// Discards all bytes, and cancels the transfer if it has not ended.
    func abandon() {
        let (reader, isCancelling) = state.withLock { state in
            let isCancelling = !state.isFinished && !state.isAbandoned
            let reader = state.reader
            state = State(isAbandoned: true, isFull: state.isFull)
            updateFullness(&state)
            return (reader, isCancelling)
        }
        if isCancelling { onAbandon() }
        reader?.resume(throwing: CancellationError())
    }

    private func wait(_ reader: Reader) {
        let result: Result<[Data]?, any Error> = state.withLock { state in
            Result {
                if let chunks = try take(&state) { return chunks }
                // Copies of an iterator can wait concurrently. The second one throws, so that the first one is still
                // resumed.
                guard state.reader == nil else { throw BodyAlreadyRead() }
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

    /// Returns `true` if the buffer was full since the last call: no data is received then, although the server is ready.
    func wasFull() -> Bool {
        state.withLock { state in
            defer { state.wasFull = state.isFull }
            return state.wasFull
        }
    }

    /// Lets the transfer wait when the buffer becomes full, and go on when it has space again. Called under the lock, so that
    /// both follow each other in the right order.
    private func updateFullness(_ state: inout State) {
        let isFull = state.byteCount >= Self.capacity && !state.isAbandoned && !state.isFinished
        guard isFull != state.isFull else { return }
        state.isFull = isFull
        state.wasFull = state.wasFull || isFull
        setPaused?(isFull)
    }

    private func take(_ state: inout State) throws -> [Data]? {
        guard !state.isAbandoned else { throw CancellationError() }
        defer { updateFullness(&state) }
        if !state.chunks.isEmpty {
            defer {
                state.chunks = []
                state.byteCount = 0
            }
            return state.chunks
        }
        guard state.isFinished else { return nil }
        if let error = state.error { throw error }
        return []
    }
}
