/// A failure of the connection, the response head or the body. A fault that can occur at several points has a phase.
///
/// Without a socket, the client receives the `URLError` that URLSession creates for the same fault on a real socket.
public struct Fault: Sendable, CustomStringConvertible {
    /// The point at which a fault occurs.
    public enum Phase: Hashable, Sendable {
        /// After the request was read, before any response.
        case beforeHead
        /// After the status and the headers.
        case afterHead
        /// After the given number of body bytes, or after the whole body if it is shorter.
        case inBody(after: Int)
        /// After the last byte of the body, but without the end of the body. The response has no `Content-Length`.
        case atEnd
    }

    enum Effect: Sendable {
        /// A failure instead of a response.
        case connection(ReplyPlan.ConnectionFailure)
        case malformedChunk, invalidGzip, truncatedGzip
        case reset(Phase), close(Phase), stall(Phase)
        case contentLength(offBy: Int)
    }

    let effect: Effect
    /// The fault as written in code: `.reset(.afterHead)`.
    public let description: String

    /// The connection is refused.
    public static let refused = Self(effect: .connection(.refused), description: ".refused")
    /// The host name cannot be resolved.
    public static let hostNotFound = Self(effect: .connection(.hostNotFound), description: ".hostNotFound")
    /// The certificate of the server is not trusted.
    public static let tlsFailure = Self(effect: .connection(.tlsFailure), description: ".tlsFailure")
    /// The connection is closed without a response.
    public static let emptyReply = Self(effect: .close(.beforeHead), description: ".emptyReply")
    /// The response does not start with an HTTP status line.
    public static let malformedHead = Self(effect: .connection(.malformedHead), description: ".malformedHead")
    /// The second half of the body is a chunk whose size is not a number.
    public static let malformedChunk = Self(effect: .malformedChunk, description: ".malformedChunk")
    /// The response has `Content-Encoding: gzip` and a body that is not gzip.
    public static let invalidGzip = Self(effect: .invalidGzip, description: ".invalidGzip")
    /// The gzip body is truncated. URLSession's own protocol on Linux delivers it as a success.
    public static let truncatedGzip = Self(effect: .truncatedGzip, description: ".truncatedGzip")

    /// The connection is reset.
    public static func reset(_ phase: Phase) -> Self {
        Self(effect: .reset(phase), description: ".reset(.\(phase))")
    }

    /// The connection is closed early, without a reset.
    public static func close(_ phase: Phase) -> Self {
        Self(effect: .close(phase), description: ".close(.\(phase))")
    }

    /// No more data arrives. The request fails after its timeout, which a plain URLSession sets to 60 seconds.
    public static func stall(_ phase: Phase) -> Self {
        Self(effect: .stall(phase), description: ".stall(.\(phase))")
    }

    /// The `Content-Length` differs from the length of the body. If it is too large, the body ends early; if it is too
    /// small, the body is truncated.
    public static func contentLength(offBy bytes: Int) -> Self {
        Self(effect: .contentLength(offBy: bytes), description: ".contentLength(offBy: \(bytes))")
    }
}
