public import Foundation
import RESTClientHTTP

/// A response whose body is a stream.
public typealias StreamingResponse = Response<ByteStream>

/// The bytes of a body as they are received, bounded in memory.
///
/// Read the stream with `for try await`. The transfer is cancelled when the loop exits early, and when a stream that
/// was never read is released. The consumer may be slow: a few megabytes of received bytes are buffered in memory, and the
/// transfer waits. The idle timeout applies to the network, not to the consumer. A transfer that cannot wait, with a
/// `URLProtocol` other than a mock server or on Linux without a usable libcurl, fails with more than 64 MiB unread.
///
/// A stream can be read only once; a second iteration throws ``AlreadyRead``.
public struct ByteStream: AsyncSequence, Sendable {
    /// The error that is thrown by a second iteration.
    public typealias AlreadyRead = BodyAlreadyRead

    private let storage: Storage

    /// Creates a stream from another sequence of chunks, for example in a cache or a test.
    public init(_ chunks: some AsyncSequence<Data, any Error> & Sendable) {
        storage = Storage(.sequence(chunks))
    }

    init(_ data: Data) { storage = Storage(.data(data)) }

    init(_ body: ResponseBody) {
        switch body {
        case .data(let data): self.init(data)
        case .stream(let stream): self = stream
        }
    }

    /// Creates a stream from the body of a transfer. See `onEnd(_:)` for the handler.
    init(_ transfer: TransportTask, onEnd handler: @escaping EndHandler) {
        storage = Storage(.transfer(transfer))
        storage.onEnd(handler)
    }

    /// Creates a stream from the content of a file to which a body was downloaded, and keeps `use` as long as the stream.
    init(ofFile chunks: AsyncThrowingStream<Data, any Error>, keeping use: any AnyObject & Sendable) {
        storage = Storage(.file(chunks), fileUse: use)
    }

    /// A function that is called once, when the stream ends or is released. It returns the error to throw to the consumer.
    typealias EndHandler = @Sendable ((any Error)?) -> (any Error)?

    func onEnd(_ handler: @escaping EndHandler) { storage.onEnd(handler) }

    /// Calls `handler` once, when the transfer of the body has ended or waits for its reader. That is now for a body that is not
    /// in transfer.
    func whenAtRest(_ handler: @escaping @Sendable () -> Void) {
        guard case .transfer(let transfer) = storage.source else { return handler() }
        transfer.whenAtRest(handler)
    }

    /// Returns the received chunks after the first `count`, without consuming any. Waits if there are none; returns an empty
    /// array at the end, and for a stream that was created from another sequence.
    ///
    /// It must not be called after the iteration was started.
    func chunks(after count: Int) async throws -> [Data] {
        switch storage.source {
        case .transfer(let transfer):
            do { return try await transfer.read(after: count) } catch { throw storage.end(error) ?? error }
        case .data(let data): return count == 0 && !data.isEmpty ? [data] : []
        case .file, .sequence: return []
        }
    }

    /// Returns the chunks up to the end of the body, a failure, or at least `count` bytes, without consuming any. A failure is thrown
    /// by the iteration, after these chunks. Returns no bytes for a stream that was created from another sequence.
    func start(upTo count: Int) async -> Data {
        switch storage.source {
        case .data(let data): return data
        case .file, .sequence: return Data()
        case .transfer(let transfer):
            var start = Data()
            var received = 0
            while start.count < count, let chunks = try? await transfer.read(after: received),
                !chunks.isEmpty
            {
                received += chunks.count
                for chunk in chunks { start += chunk }
            }
            return start
        }
    }

    /// `true` for the content of a file to which a body was downloaded.
    var isFile: Bool { storage.fileUse != nil }

    /// `true` if the chunks come from a sequence of an interceptor, which has no deadline of its own.
    var isCustom: Bool { if case .sequence = storage.source { true } else { false } }

    /// The identity that all copies of the stream share, and that no other stream has after them.
    var id: Identity { storage.identity }

    /// An object without content: the place in memory of a stream can become that of another one.
    final class Identity: Hashable, Sendable {
        static func == (left: Identity, right: Identity) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// A closure that ends the stream with `CancellationError`. It does not retain the stream.
    var cancel: @Sendable () -> Void { { [weak storage] in _ = storage?.end(CancellationError()) } }

    /// Returns an iterator. The iterator returned by a second call throws ``AlreadyRead``.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(storage) }

    /// The iterator of a ``ByteStream``. Releasing it before the end cancels the transfer.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Source {
            case transfer(TransportTask)
            case data(Data)
            case file(AsyncThrowingStream<Data, any Error>.Iterator)
            case sequence(SequenceReader)
            case ended((any Error)?)
        }

        private let lifetime: Lifetime?
        private var source: Source
        private var chunks: [Data] = []
        private var position = 0

        fileprivate init(_ storage: Storage) {
            switch storage.takeSource() {
            case .transfer(let transfer): source = .transfer(transfer)
            case .data(let data): source = .data(data)
            case .file(let chunks): source = .file(chunks.makeAsyncIterator())
            case .sequence(let chunks): source = .sequence(SequenceReader(chunks))
            case nil:
                (lifetime, source) = (nil, .ended(AlreadyRead()))
                return
            }
            lifetime = Lifetime(storage: storage)
        }

