public import Foundation
import RESTClientHTTP

extension DataRequest {
    /// Downloads the body to a file, which is created or replaced when the body is complete.
    ///
    /// Until then the bytes are written to a hidden file in the same directory, which is removed if the download fails or
    /// is cancelled. If `file` is a symbolic link, its target is replaced, not the link. If it is an existing item
    /// other than a regular file, the request fails.
    ///
    /// An attempt lasts until the body has been written: a retry policy also repeats an attempt whose body breaks off, and
    /// the next attempt requests the missing part (`Range` and `If-Range`). Interceptors receive the response when its body
    /// has been written, and can read it from the file. The body of a response that the validation does not accept is not
    /// written. It is kept in the error, as for other requests.
    ///
    /// - Parameters:
    ///   - file: The destination. Its directory must exist.
    ///   - resuming: Pass `true` to keep the received bytes when the download fails. The next call continues from there
    ///     if the resource is unchanged (`Range` and `If-Range`; RFC 9110, section 13.1.5), and if no other user can have
    ///     written the bytes. Otherwise, it starts from the beginning.
    @discardableResult @concurrent public func download(
        to file: URL, resuming: Bool = false
    ) async throws -> Response<URL> {
        let reporter = ProgressReporter(progressObservers, reportsFile: true)
        defer { reporter?.end() }
        let download = Download(to: file, isResumable: resuming, options: options, progress: reporter)
        if let failure = download.obstacle { throw RESTClientError(failure, urlRequest) }
        let result = await Result {
            try await download.finish(
                manager.perform(interceptors(download), .streamed, progress: reporter))
        }
        await download.end()
        // A cancelled download does not wait for its handlers.
        if !Task.isCancelled { await reporter?.drain() }
        return try result.get()
    }
}

/// A download to a file, written to a partial file in the same directory and renamed when it is complete.
///
/// It is the innermost interceptor of its request: an attempt ends when its body has been written, so that a retry policy
/// also repeats an attempt whose body breaks off. The next attempt continues its file. An attempt that is made while the
/// file is used, by another attempt or by the response that it contains, writes to a file of its own.
final class Download: RequestInterceptor {
    private struct State {
        /// The files that no attempt and no response uses.
        var unused: [DownloadFile]
        var files: [DownloadFile]
        /// The files that the bodies of responses are read from.
        var bodies: [ByteStream.Identity: DownloadFile] = [:]
        /// The responses that are, or were, written to files.
        var writers: [Task<Void, any Error>] = []
        /// `true` if a file was moved to the destination.
        var isComplete = false
        var hasEnded = false
    }

    /// The destination as specified by the caller.
    private let file: URL
    /// The destination with symbolic links resolved: the target of a link is replaced, not the link.
    private let target: URL
    private let options: RequestOptions
    private let progress: ProgressReporter?
    private let state: LockedState<State>

    /// Creates a download. If `isResumable` is `true`, it continues the partial file of an earlier one, and the partial file
    /// is kept after a failure.
    init(to file: URL, isResumable: Bool, options: RequestOptions, progress: ProgressReporter? = nil) {
        (self.file, self.options, self.progress) = (file, options, progress)
        target = file.resolvingLinks()
        let first = DownloadFile(for: target, isResumable: isResumable)
        state = LockedState(State(unused: [first], files: [first]))
    }

    /// The error for a target that must not be replaced, such as a device, or `nil` if the target can be written.
    var obstacle: RESTClientError.Kind? {
        guard let type = FileAttributes(target).type, type != .typeRegular else { return nil }
        return .file(path: target.path(percentEncoded: false), .notRegularFile)
    }

    // MARK: Attempts

    /// Sends an attempt, and writes the body of a successful response that the validation accepts. The body of the returned
    /// response is read from the file.
    func intercept(
        _ request: URLRequest, context: RequestContext, next: Next
    ) async throws -> Response<ResponseBody> {
        let file = unusedFile()
        var isWritten = false
        defer { if !isWritten { state.withLock { $0.unused.append(file) } } }
        var part: ReceivedPart?
        do { part = try file.part() } catch {
            throw RESTClientError(failure(error), request, underlying: error)
        }
        var response = try await next(request.continuing(part))
        if response.status == 416, part != nil {
            // The resource has changed, so the partial file is no longer valid.
            try? file.startOver()
            part = nil
            response = try await next(request.continuing(part))
        }
        var whole = response
        if response.status == 206, request[.range] == nil {
            // The caller has not requested a range. The file will contain the whole body.
            whole.status = 200
            whole.headers["Content-Range"] = nil
            whole.headers[.contentLength] = nil
        }
        guard response.status.isSuccess, options.validation.accepts(whole.map { _ in }) else {
            return response
        }
        try await write(response, to: file, after: part)
        isWritten = true
        let body = ByteStream(ofFile: file.chunks(), keeping: Lease(file: file, download: self))
        state.withLock { $0.bodies[body.id] = file }
        return whole.map { _ in .stream(body) }
    }

