/// What breaks. Only effects that can come at several moments take one.
///
/// In the process a fault is the `URLError` that URLSession makes of the same fault on a real socket.
public struct Fault: Sendable, CustomStringConvertible {
    /// When it breaks.
    public enum Moment: Hashable, Sendable {
        /// The request is read, nothing is answered.
        case beforeHead
        /// Status and headers are out.
        case afterHead
        /// So many bytes of the body are out, all of them if there are no more.
        case inBody(after: Int)
        /// The whole body is out, but not its end: its length is not told beforehand.
        case atEnd
    }

    enum Effect: Sendable {
        case refused, hostNotFound, tlsFailure, malformedHead, malformedChunk, badGzip, cutGzip
        case reset(Moment), close(Moment), stall(Moment)
        case contentLength(offBy: Int)
    }

    let effect: Effect
    /// The fault as it is written: `.reset(.afterHead)`.
    public let description: String

    /// Nobody listens there.
    public static let refused = Self(effect: .refused, description: ".refused")
    /// The host has no address.
    public static let hostNotFound = Self(effect: .hostNotFound, description: ".hostNotFound")
    /// The server's certificate is not to be trusted.
    public static let tlsFailure = Self(effect: .tlsFailure, description: ".tlsFailure")
    /// The connection is closed without an answer.
    public static let emptyReply = Self(effect: .close(.beforeHead), description: ".emptyReply")
    /// What comes is not HTTP.
    public static let malformedHead = Self(effect: .malformedHead, description: ".malformedHead")
    /// After half of the body comes a chunk whose size is not a number.
    public static let malformedChunk = Self(effect: .malformedChunk, description: ".malformedChunk")
    /// The body says that it is gzip and is not.
    public static let badGzip = Self(effect: .badGzip, description: ".badGzip")
    /// The body is gzip and ends in the middle, which URLSession on Linux takes for its end.
    public static let cutGzip = Self(effect: .cutGzip, description: ".cutGzip")

    /// The connection is reset.
    public static func reset(_ moment: Moment) -> Self {
        Self(effect: .reset(moment), description: ".reset(.\(moment))")
    }

    /// The connection is closed in good order, but too early.
    public static func close(_ moment: Moment) -> Self {
        Self(effect: .close(moment), description: ".close(.\(moment))")
    }

    /// Nothing more comes, and nothing ends; it is for the client to lose patience.
    public static func stall(_ moment: Moment) -> Self {
        Self(effect: .stall(moment), description: ".stall(.\(moment))")
    }

    /// `Content-Length` is wrong: too great, and the body ends too early; too small, and its end is lost.
    public static func contentLength(offBy bytes: Int) -> Self {
        Self(effect: .contentLength(offBy: bytes), description: ".contentLength(offBy: \(bytes))")
    }
}
