import Foundation
import RESTClientHTTP
import RESTClientPlatform

/// The error of a transfer or of a temporary file; for a transfer, with the part of the response that was received.
struct TransportError: Error {
    let kind: RESTClientError.Kind
    var underlying: (any Error)?
    var head: ReceivedHead?
    /// The received part of a buffered body.
    var body = Data()
    var connection: ConnectionMetrics?
}

extension RESTClientError.Kind {
    /// Creates the kind for an error of URLSession. `head` and `received` describe the part of the response that was
    /// received.
    init(_ error: any Error, head: ReceivedHead?, received: Int64) {
        let expected = head?.contentLength.flatMap { $0 > 0 ? $0 : nil }
        let incomplete = head.map { _ in Self.incompleteBody(received: received, expected: expected) }
        if let error = error as? URLError {
            self.init(error.code, text: error.localizedDescription, incomplete: incomplete)
        } else {
            self.init(posixCode(of: error), incomplete: incomplete)
        }
    }

    /// Creates the kind for an error of a socket. URLSession on Apple platforms reports some of them as they are, such as
    /// `ECONNABORTED` for an app that was in the background.
    ///
    /// - Parameter incomplete: The kind for a lost connection after the head of the response, or `nil` before it.
    private init(_ code: POSIXErrorCode?, incomplete: Self?) {
        self =
            switch code {
            case .ECONNRESET, .ECONNABORTED, .EPIPE, .ENOTCONN, .EPROTO: incomplete ?? .connection(.reset)
            case .ECONNREFUSED, .ENETDOWN, .ENETUNREACH, .EHOSTUNREACH: .connection(.refused)
            case .ETIMEDOUT: .timedOut(.idle)
            default: .connection(.other)
            }
    }

    /// Creates the kind for a code of URLSession, whatever the platform on which it occurs.
    ///
    /// - Parameter incomplete: The kind for a lost connection after the head of the response, or `nil` before it.
    private init(_ code: URLError.Code, text: String, incomplete: Self?) {
        self =
            switch code {
            case .cannotFindHost, .dnsLookupFailed: .connection(.hostNotFound)
            case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff,
                .callIsActive:
                .connection(.refused)
            case .networkConnectionLost: incomplete ?? .connection(.reset)
            case .badServerResponse, .zeroByteResource: incomplete ?? .connection(.emptyReply)
            // The connection was lost, and the body of the request cannot be sent again.
            case .requestBodyStreamExhausted: .connection(.emptyReply)
            case .cannotParseResponse: .invalidResponse(.unparsable(text))
            case .cannotDecodeContentData, .cannotDecodeRawData: .invalidResponse(.invalidContentEncoding)
            case .timedOut: .timedOut(.idle)
            case .badURL, .unsupportedURL, .appTransportSecurityRequiresSecureConnection:
                .invalidRequest(.rejected(text))
            // The file of a body was removed after its encoding.
            case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile:
                .invalidRequest(.bodyFileUnreadable)
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired:
                .connection(.tls)
            default: .connection(.other)
            }
    }
}

/// Returns the code of an error of a socket. Any other number in the domain has none, which a cast to `POSIXError` would not
/// check on Apple platforms.
private func posixCode(of error: any Error) -> POSIXErrorCode? {
    let error = error as NSError
    guard error.domain == NSPOSIXErrorDomain, let code = Int32(exactly: error.code) else { return nil }
    return POSIXErrorCode(rawValue: code)
}
