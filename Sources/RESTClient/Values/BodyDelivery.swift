/// The form in which the response body is delivered: as complete data or as a stream.
public enum BodyDelivery: Sendable {
    /// The next interceptor returns the response when its body is complete, and throws if the body fails.
    case buffered
    /// The next interceptor returns the response when its head was received; the body is a stream.
    case streamed
}

/// The error that is thrown by a second iteration of a stream.
public struct BodyAlreadyRead: Error, CustomStringConvertible {
    /// The message of the error.
    public var description: String { "a stream can be read only once" }
}
