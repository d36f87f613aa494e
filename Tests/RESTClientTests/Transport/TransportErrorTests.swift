import Foundation
import RESTClientPlatform
import Testing

@testable import MockTransport
@testable import RESTClient

/// The kinds of the errors of URLSession, with the codes of all platforms.
@Suite struct TransportErrorTests {
    typealias Kind = RESTClientError.Kind

    /// A code, and its kind before and after the head of the response.
    struct Row: Sendable {
        let codes: [URLError.Code]
        let early: Kind
        let late: Kind

        init(_ codes: URLError.Code..., kind: Kind, late: Kind? = nil) {
            (self.codes, early, self.late) = (codes, kind, late ?? kind)
        }
    }

    private static let url = URL(string: "http://shop.example/")
    private static let incomplete = Kind.incompleteBody(received: 4, expected: 10)

    private static func kind(_ error: any Error, late: Bool) -> Kind {
        let head = ReceivedHead(
            status: 200, fields: [ReceivedHead.Field(name: "Content-Length", value: "10")])
        return Kind(error, head: late ? head : nil, received: late ? 4 : 0)
    }

    static let rows = [
        Row(.cannotFindHost, .dnsLookupFailed, kind: .connection(.hostNotFound)),
        Row(
            .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff,
            .callIsActive, kind: .connection(.refused)),
        Row(.networkConnectionLost, kind: .connection(.reset), late: incomplete),
        Row(.badServerResponse, .zeroByteResource, kind: .connection(.emptyReply), late: incomplete),
        Row(.requestBodyStreamExhausted, kind: .connection(.emptyReply)),
        Row(.cannotParseResponse, kind: .invalidResponse(.unparsable("text"))),
        Row(.cannotDecodeContentData, .cannotDecodeRawData, kind: .invalidResponse(.invalidContentEncoding)),
        Row(.timedOut, kind: .timedOut(.idle)),
        Row(.badURL, .appTransportSecurityRequiresSecureConnection, kind: .invalidRequest(.rejected("text"))),
        Row(.fileDoesNotExist, kind: .invalidRequest(.bodyFileUnreadable)),
        Row(.secureConnectionFailed, .serverCertificateUntrusted, kind: .connection(.tls)),
        Row(.cannotWriteToFile, .resourceUnavailable, kind: .connection(.other)),
    ]

    @Test(arguments: rows) func `a code has the same kind on all platforms`(row: Row) throws {
        for code in row.codes {
            let error = URLError(code, userInfo: [NSLocalizedDescriptionKey: "text"])
            #expect(Self.kind(error, late: false) == row.early, "\(code.rawValue)")
            #expect(Self.kind(error, late: true) == row.late, "\(code.rawValue)")
        }
    }

    @Test(
        arguments: [
            (.ECONNRESET, .connection(.reset), incomplete), (.ECONNABORTED, .connection(.reset), incomplete),
            (.EPIPE, .connection(.reset), incomplete), (.ENOTCONN, .connection(.reset), incomplete),
            (.EPROTO, .connection(.reset), incomplete),
            (.ENETDOWN, .connection(.refused), .connection(.refused)),
            (.ETIMEDOUT, .timedOut(.idle), .timedOut(.idle)),
            (.ENOSPC, .connection(.other), .connection(.other)),
        ] as [(POSIXErrorCode, Kind, Kind)])
    func `an error of a socket has the kind of the same failure`(
        code: POSIXErrorCode, early: Kind, late: Kind
    ) throws {
        #expect(Self.kind(POSIXError(code), late: false) == early)
        #expect(Self.kind(POSIXError(code), late: true) == late)
        let error = NSError(domain: NSPOSIXErrorDomain, code: Int(code.rawValue))
        #expect(Self.kind(error, late: false) == early)
    }

    @Test(arguments: [0, -1, 12_345, Int.max])
    func `an unknown code of a socket has the kind of other errors`(code: Int) throws {
        let error = NSError(domain: NSPOSIXErrorDomain, code: code)
        #expect(Self.kind(error, late: false) == .connection(.other))
    }

    static let failures: [ReplyPlan.ConnectionFailure] = [
        .refused, .hostNotFound, .tlsFailure, .reset, .closed(remaining: 6), .closed(remaining: nil),
        .invalidGzip, .malformedHead, .malformedChunk,
    ]

    @Test(arguments: failures)
    func `a failure of a connection has a kind of its own`(failure: ReplyPlan.ConnectionFailure) throws {
        let isLate =
            switch failure {
            case .closed, .invalidGzip, .malformedChunk: true
            default: false
            }
        let url = try #require(Self.url)
        #expect(Self.kind(failure.error(for: url), late: isLate) != .connection(.other))
    }

    @Test func `an error of a protocol keeps its type if URLSession copies its members`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses?.insert(FailingProtocol.self, at: 0)
        let request = SessionManager(configuration: configuration).request(try #require(Self.url))
        let error = try await failure { try await request.response() }
        #expect(error.underlying is FailingProtocol.TestError)
        #expect(error.kind == .connection(.other))
    }
}

/// A protocol that fails with an error in a box.
private final class FailingProtocol: URLProtocol {
    struct TestError: Error {}

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        client?.urlProtocol(self, didFailWithError: ErrorBox.boxed(TestError()))
    }

    override func stopLoading() {}
}
