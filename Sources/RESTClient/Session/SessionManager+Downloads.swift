public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionManager {
    /// Downloads several URLs to files, with at most `maxConcurrent` downloads at a time.
    ///
    /// ```swift
    /// let files = try await manager.download(urls) { directory.appending(path: $0.lastPathComponent) }
    /// ```
    ///
    /// If a download fails, the others are cancelled, and its error is thrown. Files that are complete are kept.
    ///
    /// - Parameters:
    ///   - urls: The URLs to download.
    ///   - maxConcurrent: The maximum number of concurrent downloads.
    ///   - resuming: Pass `true` to keep the received bytes when a download fails or is cancelled, so that the next call
    ///     continues from there.
    ///   - file: Returns the destination for a URL. Each URL needs a different one; its directory must exist.
    /// - Returns: The responses, in the order of `urls`.
    /// - Throws: `RESTClientError` of kind `file(path:, .inUse)` if two URLs have the same destination.
    @concurrent public func download(
        _ urls: [URL], maxConcurrent: Int = 4, resuming: Bool = false, to file: @Sendable (URL) -> URL
    ) async throws -> [Response<URL>] {
        let files = urls.map(file)
        var known: Set<URL> = []
        for (url, file) in zip(urls, files) where !known.insert(file.standardizedFileURL).inserted {
            let path = file.path(percentEncoded: false)
            throw RESTClientError(.file(path: path, .inUse), URLRequest(url: url))
        }
        return try await withThrowingTaskGroup(of: (Int, Response<URL>).self) { group in
            var responses: [Int: Response<URL>] = [:]
            for (index, (url, file)) in zip(urls, files).enumerated() {
                if index >= max(maxConcurrent, 1), let (done, response) = try await group.next() {
                    responses[done] = response
                }
                group.addTask {
                    (index, try await self.request(url).download(to: file, resuming: resuming))
                }
            }
            for try await (done, response) in group { responses[done] = response }
            return urls.indices.compactMap { responses[$0] }
        }
    }
}
