package import RESTClientHTTP

/// Receives what URLSession does not report about a task. The methods are called on any thread, which must not be blocked.
package protocol TransferObserver: AnyObject, Sendable {
    /// The transfer has a connection or begins to open one: it does not wait for one of those in use.
    func transferDidBegin()
    /// The request is about to be sent on this connection, or was sent on it.
    func transferDidConnect(_ connection: ConnectionMetrics)
    /// A part of the body was sent; `total` is the number of its bytes so far.
    func transferDidSend(total: Int64)
}
