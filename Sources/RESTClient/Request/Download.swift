import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A download to a file, written to a partial file in the same directory and renamed when it is complete.
///
/// It is the innermost interceptor of its request: an attempt ends when its body has been written, so that a retry policy
/// also repeats an attempt whose body breaks off. The next attempt requests the missing part.
final class Download: RequestInterceptor {
    private struct State {
        /// The locked partial file, after the first response.
        var handle: FileHandle?
        var validator: PartialFile.Validator?
        /// The last response that is, or was, written to the file.
        var writing: Task<Void, any Error>?
        /// `true` if the file contains the body of the last response.
        var isComplete = false
        var hasEnded = false
    }

    /// The destination as specified by the caller.
    private let file: URL
    /// The destination with symbolic links resolved: the target of a link is replaced, not the link.
    private let target: URL
    /// A Boolean value that indicates whether the partial file is kept after a failure.
    private let isResumable: Bool
    private let partial: PartialFile
    private let progress: ProgressReporter?
    private let state: LockedState<State>

    init(to file: URL, isResumable: Bool, progress: ProgressReporter? = nil) {
        self.file = file
        self.isResumable = isResumable
        self.progress = progress
        target = file.resolvingLinks()
        partial = PartialFile(of: target, id: isResumable ? nil : UUID())
        state = LockedState(State(validator: isResumable ? partial.validator : nil))
    }

    /// The error for a target that must not be replaced, such as a device, or `nil` if the target can be written.
    var obstacle: RESTClientError.Kind? {
        guard let type = FileAttributes(target).type, type != .typeRegular else { return nil }
        return .file(path: target.path(percentEncoded: false), .notRegularFile)
    }

    /// The headers of the next attempt, with a range if there is a partial file.
    var headers: HTTPHeaders {
        // Offsets count bytes of the encoded body, so it must not be compressed.
        var headers: HTTPHeaders = [.acceptEncoding: "identity"]
        if let validator = state.withLock({ $0.validator }), partial.length > 0 {
            headers[.range] = "bytes=\(partial.length)-"
            headers[.ifRange] = validator.value
        }
        return headers
    }

    // MARK: Attempts

