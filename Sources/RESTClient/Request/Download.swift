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
        partial = directory.appending(path: ".\(Self.shortened(target.lastPathComponent))\(suffix).partial")
        validatorFile = partial.appendingPathExtension("validator")
    }

    /// Returns a name that leaves space for suffixes, because file names have at most 255 bytes. A long name is cut and
    /// made unique by a hash.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > 190 else { return name }
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var start = name
        while start.utf8.count > 170 { start.removeLast() }
        return "\(start)-\(String(hash, radix: 16))"
    }

    /// The state of the resource that the partial file belongs to: an `ETag` or, if there is none, a `Last-Modified`;
    /// and the total length, if it is known.
    private var stored: (validator: String, total: Int64?)? {
        guard isResumable, let text = try? String(contentsOf: validatorFile, encoding: .utf8) else {
            return nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // A validator that is not a valid field value is ignored, because every request with it would be rejected.
        guard let validator = lines.first.map(String.init), !validator.isEmpty, validator.isFieldValue else {
            return nil
        }
        return (validator, lines.count > 1 ? Int64(lines[1]) : nil)
    }

    /// The headers of the request, with a range if there is a partial file.
    var headers: HTTPHeaders {
        // Offsets count bytes of the encoded body, so it must not be compressed.
        var headers: HTTPHeaders = [.acceptEncoding: "identity"]
        if let stored, length > 0 {
            headers[.range] = "bytes=\(length)-"
            headers[.ifRange] = stored.validator
        }
        return headers
    }

    /// The error for a target that must not be replaced, such as a device, or `nil` if the target can be written.
    var obstacle: RESTClientError.Kind? {
        guard let type = FileAttributes(target).type, type != .typeRegular else { return nil }
        return .file(path: target.path(percentEncoded: false), .notRegularFile)
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
                throw RESTClientError(.incompleteBody(received: length, expected: expected), head: response)
            }
            try moveToTarget(handle)
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
            guard let range, range.first == length, isOfSameFile(response, range),
                response.headers[.contentEncoding] == nil
            else {
                // With these files, the next call would fail in the same way.
                removeFiles()
                throw RESTClientError(.invalidResponse(.unexpectedRange), head: response)
            }
            return range.total ?? range.end
        }
        try? FileManager.default.removeItem(at: validatorFile)
        try handle.truncate(atOffset: 0)
        guard response.headers[.contentEncoding] == nil else { return nil }
        let validator = response.headers[.eTag].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        let total = response.headers[.contentLength].flatMap { Int64($0) }
        if isResumable, let validator = validator ?? response.headers[.lastModified] {
            let text = "\(validator)\n\(total.map { "\($0)" } ?? "")"
            try Data(text.utf8).write(to: validatorFile, options: .atomic)
        }
        return total
    }

    /// Returns `true` if the partial response belongs to the partial file: parts are combined only if they have the same
    /// validator (RFC 9110, section 15.3.7.3), because a server can support ranges without `If-Range`.
    private func isOfSameFile(_ part: StreamingResponse, _ range: ContentRange) -> Bool {
        guard let stored else { return false }
        let hasTotal = stored.total == nil || range.total == nil || stored.total == range.total
        return hasTotal
            && part.headers[stored.validator.hasPrefix("\"") ? .eTag : .lastModified] == stored.validator
    }

    private func moveToTarget(_ handle: FileHandle) throws {
        try? FileManager.default.removeItem(at: validatorFile)
        fchmod(handle.fileDescriptor, permissions)
        // Replaces an existing file atomically, but not a directory.
        guard rename(partial.path(percentEncoded: false), target.path(percentEncoded: false)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// The permissions of the replaced file or, if there is none, those of a new file, which depend on the umask of the
    /// process. They are read from an empty file, because reading the umask would change it for other threads.
    private var permissions: mode_t {
        var status = stat()
        if stat(target.path(percentEncoded: false), &status) != 0 {
            let path = validatorFile.path(percentEncoded: false)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return 0o600 }
            close(descriptor)
            unlink(path)
        }
        return status.st_mode & 0o777
    }

    private func removeUnlessResumable() {
        if !isResumable || FileAttributes(validatorFile).type == nil { removeFiles() }
    }

    private var length: Int64 { FileAttributes(partial).size ?? 0 }

    private func writeError(_ error: any Error, _ response: StreamingResponse) -> RESTClientError {
        let code = error.errorNumber
        let reason: RESTClientError.FileFailure =
            code == EBUSY ? .inUse : .system(code == ENOENT ? .create : .write, errno: code)
        let path = target.path(percentEncoded: false)
        var error = RESTClientError(.file(path: path, reason), head: response, underlying: error)
        error.attempts = response.attempts
        return error
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
