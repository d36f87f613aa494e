import Foundation
import HTTPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A body on its way to a file: written beside the target, and in its place once it is whole.
struct Download {
    let target: URL
    /// Whether what has come stays there after a failure, for another time to go on.
    let isResumable: Bool

    /// Where the bytes go until all are there.
    private let partial: URL
    /// What makes sure that the rest belongs to the same file: an `ETag`, or else a `Last-Modified`.
    private let validatorFile: URL

    init(to target: URL, isResumable: Bool) {
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
        if isResumable, let validator = try? String(contentsOf: validatorFile, encoding: .utf8), length > 0 {
            headers[.range] = "bytes=\(length)-"
            headers[.ifRange] = validator
        }
        return headers
    }

    /// Writes what `response` brings, and puts the file in its place.
    func receive(_ response: StreamingResponse) async throws -> Response<URL> {
        do {
            let expected = try begin(response)
            let handle = try FileHandle(forWritingTo: partial)
            defer { try? handle.close() }
            try handle.seekToEnd()
            for try await chunk in response.body { try handle.write(contentsOf: chunk) }
            if let expected, length != expected {
                throw failure(.incompleteBody(received: length, expected: expected), response)
            }
            try putInPlace()
            return response.map { _ in target }
        } catch let error where error is RESTClientError || error is CancellationError {
            giveUp()
            throw error
        } catch {
            giveUp()
            let reason = "cannot write \(target.lastPathComponent): \(error.localizedDescription)"
            var error = failure(.limit(reason), response, underlying: error)
            error.attempts = response.attempts
            throw error
        }
    }

    /// Forgets what an earlier time has left.
    func startOver() {
        try? FileManager.default.removeItem(at: partial)
        try? FileManager.default.removeItem(at: validatorFile)
    }

    /// Makes the partial file fit the response; the result is the length that it will have, where that is known.
    private func begin(_ response: StreamingResponse) throws -> Int64? {
        if response.status == 206 {
            guard let range = ContentRange(response.headers["Content-Range"]), range.first == length else {
                throw failure(.invalidResponse("it sent another part than was asked for"), response)
            }
            return range.total
        }
        startOver()
        let isMade = FileManager.default.createFile(
            atPath: partial.path(percentEncoded: false), contents: nil, attributes: [.posixPermissions: 0o600]
        )
        guard isMade else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: partial.path()])
        }
        guard response.headers[.contentEncoding] == nil else { return nil }
        let validator = response.headers[.eTag].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        if isResumable, let validator = validator ?? response.headers[.lastModified] {
            try Data(validator.utf8).write(to: validatorFile)
        }
        return response.headers[.contentLength].flatMap { Int64($0) }
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
        if !canGoOn { startOver() }
    }

    private var length: Int64 {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: partial.path(percentEncoded: false))
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    private func failure(
        _ kind: RESTClientError.Kind, _ response: StreamingResponse, underlying: (any Error)? = nil
    ) -> RESTClientError {
        RESTClientError(
            kind, response.request, response: response.map { _ in Data() }, underlying: underlying)
    }
}

/// `bytes 5-9/10` (RFC 9110, section 14.4).
struct ContentRange {
    let first: Int64
    let last: Int64
    /// `nil` where the server does not know it.
    let total: Int64?

    init?(_ value: String?) {
        guard let value, value.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst(6).split(separator: "/", maxSplits: 1)
        let ends =
            parts.first?.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).compactMap {
                Int64($0)
            } ?? []
        guard parts.count == 2, ends.count == 2, ends[0] <= ends[1] else { return nil }
        (first, last, total) = (ends[0], ends[1], Int64(parts[1]))
        if let total, total <= last { return nil }
    }
}
