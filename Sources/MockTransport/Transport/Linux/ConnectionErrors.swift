import Foundation

extension ReplyPlan.ConnectionFailure {
    /// The error that URLSession creates for the same failure on a real socket (PLATFORM B).
    func error(for url: URL) -> URLError { error(for: url, code) }

    func error(for url: URL, _ code: URLError.Code) -> URLError {
        let text = text(for: url)
        let cause = NSError(
            domain: NSURLErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: text])
        return URLError(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: text, NSURLErrorFailingURLErrorKey: url,
                "NSErrorFailingURLStringKey": url.absoluteString, NSUnderlyingErrorKey: cause,
            ])
    }

    // libcurl has few codes for its failures; URLSession on Apple platforms has one for each (PLATFORM B, F5).
    #if canImport(FoundationNetworking)
    private var code: URLError.Code {
        switch self {
        case .refused: .cannotConnectToHost
        case .hostNotFound: .cannotFindHost
        case .reset: .networkConnectionLost
        case .empty: .badServerResponse
        case .malformedHead: .unsupportedURL
        case .tlsFailure, .malformedChunk, .invalidGzip, .closed: .unknown
        }
    }
    #else
    private var code: URLError.Code { appleCode }
    #endif

    /// The code on Apple platforms.
    var appleCode: URLError.Code {
        switch self {
        case .refused: .cannotConnectToHost
        case .hostNotFound: .cannotFindHost
        case .reset, .empty, .closed: .networkConnectionLost
        case .malformedHead, .malformedChunk: .cannotParseResponse
        // `cannotDecodeContentData` is for an unknown encoding.
        case .invalidGzip: .cannotDecodeRawData
        case .tlsFailure: .serverCertificateUntrusted
        }
    }

    /// The message of libcurl. On Linux some failures differ only in this text.
    private func text(for url: URL) -> String {
        let host = url.host(percentEncoded: false) ?? ""
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return switch self {
        case .refused: "Failed to connect to \(host) port \(port) after 0 ms: Couldn't connect to server"
        case .hostNotFound: "Could not resolve host: \(host)"
        case .tlsFailure: "SSL certificate problem: self-signed certificate"
        case .reset: "Recv failure: Connection reset by peer"
        case .empty: "Empty reply from server"
        case .malformedHead: "Received HTTP/0.9 when not allowed"
        case .malformedChunk: "Illegal or missing hexadecimal sequence in chunked-encoding"
        case .invalidGzip: "Error while processing content unencoding: incorrect header check"
        case .closed(let remaining?): "transfer closed with \(remaining) bytes remaining to read"
        case .closed(nil): "transfer closed with outstanding read data remaining"
        }
    }
}
