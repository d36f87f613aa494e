public import Foundation
import RESTClientHTTP

/// A body, once, in the pieces in which it comes: bounded in memory, cancelled when dropped.
///
/// Read it with `for try await`. Leaving the loop, or dropping a stream that was never read, stops the transfer.
/// A reader may take its time: what the network brings meanwhile waits in about a megabyte of memory, behind that in
/// an unnamed file, up to `RequestOptions.maxSpillBytes`; only the network is timed, not the reader. To await
/// other requests between two pieces is fine.
///
/// It can be read once: a second iteration throws ``AlreadyRead``.
public struct ByteStream: AsyncSequence, Sendable {
    /// The stream was read before.
    public struct AlreadyRead: Error, CustomStringConvertible {
        /// Says so.
        public var description: String { "a ByteStream can be read once" }
    }

    private let lease: Lease

    /// A stream of chunks from elsewhere: a cache, a test.
    public init(_ chunks: some AsyncSequence<Data, any Error> & Sendable) {
        lease = Lease(.chunks(chunks))
    }

    /// A stream of bytes that are there already.
    init(_ data: Data) {
        self.init(
            AsyncThrowingStream<Data, any Error> { source in
                if !data.isEmpty { source.yield(data) }
                source.finish()
            })
    }

    /// The bytes of a transfer.
    init(_ buffer: ByteBuffer) {
        lease = Lease(.transfer(buffer))
    }

    /// Calls `handler` once, when the last byte was read or nobody will read on; it may replace the error that the
    /// reader gets.
    func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> (any Error)?) { lease.onEnd(handler) }

    /// Reads the next chunks without taking them out of the stream, until `isEnough` returns `true` for one of them, the
    /// body ends, or more than `limit` bytes were read. Does nothing for a stream that is not a transfer.
    func peek(upTo limit: Int, until isEnough: (Data) -> Bool) async throws {
        guard let buffer = lease.buffer else { return }
        do { try await buffer.wait(forAtMost: limit, until: isEnough) } catch {
            throw lease.end(error) ?? error
        }
    }

    /// A value for the consumer of the stream, set by a `transformResponse`.
    var attachment: (any Sendable)? {
        get { lease.attachment }
        nonmutating set { lease.attachment = newValue }
    }

    /// Ends it from elsewhere with `CancellationError`; does not keep it.
    var cancel: @Sendable () -> Void {
        { [weak lease] in _ = lease?.end(CancellationError()) }
    }

    /// Begins to read; the second time, to throw.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lease) }

    /// Reads a ``ByteStream``; when it is dropped before the end, the transfer stops.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Pull {
            case transfer(ByteBuffer)
            case chunks(any AsyncIteratorProtocol<Data, any Error>)
            case nothing((any Error)?)
        }

        private let reading: Reading?
        private var pull: Pull
        private var batch: [Data] = []
        private var position = 0

        fileprivate init(_ lease: Lease) {
            switch lease.take() {
            case .transfer(let buffer): pull = .transfer(buffer)
            case .chunks(let chunks): pull = .chunks(Self.iterator(of: chunks))
            case nil:
                // Not this one's to end.
                (reading, pull) = (nil, .nothing(AlreadyRead()))
                return
            }
            reading = Reading(lease: lease)
        }

        private static func iterator(
            of chunks: some AsyncSequence<Data, any Error>
        ) -> any AsyncIteratorProtocol<Data, any Error> {
            chunks.makeAsyncIterator()
        }

        /// Whether the next piece has been taken from the source already.
        var hasPieceAtHand: Bool { position < batch.count }

        /// The next piece, without waiting while there is one; `nil` at the end.
        ///
        /// - Throws: `RESTClientError` when the transfer failed, behind all that had come; `CancellationError` at
        ///   once when the task is cancelled.
        public mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        /// The next piece, without waiting while there is one; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            if position < batch.count, !Task.isCancelled {
                defer { position += 1 }
                return batch[position]
            }
            do {
                switch pull {
                case .transfer(let buffer):
                    // Whatever is there already.
                    try Task.checkCancellation()
                    batch = try await buffer.next()
                    position = 0
                    guard batch.isEmpty else { return try await next(isolation: actor) }
                case .chunks(var iterator):
                    if let ending = reading?.lease.ending { throw ending }
                    try Task.checkCancellation()
                    let chunk = try await iterator.next(isolation: actor)
                    pull = .chunks(iterator)
                    if let chunk { return chunk }
                    // A source that ends because its task is cancelled is not at its end.
                    try Task.checkCancellation()
                case .nothing(let error):
                    if let error { throw error }
                    return nil
                }
                pull = .nothing(nil)
                _ = reading?.lease.end(nil)
                return nil
            } catch {
                pull = .nothing(nil)
                throw reading?.lease.end(error) ?? error
            }
        }
    }

    /// Ends the lease when its iterator goes.
    private final class Reading: Sendable {
        let lease: Lease

        init(lease: Lease) { self.lease = lease }

        deinit { _ = lease.end(nil) }
    }

    /// The right to read a source, shared by the copies of a stream; ends with the last of them.
    fileprivate final class Lease: Sendable {
        enum Source: Sendable {
            case transfer(ByteBuffer)
            case chunks(any AsyncSequence<Data, any Error> & Sendable)
        }

        private struct State {
            var isTaken = false
            var hasEnded = false
            /// What it ended with.
            var ending: (any Error)?
            var handlers: [@Sendable ((any Error)?) -> (any Error)?] = []
            var attachment: (any Sendable)?
        }

        private let source: Source
        private let state = LockedState(State())

        init(_ source: Source) { self.source = source }

        deinit { _ = end(nil) }

        func take() -> Source? {
            state.withLock { state in
                defer { state.isTaken = true }
                return state.isTaken ? nil : source
            }
        }

        func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> (any Error)?) {
            let (isLate, ending) = state.withLock { state in
                if !state.hasEnded { state.handlers.append(handler) }
                return (state.hasEnded, state.ending)
            }
            if isLate { _ = handler(ending) }
        }

        var attachment: (any Sendable)? {
            get { state.withLock { $0.attachment } }
            set { state.withLock { $0.attachment = newValue } }
        }

        /// The transfer that the bytes come from, if they come from one.
        var buffer: ByteBuffer? {
            guard case .transfer(let buffer) = source else { return nil }
            return buffer
        }

        /// The error that it has ended with, if it has.
        var ending: (any Error)? { state.withLock { $0.ending } }

        /// Ends the lease, the first time; the result is what the handlers make of `error`.
        func end(_ error: (any Error)?) -> (any Error)? {
            let handlers = state.withLock { state in
                if !state.hasEnded { state.ending = error }
                state.hasEnded = true
                defer { state.handlers = [] }
                return state.handlers
            }
            if case .transfer(let buffer) = source { buffer.abandon() }
            return handlers.reduce(error) { $1($0) }
        }
    }
}