    /// Moves the file to its destination after the request has ended with `response`. The body of a response that an
    /// interceptor has created or changed is written first.
    func finish(_ response: Response<ResponseBody>) async throws -> Response<URL> {
        let file: DownloadFile
        if case .stream(let stream) = response.body, let written = state.withLock({ $0.bodies[stream.id] }) {
            file = written
        } else {
            file = unusedFile()
            // The status and the fields describe the body of the server.
            var unwritten = response
            (unwritten.status, unwritten.headers) = (200, [:])
            try await write(unwritten, to: file)
        }
        do { try file.move(to: target) } catch {
            throw writeError(error, response.map { _ in })
        }
        state.withLock { $0.isComplete = true }
        return response.map { _ in self.file }
    }

    /// Waits until no attempt writes to a file any more. Removes the partial files, except one that a later download can
    /// continue.
    func end() async {
        let writers = state.withLock { state in
            state.hasEnded = true
            return state.writers
        }
        for writer in writers { writer.cancel() }
        for writer in writers { _ = await writer.result }
        let (files, isComplete) = state.withLock { ($0.files, $0.isComplete) }
        for file in files { file.close(removing: isComplete) }
    }

    // MARK: Files

    private func unusedFile() -> DownloadFile {
        state.withLock { state in
            if let file = state.unused.popLast() { return file }
            let file = DownloadFile(for: target, isResumable: false)
            state.files.append(file)
            return file
        }
    }

    /// Writes `response` in an unstructured task, for which `end` waits: a cancelled request does not wait for its
    /// interceptors.
    private func write(
        _ response: Response<ResponseBody>, to file: DownloadFile, after part: ReceivedPart? = nil
    ) async throws {
        let writer = try state.withLock { state in
            if state.hasEnded { throw CancellationError() }
            let writer = Task { [self] in
                do {
                    let stream = response.map(ByteStream.init)
                    try await file.write(stream, after: part, limit: options.maxStreamBytes, progress)
                } catch let error where error is RESTClientError || error is CancellationError {
                    throw error
                } catch {
                    throw writeError(error, response.map { _ in })
                }
            }
            state.writers.append(writer)
            return writer
        }
        try await withTaskCancellationHandler {
            try await writer.value
        } onCancel: {
            writer.cancel()
        }
    }

    /// The use of a file by the response that it contains. The file can be used again when the response is released.
    private final class Lease: Sendable {
        private let file: DownloadFile
        private let download: Download

        init(file: DownloadFile, download: Download) { (self.file, self.download) = (file, download) }

        deinit {
            download.state.withLock { state in
                state.bodies = state.bodies.filter { $0.value !== file }
                guard !state.hasEnded, !state.isComplete else { return }
                try? file.startOver()
                state.unused.append(file)
            }
        }
    }

    private func writeError(_ error: any Error, _ response: ResponseHead) -> RESTClientError {
        let attempts = response.attempts
        var error = RESTClientError(failure(error), head: response, underlying: error)
        error.attempts = attempts
        return error
    }

    private func failure(_ error: any Error) -> RESTClientError.Kind {
        let code = error.errorNumber
        return .file(
            path: target.path(percentEncoded: false),
            code == EBUSY ? .inUse : .system(code == ENOENT ? .create : .write, errno: code))
    }
}

extension URLRequest {
    /// Returns a request for the bytes that follow `part`, or for the whole resource.
    fileprivate func continuing(_ part: ReceivedPart?) throws -> URLRequest {
        // Offsets count bytes of the encoded body, so it must not be compressed.
        var headers: HTTPHeaders = [.acceptEncoding: "identity"]
        if let part {
            headers[.range] = "bytes=\(part.length)-"
            headers[.ifRange] = part.validator.value
        }
        var copy = self
        try copy.set(headers)
        return copy
    }
}