        /// A Boolean value that indicates whether the next chunk is already buffered in the iterator.
        var hasBufferedChunk: Bool { position < chunks.count }

        /// Returns the next chunk, and `nil` at the end.
        ///
        /// - Throws: `RESTClientError` if the transfer failed, after all bytes received before; `CancellationError`
        ///   immediately if the task is cancelled.
        public mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        /// Returns the next chunk, and `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            if position < chunks.count, !Task.isCancelled {
                defer { position += 1 }
                return chunks[position]
            }
            do {
                switch source {
                case .transfer(let transfer):
                    try Task.checkCancellation()
                    chunks = try await transfer.read()
                    position = 0
                    guard chunks.isEmpty else { return try await next(isolation: actor) }
                case .data(let data):
                    if let error = lifetime?.storage.error { throw error }
                    try Task.checkCancellation()
                    source = .data(Data())
                    if !data.isEmpty { return data }
                case .file(var iterator):
                    if let error = lifetime?.storage.error { throw error }
                    try Task.checkCancellation()
                    // Not in a task, which would use the file for a moment longer.
                    if let chunk = try await iterator.next(isolation: actor) { return chunk }
                    try Task.checkCancellation()
                case .sequence(let reader):
                    try Task.checkCancellation()
                    let chunk = try await lifetime?.storage.read(reader)
                    if let error = lifetime?.storage.error { throw error }
                    if let chunk { return chunk }
                    // A sequence can end early because of cancellation, so the end may not be that of the body.
                    try Task.checkCancellation()
                case .ended(let error):
                    if let error { throw error }
                    return nil
                }
                source = .ended(nil)
                _ = lifetime?.storage.end(nil)
                return nil
            } catch {
                source = .ended(nil)
                throw lifetime?.storage.end(error) ?? error
            }
        }
    }

    /// Reads another sequence in tasks of their own, which the end of the stream cancels.
    fileprivate final class SequenceReader: Sendable {
        private final class Box: @unchecked Sendable {
            // SAFETY: a read takes the box, so that no other one uses the iterator meanwhile.
            var iterator: any AsyncIteratorProtocol<Data, any Error>

            init(_ iterator: any AsyncIteratorProtocol<Data, any Error>) { self.iterator = iterator }
        }

        private let box: LockedState<Box?>

        init(_ chunks: any AsyncSequence<Data, any Error> & Sendable) {
            box = LockedState(Box(chunks.makeAsyncIterator()))
        }

        func next() -> Task<Data?, any Error> {
            Task {
                guard let iterator = box.withLock({ $0.take() }) else { throw AlreadyRead() }
                defer { box.withLock { $0 = iterator } }
                return try await iterator.iterator.next(isolation: nil)
            }
        }
    }

    /// Ends the stream when its iterator is released.
    private final class Lifetime: Sendable {
        let storage: Storage

        init(storage: Storage) { self.storage = storage }

        deinit { _ = storage.end(nil) }
    }

    /// The state shared by all copies of a stream. The stream ends when the last copy is released.
    fileprivate final class Storage: Sendable {
        enum Source: Sendable {
            case transfer(TransportTask)
            case data(Data)
            case file(AsyncThrowingStream<Data, any Error>)
            case sequence(any AsyncSequence<Data, any Error> & Sendable)
        }

        private struct State {
            var isTaken = false
            var hasEnded = false
            var error: (any Error)?
            var handlers: [EndHandler] = []
            var reading: Task<Data?, any Error>?
        }

        let identity = Identity()
        let source: Source
        let fileUse: (any AnyObject & Sendable)?
        private let state = LockedState(State())

        init(_ source: Source, fileUse: (any AnyObject & Sendable)? = nil) {
            (self.source, self.fileUse) = (source, fileUse)
        }

        deinit { _ = end(nil) }

        /// Returns the source on the first call, and `nil` on later calls.
        func takeSource() -> Source? {
            state.withLock { state in
                defer { state.isTaken = true }
                return state.isTaken ? nil : source
            }
        }

        func onEnd(_ handler: @escaping EndHandler) {
            let (hasEnded, error) = state.withLock { state in
                if !state.hasEnded { state.handlers.append(handler) }
                return (state.hasEnded, state.error)
            }
            if hasEnded { _ = handler(error) }
        }

        var error: (any Error)? { state.withLock { $0.error } }

        /// Returns the next chunk of another sequence. The end of the stream, and that of the calling task, cancel the wait for it.
        fileprivate func read(_ reader: SequenceReader) async throws -> Data? {
            let task = reader.next()
            let hasEnded = state.withLock { state in
                state.reading = task
                return state.hasEnded
            }
            if hasEnded { task.cancel() }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }

        /// Ends the stream on the first call, and returns the error as changed by the handlers.
        func end(_ error: (any Error)?) -> (any Error)? {
            let (isFirst, handlers, reading) = state.withLock { state in
                let isFirst = !state.hasEnded
                if isFirst { state.error = error }
                state.hasEnded = true
                defer { (state.handlers, state.reading) = ([], nil) }
                return (isFirst, state.handlers, state.reading)
            }
            if case .transfer(let transfer) = source { transfer.abandon() }
            let changed = handlers.reduce(error) { $1($0) }
            if isFirst { state.withLock { $0.error = changed } }
            reading?.cancel()
            return changed
        }
    }
}
