import Foundation
import RESTClientHTTP

extension ReplyPlan.ConnectionFailure {
    /// The error that URLSession creates for the same failure on a real socket (PLATFORM F5), with the message of libcurl, or
    /// of the engine for Linux.
    func error(for url: URL) -> URLError {
        let host = url.host(percentEncoded: false) ?? ""
        let (code, text): (URLError.Code, String) =
            switch self {
            case .refused:
                (
                    .cannotConnectToHost,
                    "Failed to connect to \(host) port \(url.usualPort) after 0 ms: Couldn't connect to server"
                )
            case .hostNotFound: (.cannotFindHost, "Could not resolve host: \(host)")
            case .tlsFailure:
                (.serverCertificateUntrusted, "SSL certificate problem: self-signed certificate")
            case .reset: (.networkConnectionLost, "Recv failure: Connection reset by peer")
            case .empty: (Self.emptyReplyCode, "Empty reply from server")
            case .malformedHead: (.cannotParseResponse, #"the reply is not HTTP; it starts "GARBAGE""#)
            case .malformedChunk:
                (.cannotParseResponse, "Illegal or missing hexadecimal sequence in chunked-encoding")
            // `cannotDecodeContentData` is for an unknown encoding.
            case .invalidGzip: (.cannotDecodeRawData, "the body is not valid for its Content-Encoding gzip")
            case .truncatedGzip: (.cannotDecodeRawData, "the body in the Content-Encoding gzip ended early")
            case .closed(let remaining?):
                (.networkConnectionLost, "transfer closed with \(remaining) bytes remaining to read")
            case .closed(nil):
                (.networkConnectionLost, "transfer closed with outstanding read data remaining")
            }
        return URLError(code, text, url)
    }

    // Only libcurl tells a connection without a response from one that was lost.
    #if canImport(FoundationNetworking)
    private static let emptyReplyCode = URLError.Code.badServerResponse
    #else
    private static let emptyReplyCode = URLError.Code.networkConnectionLost
    #endif
}
