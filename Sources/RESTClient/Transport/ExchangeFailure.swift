import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Why an exchange did not bring a whole answer, and what of it had come.
struct ExchangeFailure: Error {
    enum Reason {
        case platform(any Error)
        case timedOut(RESTClientError.Timeout)
        case bodyTooLarge(limit: Int)
        /// More than this waits on disk for a slow reader.
        case spillLimit(Int64)
        /// A temporary file could not be used.
        case file(FileError)
        case notHTTP
        /// A Content-Length that is no length.
        case badLength(String)
    }

    let reason: Reason
    var head: HTTPURLResponse?
    /// What had come of a buffered body.
    var body: Data
    /// How many bytes had come, streamed or not.
    var received: Int64

    init(_ reason: Reason, _ head: HTTPURLResponse? = nil, _ body: Data = Data(), received: Int64 = 0) {
        self.reason = reason
        self.head = head
        self.body = body
        self.received = received
    }
}
