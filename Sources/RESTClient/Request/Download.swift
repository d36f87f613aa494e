import Foundation
import RESTClientHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A download to a file, written to a partial file in the same directory and renamed when it is complete.
struct Download {
    /// The destination as specified by the caller.
    let file: URL
    /// The destination with symbolic links resolved: the target of a link is replaced, not the link.
    private let target: URL
    /// A Boolean value that indicates whether the partial file is kept after a failure.
    let isResumable: Bool

    /// The file that contains the received bytes until the download is complete.
    private let partial: URL
    /// The file that stores the validator of the partial file: an `ETag` or, if there is none, a `Last-Modified`.
    private let validatorFile: URL

    init(to file: URL, isResumable: Bool) {
        self.file = file
        let target = file.resolvingLinks()
        self.target = target
        self.isResumable = isResumable
        let directory = target.deletingLastPathComponent()
        let suffix = isResumable ? "" : ".\(UUID().uuidString)"
        partial = directory.appending(path: ".\(target.lastPathComponent)\(suffix).partial")
        validatorFile = partial.appendingPathExtension("validator")
    }

    /// The headers of the request, with a range if there is a partial file.
    var headers: HTTPHeaders {
        // Offsets count bytes of the encoded body, so it must not be compressed.
        var headers: HTTPHeaders = [.acceptEncoding: "identity"]
        // A stored validator that is not a valid field value is ignored, because every request with it would be
        // rejected.
        if isResumable, let validator = try? String(contentsOf: validatorFile, encoding: .utf8),
            !validator.isEmpty, validator.isFieldValue, length > 0
        {
            headers[.range] = "bytes=\(length)-"
            headers[.ifRange] = validator
        }
        return headers
    }

    /// The error for a target that must not be replaced, such as a device, or `nil` if the target can be written.
    var obstacle: RESTClientError.Kind? {
        let path = target.path(percentEncoded: false)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let type = attributes?[.type] as? FileAttributeType,
            type != .typeRegular
        else { return nil }
        return .file(path: path, .notRegularFile)
    }

    /// Writes the body of `response` to the partial file, and moves it to the target.
    func receive(_ response: StreamingResponse) async throws -> Response<URL> {
        let handle: FileHandle
        do { handle = try openPartial() } catch { throw writeError(error, response) }
        // Closing the file releases its lock, so the file is closed last.
        defer { try? handle.close() }
        do {
            let expected = try prepareFile(response, handle)
            try handle.seekToEnd()
            for try await chunk in response.body { try handle.write(contentsOf: chunk) }
            if let expected, length != expected {
                throw failure(.incompleteBody(received: length, expected: expected), response)
            }
            try moveToTarget()
            return response.map { _ in file }
        } catch let error where error is RESTClientError || error is CancellationError {
            removeUnlessResumable()
            throw error
        } catch {
            removeUnlessResumable()
            throw writeError(error, response)
        }
    }

    /// Removes the partial file.
    func startOver() {
        guard let handle = try? openPartial() else { return }
        removeFiles()
        try? handle.close()
    }

    private func removeFiles() {
        try? FileManager.default.removeItem(at: partial)
        try? FileManager.default.removeItem(at: validatorFile)
    }

    /// Opens and locks the partial file. All resumable downloads to the same destination share it.
    private func openPartial() throws -> FileHandle {
        let path = partial.path(percentEncoded: false)
        // `O_NOFOLLOW`, because another user may have created a link in a shared directory.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw POSIXError(.EBUSY) }
        // Another download may have renamed the file before it was locked.
        var opened = stat()
        var named = stat()
        guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino else {
            throw POSIXError(.EBUSY)
        }
        guard opened.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EEXIST) }
        return handle
    }

    /// Prepares the partial file for the response; returns the expected length, if it is known.
    private func prepareFile(_ response: StreamingResponse, _ handle: FileHandle) throws -> Int64? {
        if response.status == 206 {
            let range = ContentRange(response.headers["Content-Range"])
            // Offsets count bytes of the encoded body, and received bytes are decoded.
            guard let range, range.first == length, isOfSameFile(response),
                response.headers[.contentEncoding] == nil
            else {
                // With these files, the next call would fail in the same way.
                removeFiles()
                throw failure(.invalidResponse(.unexpectedRange), response)
            }
            return range.total ?? range.end
        }
        try? FileManager.default.removeItem(at: validatorFile)
        try handle.truncate(atOffset: 0)
        guard response.headers[.contentEncoding] == nil else { return nil }
        let validator = response.headers[.eTag].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        if isResumable, let validator = validator ?? response.headers[.lastModified] {
            try Data(validator.utf8).write(to: validatorFile, options: .atomic)
        }
        return response.headers[.contentLength].flatMap { Int64($0) }
    }

    /// Returns `true` if the partial response belongs to the partial file. This is checked because a server can support
    /// ranges without `If-Range`.
    private func isOfSameFile(_ part: StreamingResponse) -> Bool {
        guard let validator = headers[.ifRange] else { return true }
        let current = part.headers[validator.hasPrefix("\"") ? .eTag : .lastModified]
        return current == nil || current == validator
    }

    private func moveToTarget() throws {
        // Replaces an existing file atomically, but not a directory.
        guard rename(partial.path(percentEncoded: false), target.path(percentEncoded: false)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        try? FileManager.default.removeItem(at: validatorFile)
    }

    private func removeUnlessResumable() {
        let canResume =
            isResumable && FileManager.default.fileExists(atPath: validatorFile.path(percentEncoded: false))
        if !canResume { removeFiles() }
    }

    private var length: Int64 {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: partial.path(percentEncoded: false))
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    private func writeError(_ error: any Error, _ response: StreamingResponse) -> RESTClientError {
        let code = error.errorNumber
        let reason: RESTClientError.FileFailure =
            code == EBUSY ? .inUse : .system(code == ENOENT ? .create : .write, errno: code)
        let path = target.path(percentEncoded: false)
        var error = failure(.file(path: path, reason), response, underlying: error)
        error.attempts = response.attempts
        return error
    }

    private func failure(
        _ kind: RESTClientError.Kind, _ response: StreamingResponse, underlying: (any Error)? = nil
    ) -> RESTClientError {
        RESTClientError(
            kind, response.request, response: response.map { _ in Data() }, underlying: underlying)
    }
}

extension URL {
    /// Returns the target of a symbolic link, which need not exist, or the link itself if its links form a loop.
    fileprivate func resolvingLinks() -> URL {
        var url = self
        for _ in 0..<40 {
            let path = url.path(percentEncoded: false)
            guard let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                return url
            }
            url = URL(filePath: destination, relativeTo: url.deletingLastPathComponent()).absoluteURL
        }
        return self
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
