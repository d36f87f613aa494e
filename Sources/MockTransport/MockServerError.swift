public import Foundation

/// What a mock server has to say to a test: a request it did not expect, or an expectation that was not met.
///
/// The client under test meets it as the error of its request; `MockServer.verify()` throws it.
public struct MockServerError: Error, CustomStringConvertible, LocalizedError {
    /// What kind of thing went wrong.
    public enum Kind: Hashable, Sendable {
        /// No route matched the request.
        case unmatched
        /// The route had no reply left.
        case exhausted
        /// The session outlived its server.
        case serverGone
        /// The reply could not be made: a file that is not there, a value that cannot be encoded.
        case unusableReply
        /// The cassette is not there, or cannot be written.
        case cassette
        /// `MockServer.verify()` found expectations that were not met.
        case verification
        /// `URLSession.shared` cannot be replaced: it was used before, or it is replaced already.
        case sharedSessionInUse
        /// `MockServer.requests(count:within:)` waited in vain.
        case tooFewRequests
    }

    /// One thing that is not as the test said, and where the test said it.
    public struct Issue: Sendable, CustomStringConvertible {
        /// What was expected and what came.
        public let message: String
        /// Where the expectation was written.
        public let location: CodeLocation

        /// The message behind its place.
        public var description: String { "\(location): \(message)" }
    }

    /// What kind of thing went wrong.
    public let kind: Kind
    /// What happened, to which request, and what to try.
    public let description: String
    /// The expectations not met, for those who report each at its own line; empty for other kinds.
    public let issues: [Issue]

    init(_ kind: Kind, _ description: String, issues: [Issue] = []) {
        self.kind = kind
        self.description = description
        self.issues = issues
    }

    /// The same text as `description`.
    public var errorDescription: String? { description }
}
