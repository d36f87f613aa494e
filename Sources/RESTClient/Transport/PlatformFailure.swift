import Foundation
import RESTClientHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Error {
    /// Whether the platform says that a task was cancelled.
    var isPlatformCancellation: Bool { (self as? URLError)?.code == .cancelled }
}

extension RESTClientError.Kind {
    /// What a failure of the platform means, given the head and the bytes that had come before it.
    init(platform error: any Error, head: HTTPURLResponse?, received: Int64) {
        guard let error = error as? URLError else {
            self = .connection(.other)
            return
        }
        let text = error.localizedDescription
        let expected = head.flatMap { $0.expectedContentLength > 0 ? $0.expectedContentLength : nil }
        let cut = Self.incompleteBody(received: received, expected: expected)
        self =
            switch error.code {
            case .cannotFindHost, .dnsLookupFailed: .connection(.hostNotFound)
            case .cannotConnectToHost, .notConnectedToInternet: .connection(.refused)
            case .networkConnectionLost: head == nil ? .connection(.reset) : cut
            case .badServerResponse: head == nil ? .connection(.emptyReply) : cut
            case .timedOut: .timedOut(.idle)
            case .badURL: .invalidRequest(.rejected(text))
            // A body's file that has gone since it was cooked.
            case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile:
                .invalidRequest(.bodyFileUnreadable)
            // A status line that is none has the code of a scheme that is none.
            case .unsupportedURL where text == "unsupported URL": .invalidRequest(.rejected(text))
            case .unsupportedURL: .invalidResponse(.unparsable(text))
            case _ where Self.codesOfTLS.contains(error.code): .connection(.tls)
            case .unknown: Self(libcurl: text, cut: cut)
            default: .connection(.other)
            }
    }

    /// On Linux many failures share code -1 and differ in libcurl's text only (PLATFORM B).
    private init(libcurl text: String, cut: Self) {
        let lower = text.lowercased()
        let says = { (parts: [String]) in parts.contains { lower.contains($0) } }
        self =
            if says(["bytes remaining to read", "outstanding read data"]) {
                cut
            } else if says(["ssl", "tls", "certificate"]) {
                .connection(.tls)
            } else if says([
                "chunk", "encoding", "header", "content-length", "http/2", "http2", "out of memory",
            ]) {
                .invalidResponse(.unparsable(text))
            } else if says(["failed writing received data"]) {
                // Nobody but the decoder refuses what has come.
                .invalidResponse(.invalidContentEncoding)
            } else {
                .connection(.other)
            }
    }

    private static let codesOfTLS: Set<URLError.Code> = [
        .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
        .clientCertificateRequired,
    ]
}
