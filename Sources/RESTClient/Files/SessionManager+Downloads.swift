public import Foundation

import RESTClientHTTP

extension SessionManager {
    /// Downloads several URLs to files, with at most `maxConcurrent` downloads at a time.
    ///
    /// ```swift
    /// let files = try await manager.download(urls) { directory.appending(path: $0.lastPathComponent) }
    /// ```
    ///
    /// If a download fails, the others are cancelled, and its error is thrown. Files that are complete are kept. To continue
    /// with the others, use ``downloadResults(_:maxConcurrent:resuming:)``.
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
        let downloads = urls.map { (request: request($0), file: file($0)) }
        if let duplicate = Self.duplicates(downloads).min() {
            throw Self.inUse(downloads[duplicate].file, downloads[duplicate].request)
        }
        return try await Self.results(downloads, maxConcurrent, resuming, cancelsAfterFailure: true)
            .map { try $0.get() }
    }

    /// Downloads the responses of several requests to files, with at most `maxConcurrent` downloads at a time, and returns
    /// the result of each.
    ///
    /// ```swift
    /// let results = await manager.downloadResults(urls.map { url in
    ///     (manager.request(url), directory.appending(path: url.lastPathComponent))
    /// })
    /// ```
    ///
    /// A download that fails has no effect on the others.
    ///
    /// - Parameters:
    ///   - downloads: The requests and their destinations. Each request needs a different destination; its directory must
    ///     exist.
    ///   - maxConcurrent: The maximum number of concurrent downloads.
    ///   - resuming: Pass `true` to keep the received bytes when a download fails or is cancelled, so that the next call
    ///     continues from there.
    /// - Returns: The results, in the order of `downloads`. If two have the same destination, the second is an error of kind
    ///   `file(path:, .inUse)`. If the task is cancelled, unfinished downloads have a `CancellationError`.
    @concurrent public func downloadResults(
        _ downloads: [(request: DataRequest, file: URL)], maxConcurrent: Int = 4, resuming: Bool = false
    ) async -> [Result<Response<URL>, any Error>] {
        await Self.results(downloads, maxConcurrent, resuming, cancelsAfterFailure: false)
    }

    private static func results(
        _ downloads: [(request: DataRequest, file: URL)], _ maxConcurrent: Int, _ resuming: Bool,
        cancelsAfterFailure: Bool
    ) async -> [Result<Response<URL>, any Error>] {
        let duplicates = duplicates(downloads)
        return await withTaskGroup(of: (Int, Result<Response<URL>, any Error>).self) { group in
            var results = [Result<Response<URL>, any Error>?](repeating: nil, count: downloads.count)
            var failure: (any Error)?
            func add(_ next: (Int, Result<Response<URL>, any Error>)) {
                results[next.0] = next.1
                guard cancelsAfterFailure, failure == nil, case .failure(let error) = next.1 else { return }
                failure = error
                group.cancelAll()
            }
            for (index, download) in downloads.enumerated() {
                if index >= max(maxConcurrent, 1), let next = await group.next() { add(next) }
                if failure != nil { break }
                group.addTask {
                    if duplicates.contains(index) {
                        return (index, .failure(inUse(download.file, download.request)))
                    }
                    return (
                        index,
                        await Result {
                            try await download.request.download(to: download.file, resuming: resuming)
                        }
                    )
                }
            }
            for await next in group { add(next) }
            // The first error has caused the others.
            return failure.map { [.failure($0)] } ?? results.compactMap(\.self)
        }
    }

    /// Returns the indices of the downloads whose destination is that of an earlier one.
    private static func duplicates(_ downloads: [(request: DataRequest, file: URL)]) -> Set<Int> {
        var known: Set<URL> = []
        return Set(
            downloads.indices.filter { !known.insert(downloads[$0].file.standardizedFileURL).inserted })
    }

    private static func inUse(_ file: URL, _ request: DataRequest) -> RESTClientError {
        RESTClientError(.file(path: file.path(percentEncoded: false), .inUse), request.urlRequest)
    }
}
