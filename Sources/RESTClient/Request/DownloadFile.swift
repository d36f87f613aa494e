import Foundation
import RESTClientHTTP

/// A partial file that is written by one attempt of a download at a time.
final class DownloadFile: Sendable {
    private struct State {
        /// The locked file, after the first response.
        var handle: FileHandle?
        var validator: PartialFile.Validator?
    }

    private let files: PartialFile
    /// A Boolean value that indicates whether a later download can continue the file.
    private let isResumable: Bool
    private let state: LockedState<State>

    init(for target: URL, isResumable: Bool) {
        files = PartialFile(of: target, id: isResumable ? nil : UUID())
        self.isResumable = isResumable
        state = LockedState(State(validator: isResumable ? files.validator : nil))
    }

    private var validator: PartialFile.Validator? { state.withLock { $0.validator } }

    /// The headers of the next attempt, with a range if there is a partial file.
    var headers: HTTPHeaders {
        // Offsets count bytes of the encoded body, so it must not be compressed.
        var headers: HTTPHeaders = [.acceptEncoding: "identity"]
        if let validator, files.length > 0 {
            headers[.range] = "bytes=\(files.length)-"
            headers[.ifRange] = validator.value
        }
        return headers
    }

    /// Returns the content of the file, as a sequence that retains `lease`.
    func chunks(retaining lease: some Sendable) -> AsyncThrowingStream<Data, any Error> {
        let reader = LockedState<FileHandle?>(nil)
        return AsyncThrowingStream { [url = files.url] in
            try withExtendedLifetime(lease) {
                try reader.withLock { reader in
                    let handle = try reader ?? FileHandle(forReadingFrom: url)
                    reader = handle
                    return try handle.read(upToCount: 64 << 10).flatMap { $0.isEmpty ? nil : $0 }
                }
            }
        }
    }

    /// Writes the body of `response`, after the bytes of the file if it is the next part.
    ///
    /// - Throws: `RESTClientError` if the whole file would have more than `limit` bytes, or if the body is not complete.
    func write(_ response: StreamingResponse, limit: Int64, _ progress: ProgressReporter?) async throws {
        let handle = try openLocked()
        let expected = try prepare(for: response)
        var length = Int64(try handle.seekToEnd())
        progress?.written(length, of: expected)
        func check(_ length: Int64) throws {
            guard length <= limit else { throw RESTClientError(.limit(.streamBytes(limit)), head: response) }
        }
        try check(expected ?? length)
        for try await chunk in response.body {
            length += Int64(chunk.count)
            try check(length)
            try handle.write(contentsOf: chunk)
            progress?.written(length, of: expected)
        }
        if let expected, length != expected {
            throw RESTClientError(.incompleteBody(received: length, expected: expected), head: response)
        }
    }

    /// Discards the received bytes.
    func startOver() throws {
        let handle = try openLocked()
        state.withLock { $0.validator = nil }
        files.removeValidator()
        try handle.truncate(atOffset: 0)
    }

    func move(to target: URL) throws {
        try files.move(openLocked(), to: target)
        // Closing the file releases its lock, so the file is closed last.
        try? state.withLock { $0.handle.take() }?.close()
    }

    /// Closes the file. Removes it if `isObsolete` is `true` or a later download cannot continue it.
    func close(removing isObsolete: Bool) {
        guard let handle = state.withLock({ $0.handle.take() }) else { return }
        if isObsolete || !isResumable || FileAttributes(files.validatorFile).type == nil { files.remove() }
        try? handle.close()
    }

    private func openLocked() throws -> FileHandle {
        if let handle = state.withLock({ $0.handle }) { return handle }
        let handle = try files.openLocked()
        state.withLock { $0.handle = handle }
        return handle
    }

    /// Prepares the file for the body of the response; returns the expected length, if it is known.
    private func prepare(for response: StreamingResponse) throws -> Int64? {
        if response.status == 206 {
            let range = ContentRange(response.headers["Content-Range"])
            // Offsets count bytes of the encoded body, and received bytes are decoded.
            guard let range, range.first == files.length, isOfSameFile(response, range),
                response.headers[.contentEncoding] == nil
            else {
                // With these files, the next call would fail in the same way.
                try startOver()
                throw RESTClientError(.invalidResponse(.unexpectedRange), head: response)
            }
            return range.total ?? validator?.total ?? range.end
        }
        try startOver()
        guard response.headers[.contentEncoding] == nil else { return nil }
        let tag = response.headers[.eTag].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        let total = response.headers[.contentLength].flatMap { Int64($0) }
        if let value = tag ?? response.headers[.lastModified], value.isFieldValue, !value.isEmpty {
            let validator = PartialFile.Validator(value: value, total: total)
            state.withLock { $0.validator = validator }
            if isResumable { try files.store(validator) }
        }
        return total
    }

    /// Returns `true` if the partial response belongs to the file: parts are combined only if they have the same
    /// validator (RFC 9110, section 15.3.7.3), because a server can support ranges without `If-Range`.
    private func isOfSameFile(_ part: StreamingResponse, _ range: ContentRange) -> Bool {
        guard let validator else { return false }
        let hasTotal = validator.total == nil || range.total == nil || validator.total == range.total
        return hasTotal && part.headers[validator.header] == validator.value
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
