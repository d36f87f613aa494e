// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
package import Foundation
import RESTClientHTTP

/// The failure of a transfer: a result of libcurl (`CURLcode`), or a failure of the engine, as a code of URLSession.
package struct TransferFailure: Error, Sendable {
    /// The code of URLSession for the failure.
    package let code: URLError.Code
    /// A description, such as `Recv failure: Connection reset by peer`.
    package let text: String

    init(_ code: URLError.Code, _ text: String) { (self.code, self.text) = (code, text) }

    /// Creates the failure for a result of libcurl and its message, which can be empty or name functions.
    init(_ result: Int32, _ message: String, _ curl: LibCurl) {
        // libcurl quotes the URL of a proxy, which can contain a password.
        let message = message.contains("proxy syntax") ? "unsupported proxy syntax" : message
        let isOfHTTP2 = message.contains("nghttp2")
        let isPlain = !message.isEmpty && !isOfHTTP2
        let text = isPlain ? message : Self.texts[isOfHTTP2 ? 16 : result] ?? curl.text(result)
        self.init(Self.code(of: result, text), text)
    }

    static let cancelled = Self(.cancelled, "cancelled")
    /// The request may have been executed, and must not be sent again.
    static let repetitionRefused = Self(
        .requestBodyStreamExhausted, "the connection was closed after the request was sent")
    static let refusedTwice = Self(
        .networkConnectionLost, "the server refused the request, or closed its connection, twice")

    private static func code(of result: Int32, _ text: String) -> URLError.Code {
        switch result {
        // An invalid chunk has the same result as a lost connection, or that of the trailer for which its data are taken.
        case _ where text.contains("in chunked-encoding") || text.contains("the chunked-encoded stream"):
            .cannotParseResponse
        // With TLS 1.3, a server refuses a missing certificate when the connection is already open.
        case 56 where text.contains("certificate required"): .clientCertificateRequired
        case 60 where text.contains("expired"): .serverCertificateHasBadDate
        case 60 where text.contains("not yet valid"): .serverCertificateNotYetValid
        default: codes[result] ?? .unknown
        }
    }

    /// Returns the error of URLSession for a request to `url`.
    func error(_ url: URL?) -> any Error { url.map { URLError(code, text, $0) } ?? URLError(code) }

    /// The texts for results of libcurl that can have no message, and whose description does not help.
    private static let texts: [Int32: String] = [
        16: "the server violated HTTP/2, ended the connection, or sent a header that is too large",
        27: "a line of the header of the response is too long",
        92: "the server ended the HTTP/2 stream before it had received the request",
    ]

    /// The codes of URLSession for results of libcurl.
    private static let codes: [Int32: URLError.Code] = [
        1: .cannotParseResponse,  // an unsupported version of HTTP: other schemes are not requested
        3: .badURL,
        4: .badURL, 48: .badURL, 49: .badURL,  // an option that libcurl does not know, or cannot parse
        5: .cannotFindHost,  // the host of the proxy
        6: .cannotFindHost,
        7: .cannotConnectToHost,
        8: .cannotParseResponse,  // an invalid head
        16: .networkConnectionLost,  // HTTP/2 framing
        18: .networkConnectionLost,  // a partial body
        27: .cannotParseResponse,  // a header field is too large
        28: .timedOut,
        35: .secureConnectionFailed, 53: .secureConnectionFailed, 54: .secureConnectionFailed,
        51: .serverCertificateUntrusted, 60: .serverCertificateUntrusted, 90: .serverCertificateUntrusted,
        58: .clientCertificateRejected, 98: .clientCertificateRequired,
        59: .secureConnectionFailed, 64: .secureConnectionFailed, 66: .secureConnectionFailed,
        77: .secureConnectionFailed, 80: .secureConnectionFailed, 82: .secureConnectionFailed,
        83: .serverCertificateUntrusted, 91: .serverCertificateUntrusted,
        47: .httpTooManyRedirects,
        52: .badServerResponse,  // no response
        55: .networkConnectionLost, 56: .networkConnectionLost,
        61: .cannotParseResponse,  // a transfer coding
        65: .requestBodyStreamExhausted,  // the body cannot be sent again
        92: .networkConnectionLost, 95: .networkConnectionLost,  // a stream of HTTP/2 or HTTP/3
        97: .cannotConnectToHost,  // the proxy
        100: .cannotParseResponse,  // a header field is too large, since libcurl 8.6
    ]
}
#endif
