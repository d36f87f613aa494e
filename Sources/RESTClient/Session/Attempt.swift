public import RESTClientHTTP

/// One exchange with the server, as it went; redirects that were followed belong to it.
public struct Attempt: Sendable {
    /// The status that came, whether or not the validation accepts it, or why none came.
    public var outcome: Result<HTTPStatus, RESTClientError>
    /// When it began, from when the request was created.
    public var start: Duration
    /// From its start to the head of the last response, if one came.
    public var firstByte: Duration?
    /// From its start to its end.
    public var total: Duration
}
