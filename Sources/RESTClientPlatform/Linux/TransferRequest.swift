// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
package import Foundation
package import RESTClientHTTP

/// A request for the engine.
package struct TransferRequest: Sendable {
    package var url: String
    package var method: String
    package var headers: [(name: String, value: String)]
    package var body: TransferBody?
    /// `true` if the request may be sent again, on another connection, when its connection ends before a response.
    package var isRepeatable: Bool
    /// The time after which the transfer fails if nothing is sent or received, in whole seconds; `nil` for no limit.
    package var idleTimeout: Int?
    /// `true` to request the target of a redirect, which is possible without a body only.
    package var followsRedirects = false
    package var options: ConnectionOptions

    package init(
        url: String, method: String = "GET", headers: [(name: String, value: String)] = [],
        body: TransferBody? = nil, isRepeatable: Bool = true, idleTimeout: Int? = nil,
        options: ConnectionOptions = ConnectionOptions()
    ) {
        (self.url, self.method, self.headers, self.body) = (url, method, headers, body)
        (self.isRepeatable, self.idleTimeout, self.options) = (isRepeatable, idleTimeout, options)
    }
}

extension TransferRequest {
    func hasHeader(_ name: HTTPHeaders.Name) -> Bool { headers.contains { name.matches($0.name) } }
}

/// Receives the events of a transfer, on the thread of the engine. While a method runs, no other transfer continues.
package protocol TransferHandler: TransferObserver {
    func transferDidReceive(_ head: ReceivedHead)
    /// Receives bytes of the body. Returns `false` to receive the same bytes again after `Transfer.resume()`.
    func transferDidReceive(_ bytes: UnsafeRawBufferPointer) -> Bool
    func transferDidEnd(_ failure: TransferFailure?)
    /// All events that were available were reported. `isAlone` is `true` if no other transfer had one.
    func transferDidUpdate(isAlone: Bool)
}

extension TransferHandler {
    package func transferDidBegin() {}
    package func transferDidConnect(_ connection: ConnectionMetrics) {}
    package func transferDidSend(total: Int64) {}
    package func transferDidUpdate(isAlone: Bool) {}
}

/// The body of a request.
package enum TransferBody: Sendable {
    case data(Data)
    /// The first bytes of a file.
    case file(path: String, length: Int64)
    case stream(StreamBody)

    var length: Int64? {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(_, let length): length
        case .stream(let stream): stream.length
        }
    }
}
#endif
