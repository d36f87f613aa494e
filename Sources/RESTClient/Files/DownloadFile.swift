import Foundation
import RESTClientHTTP

/// A partial file that is written by one attempt of a download at a time.
final class DownloadFile: Sendable {
    private struct State {
        var files: PartialFile
        /// The locked file, after it was opened.
        var handle: FileHandle?
        var validator: ResourceValidator?
    }

    private let target: URL
    private let state: LockedState<State>

    init(for target: URL, isResumable: Bool) {
        self.target = target
        state = LockedState(State(files: PartialFile(of: target, id: isResumable ? nil : UUID())))
    }

    /// Returns the received bytes that the next attempt can continue. Their file is locked before the attempt, because
    /// another download could change it in the meantime.
    ///
    /// - Throws: `POSIXError` with the code `EBUSY` if another download uses the file.
    func part() throws -> ReceivedPart? {
        try state.withLock { state in
            if state.handle == nil, state.files.isResumable {
                state.handle = try state.files.openLocked(creating: false)
                state.validator = state.files.validator
            }
            let status = state.handle.flatMap { FileStatus(of: $0.fileDescriptor) }
            return ReceivedPart(length: status?.size ?? 0, validator: state.validator)
        }
    }

    func chunks() -> AsyncThrowingStream<Data, any Error> {
        let offset = LockedState<Int64>(0)
        return AsyncThrowingStream { [self] in
            try offset.withLock { offset in
                let chunk = try read(at: offset)
                offset += Int64(chunk.count)
                return chunk.isEmpty ? nil : chunk
            }
        }
    }

    /// Reads from the open file: in a shared folder, its name can refer to another one.
    private func read(at offset: Int64) throws -> Data {
        try state.withLock { state in
            guard let handle = state.handle else { throw POSIXError(.EBADF) }
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = pread(handle.fileDescriptor, &bytes, bytes.count, off_t(offset))
            guard count >= 0 else { throw POSIXError.last }
            return Data(bytes[..<count])
        }
    }

    /// Writes the body of `response`, after the bytes of `part` if it is the next part.
    ///
    /// - Throws: `RESTClientError` if the whole file would have more than `limit` bytes, if the body is not complete, or if
    ///   it does not certainly belong to the file. In the last case, the received bytes are discarded: with them, the next
    ///   attempt could fail in the same way.
    func write(
        _ response: StreamingResponse, after part: ReceivedPart?, limit: Int64, _ progress: ProgressReporter?
    ) async throws {
        let handle = try openLocked()
        var length: Int64 = 0
        let end: Int64?
        let total: Int64?
        switch BodyPlace(of: response.status, response.headers, after: part) {
        case .unknown: throw try refusal(of: response)
        case .start(let announced, let knownTotal, let validator):
            (end, total) = (announced, knownTotal)
            try startOver()
            store(validator)
        case .next(let next, let knownTotal):
            (end, total) = (next, knownTotal)
            length = Int64(try handle.seekToEnd())
            if let part, part.validator.total == nil {
                store(ResourceValidator(part.validator.value, total: total))
            }
        }
        progress?.written(length, of: total)
        func check(_ length: Int64) throws {
            guard length <= limit else { throw RESTClientError(.limit(.streamBytes(limit)), head: response) }
        }
        try check(total ?? length)
        for try await chunk in response.body {
            length += Int64(chunk.count)
            try check(length)
            guard length <= end ?? .max else { throw try refusal(of: response) }
            try handle.write(contentsOf: chunk)
            progress?.written(length, of: total)
        }
        guard length == total ?? length else {
            // The body ended as it should, so it was not the resource that it claims to be.
            if end == nil { try startOver() }
            throw RESTClientError(.incompleteBody(received: length, expected: total), head: response)
        }
    }

    private func refusal(of response: StreamingResponse) throws -> RESTClientError {
        try startOver()
        return RESTClientError(.invalidResponse(.unexpectedRange), head: response)
    }

    func startOver() throws {
        let handle = try openLocked()
        state.withLock { state in
            state.validator = nil
            state.files.removeValidator()
        }
        try handle.truncate(atOffset: 0)
    }

    /// Stores the validator of the bytes that follow. Without its file, the download can be continued by a retry, but not by
    /// a later call.
    private func store(_ validator: ResourceValidator?) {
        state.withLock { state in
            state.validator = validator
            if let validator, state.files.isResumable { try? state.files.store(validator) }
        }
    }

    func move(to target: URL) throws {
        let handle = try openLocked()
        try state.withLock { state in
            try state.files.move(handle, to: target)
            state.handle = nil
        }
        // Closing the file releases its lock, so the file is closed last.
        try? handle.close()
    }

    /// Closes the file. Removes it if `isObsolete` is `true` or a later download cannot continue it.
    func close(removing isObsolete: Bool) {
        state.withLock { state in
            guard let handle = state.handle.take() else { return }
            if isObsolete || !state.files.isResumable || state.files.validator == nil {
                state.files.remove(handle)
            }
            try? handle.close()
        }
    }

    private func openLocked() throws -> FileHandle {
        try state.withLock { state in
            state.handle = try state.handle ?? state.files.openLocked()
            if let handle = state.handle { return handle }
            // The name is in use by another user, and cannot be freed in a folder such as /tmp.
            state.files = PartialFile(of: target, id: UUID())
            guard let handle = try state.files.openLocked() else { throw POSIXError(.EEXIST) }
            state.handle = handle
            return handle
        }
    }
}