    /// Sends an attempt, and writes the body of a successful response. The returned response has an empty body.
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        state.withLock { $0.isComplete = false }
        let headers = headers
        var response = try await next(request.adding(headers))
        if response.status == 416, headers[.range] != nil {
            // The resource has changed, so the partial file is no longer valid.
            try? startOver()
            response = try await next(request.adding(self.headers))
        }
        guard response.status.isSuccess else { return response }
        try await write(response.map(ByteStream.init))
        return response.map { _ in .data(Data()) }
    }

    /// Moves the file to its destination after the request has ended with `response`. The body of a response that an
    /// interceptor has created or changed is written first.
    func finish(_ response: Response<ResponseBody>) async throws -> Response<URL> {
        let isWritten = state.withLock { $0.isComplete } && response.body.data?.isEmpty == true
        if !isWritten { try await write(response.map(ByteStream.init)) }
        guard let handle = state.withLock({ $0.handle }) else { throw CancellationError() }
        do { try partial.move(handle, to: target) } catch { throw writeError(error, response.map { _ in }) }
        // Closing the file releases its lock, so the file is closed last.
        state.withLock { $0.handle = nil }
        try? handle.close()
        return response.map { _ in file }
    }

    /// Waits until no attempt writes to the file any more. Removes the partial file unless the download can be resumed.
    func end() async {
        let writing = state.withLock { state in
            state.hasEnded = true
            return state.writing
        }
        _ = await writing?.result
        guard let handle = state.withLock({ $0.handle.take() }) else { return }
        if !isResumable || FileAttributes(partial.validatorFile).type == nil { partial.remove() }
        try? handle.close()
    }

    // MARK: File

    /// Writes `response` in an unstructured task, for which `end` waits: a cancelled request does not wait for its
    /// interceptors.
    private func write(_ response: StreamingResponse) async throws {
        let writing = try state.withLock { state in
            if state.hasEnded { throw CancellationError() }
            let writing = Task { try await receive(response) }
            state.writing = writing
            return writing
        }
        try await withTaskCancellationHandler {
            try await writing.value
        } onCancel: {
            writing.cancel()
        }
    }

    private func receive(_ response: StreamingResponse) async throws {
        do {
            let handle = try openPartial()
            let expected = try prepareFile(response, handle)
            var length = Int64(try handle.seekToEnd())
            progress?.written(length, of: expected)
            for try await chunk in response.body {
                try handle.write(contentsOf: chunk)
                length += Int64(chunk.count)
                progress?.written(length, of: expected)
            }
            if let expected, length != expected {
                throw RESTClientError(.incompleteBody(received: length, expected: expected), head: response)
            }
            state.withLock { $0.isComplete = true }
        } catch let error where error is RESTClientError || error is CancellationError {
            throw error
        } catch {
            throw writeError(error, response.map { _ in })
        }
    }

    private func openPartial() throws -> FileHandle {
        if let handle = state.withLock({ $0.handle }) { return handle }
        let handle = try partial.openLocked()
        state.withLock { $0.handle = handle }
        return handle
    }

    /// Discards the received bytes.
    private func startOver() throws {
        let handle = try openPartial()
        setValidator(nil)
        try handle.truncate(atOffset: 0)
    }

    private func setValidator(_ validator: PartialFile.Validator?) {
        state.withLock { $0.validator = validator }
        partial.removeValidator()
    }

    /// Prepares the partial file for the response; returns the expected length, if it is known.
    private func prepareFile(_ response: StreamingResponse, _ handle: FileHandle) throws -> Int64? {
        if response.status == 206 {
            let range = ContentRange(response.headers["Content-Range"])
            // Offsets count bytes of the encoded body, and received bytes are decoded.
            guard let range, range.first == partial.length, isOfSameFile(response, range),
                response.headers[.contentEncoding] == nil
            else {
                // With these files, the next call would fail in the same way.
                try startOver()
                throw RESTClientError(.invalidResponse(.unexpectedRange), head: response)
            }
            return range.total ?? state.withLock { $0.validator }?.total ?? range.end
        }
        try startOver()
        guard response.headers[.contentEncoding] == nil else { return nil }
        let tag = response.headers[.eTag].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        let total = response.headers[.contentLength].flatMap { Int64($0) }
        if let value = tag ?? response.headers[.lastModified], value.isFieldValue, !value.isEmpty {
            let validator = PartialFile.Validator(value: value, total: total)
            state.withLock { $0.validator = validator }
            if isResumable { try partial.store(validator) }
        }
        return total
    }

    /// Returns `true` if the partial response belongs to the partial file: parts are combined only if they have the same
    /// validator (RFC 9110, section 15.3.7.3), because a server can support ranges without `If-Range`.
    private func isOfSameFile(_ part: StreamingResponse, _ range: ContentRange) -> Bool {
        guard let validator = state.withLock({ $0.validator }) else { return false }
        let hasTotal = validator.total == nil || range.total == nil || validator.total == range.total
        return hasTotal && part.headers[validator.header] == validator.value
    }

    private func writeError(_ error: any Error, _ response: ResponseHead) -> RESTClientError {
        let code = error.errorNumber
        let reason: RESTClientError.FileFailure =
            code == EBUSY ? .inUse : .system(code == ENOENT ? .create : .write, errno: code)
        let path = target.path(percentEncoded: false)
        var error = RESTClientError(.file(path: path, reason), head: response, underlying: error)
        error.attempts = response.attempts
        return error
    }
}

extension URLRequest {
    fileprivate func adding(_ headers: HTTPHeaders) throws -> URLRequest {
        var copy = self
        try copy.set(headers)
        return copy
    }
}

/// A parsed `Content-Range` header such as `bytes 5-9/10` (RFC 9110, section 14.4).
struct ContentRange {
    let first: Int64
    /// The offset after the last byte.
    let end: Int64
    /// The total length, or `nil` if it is unknown (`*`).
    let total: Int64?

    init?(_ value: String?) {
        guard let value, value.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst(6).split(separator: "/", maxSplits: 1)
        let ends =
            parts.first?.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).compactMap {
                Self.number($0)
            } ?? []
        guard parts.count == 2, ends.count == 2, ends[0] <= ends[1], ends[1] < .max else { return nil }
        (first, end, total) = (ends[0], ends[1] + 1, Self.number(parts[1]))
        guard total != nil || parts[1] == "*" else { return nil }
        if let total, total < end { return nil }
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int64(text) : nil
    }
}
