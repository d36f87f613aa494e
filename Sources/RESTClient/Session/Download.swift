import Foundation
import RESTClientHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A body on its way to a file: written beside the target, and in its place once it is whole.
struct Download {
    /// What the caller calls it.
    let file: URL
    /// The same, behind the symbolic links that lead there: they stay, and what they lead to is replaced.
    private let target: URL
    /// Whether what has come stays there after a failure, for another time to go on.
    let isResumable: Bool

    /// Where the bytes go until all are there.
    private let partial: URL
    /// What makes sure that the rest belongs to the same file: an `ETag`, or else a `Last-Modified`.
    private let validatorFile: URL

    init(to file: URL, isResumable: Bool) {
        self.file = file
        let target = file.followingLinks()
        self.target = target
        self.isResumable = isResumable
        let folder = target.deletingLastPathComponent()
        let mark = isResumable ? "" : ".\(UUID().uuidString)"
        partial = folder.appending(path: ".\(target.lastPathComponent)\(mark).partial")
        validatorFile = partial.appendingPathExtension("validator")
    }

    /// The headers that ask for the whole, or for the rest of what an earlier time has left.
    var headers: HTTPHeaders {
        // An offset counts in bytes as they are, not in those of a compressed form.
        var headers: HTTPHeaders = [.acceptEncoding: "identity"]
        // What cannot be sent is as good as none: the request would be refused each time.
        if isResumable, let validator = try? String(contentsOf: validatorFile, encoding: .utf8),
            !validator.isEmpty, validator.isFieldValue, length > 0
        {
            headers[.range] = "bytes=\(length)-"
            headers[.ifRange] = validator
        }
        return headers
    }

    /// The reason why the target cannot be replaced: a device, for example, must not be.
    var obstacle: RESTClientError.Kind? {
        let path = target.path(percentEncoded: false)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let type = attributes?[.type] as? FileAttributeType,
            type != .typeRegular
        else { return nil }
        return .file(path: path, .notRegularFile)
    }

    /// Writes what `response` brings, and puts the file in its place.
    func receive(_ response: StreamingResponse) async throws -> Response<URL> {
        let handle: FileHandle
        do { handle = try open() } catch { throw cannotWrite(error, response) }
        // Closed, and so open to others, behind all that happens to the file.
        defer { try? handle.close() }
        do {
            let expected = try begin(response, handle)
            try handle.seekToEnd()
            for try await chunk in response.body { try handle.write(contentsOf: chunk) }
            if let expected, length != expected {
                throw failure(.incompleteBody(received: length, expected: expected), response)
            }
            try putInPlace()
            return response.map { _ in file }
        } catch let error where error is RESTClientError || error is CancellationError {
            giveUp()
            throw error
        } catch {
            giveUp()
            throw cannotWrite(error, response)
        }
    }

    /// Forgets what an earlier time has left.
    func startOver() {
        guard let handle = try? open() else { return }
        removeFiles()
        try? handle.close()
    }

    private func removeFiles() {
        try? FileManager.default.removeItem(at: partial)
        try? FileManager.default.removeItem(at: validatorFile)
    }

    /// Opens the partial file for this download alone: one that can go on has the same name each time.
    private func open() throws -> FileHandle {
        let path = partial.path(percentEncoded: false)
        // Somebody else may have put a link there, where the folder is everybody's.
        let descriptor = openFile(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw POSIXError(.EBUSY) }
        // Another one may have put it in its place between the two.
        var mine = stat()
        var named = stat()
        guard fstat(descriptor, &mine) == 0, lstat(path, &named) == 0, mine.st_ino == named.st_ino else {
            throw POSIXError(.EBUSY)
        }
        guard mine.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EEXIST) }
        return handle
    }

    /// Makes the partial file fit the response; the result is the length that it will have, where that is known.
    private func begin(_ response: StreamingResponse, _ handle: FileHandle) throws -> Int64? {
        if response.status == 206 {
            let range = ContentRange(response.headers["Content-Range"])
            // The offsets of a part count in its encoded form, and what comes here is decoded.
            guard let range, range.first == length, isOfSameFile(response),
                response.headers[.contentEncoding] == nil
            else {
                // Or it would be the same the next time.
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

    /// Whether a part belongs to what an earlier time has left: a server may know ranges and not `If-Range`.
    private func isOfSameFile(_ part: StreamingResponse) -> Bool {
        guard let validator = headers[.ifRange] else { return true }
        let current = part.headers[validator.hasPrefix("\"") ? .eTag : .lastModified]
        return current == nil || current == validator
    }

    private func putInPlace() throws {
        // Replaces a file that is there in one step, and no folder.
        guard rename(partial.path(percentEncoded: false), target.path(percentEncoded: false)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        try? FileManager.default.removeItem(at: validatorFile)
    }

    private func giveUp() {
        let canGoOn =
            isResumable && FileManager.default.fileExists(atPath: validatorFile.path(percentEncoded: false))
        if !canGoOn { removeFiles() }
    }

    private var length: Int64 {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: partial.path(percentEncoded: false))
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    private func cannotWrite(_ error: any Error, _ response: StreamingResponse) -> RESTClientError {
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
    /// What it leads to, which need not be there; a link that leads to no end is its own.
    fileprivate func followingLinks() -> URL {
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

/// The system's `open`, which the method of that name hides.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

/// `bytes 5-9/10` (RFC 9110, section 14.4).
struct ContentRange {
    let first: Int64
    /// The offset behind its last byte.
    let end: Int64
    /// `nil` where the server does not know it.
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
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
