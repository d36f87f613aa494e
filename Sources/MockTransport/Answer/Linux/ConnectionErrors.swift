import Foundation
import RESTClientHTTP

extension ReplyPlan.ConnectionFailure {
    /// The error that URLSession creates for the same failure on a real socket.
    func error(for url: URL) -> URLError { URLError(code, text(for: url), url) }

    /// The code of URLSession for the failure (PLATFORM F5).
    private var code: URLError.Code {
        switch self {
        case .refused: .cannotConnectToHost
        case .hostNotFound: .cannotFindHost
        case .reset, .closed: .networkConnectionLost
        case .empty: Self.emptyReplyCode
        case .malformedHead, .malformedChunk: .cannotParseResponse
        // `cannotDecodeContentData` is for an unknown encoding.
        case .invalidGzip, .truncatedGzip: .cannotDecodeRawData
        case .tlsFailure: .serverCertificateUntrusted
        }
    }

    // Only libcurl tells a connection without a response from one that was lost.
    #if canImport(FoundationNetworking)
    private static let emptyReplyCode = URLError.Code.badServerResponse
    #else
    private static let emptyReplyCode = URLError.Code.networkConnectionLost
    #endif

    /// The message of libcurl, or of the engine for Linux.
    private func text(for url: URL) -> String {
        let host = url.host(percentEncoded: false) ?? ""
        return switch self {
        case .refused:
            "Failed to connect to \(host) port \(url.usualPort) after 0 ms: Couldn't connect to server"
        case .hostNotFound: "Could not resolve host: \(host)"
        case .tlsFailure: "SSL certificate problem: self-signed certificate"
        case .reset: "Recv failure: Connection reset by peer"
        case .empty: "Empty reply from server"
        case .malformedHead: #"the reply is not HTTP; it starts "GARBAGE""#
        case .malformedChunk: "Illegal or missing hexadecimal sequence in chunked-encoding"
        case .invalidGzip: "the body is not valid for its Content-Encoding gzip"
        case .truncatedGzip: "the body in the Content-Encoding gzip ended early"
        case .closed(let remaining?): "transfer closed with \(remaining) bytes remaining to read"
        case .closed(nil): "transfer closed with outstanding read data remaining"
        }
    }
}
