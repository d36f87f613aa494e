public import Foundation

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
