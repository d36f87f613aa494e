public import Foundation

/// An error of a mock server: a request that it cannot answer, or an expectation that was not met.
///
/// The client under test receives it as the error of its request. `MockServer.verify()` throws it.
public struct MockServerError: DiagnosticError, _ObjectiveCBridgeableError {
    /// The kind of failure and its details.
    public enum Kind: Sendable {
        /// No route matched the request. `nearest` lists up to three of the `routes` routes, the best match first.
        case unmatched(ReceivedRequest, routes: Int, nearest: [NearMiss])
        /// The request was number `call` of a route that has only `replies` replies.
        case exhausted(ReceivedRequest, route: String, location: CodeLocation, call: Int, replies: Int)
        /// The request was number `call` of those that equal only `exchanges` recorded ones.
        case exhaustedRecording(ReceivedRequest, call: Int, exchanges: Int)
        /// The response of the real server differs from the recorded one; see ``MockServer/RecordMode/check``.
        case changedRecording(ReceivedRequest, differences: [String])
        /// The handler of the route has neither returned nor waited on the virtual clock for `limit` of real time. The clock
        /// cannot advance while it runs.
        case clockStopped(ReceivedRequest, route: String, location: CodeLocation, limit: Duration)
        /// The reply stalls, and a timeout cannot end it: the `SessionManager` has a virtual clock that is not that of the server.
        case clockNotShared(ReceivedRequest)
        /// A condition of a route can never be met, such as a pattern that is not valid.
        case invalidRoute(route: String, location: CodeLocation, problem: String)
        /// The server was deallocated while a session still used its protocol class.
        case serverGone(method: String, url: URL?)
        /// The reply of a route cannot be created.
        case unusableReply(UnusableReply)
        /// URLSession on this platform cannot pass the task to a server in the process.
        case unsupportedTask(UnsupportedTask, method: String, url: URL?)
        /// A cassette cannot be read or written.
        case cassette(CassetteProblem)
        /// `MockServer.verify()` found expectations that were not met.
        case verification([Issue])
        /// `URLSession.shared` cannot be replaced: `isNested` if it is already replaced in the current task, otherwise
        /// because it was used before.
        case sharedSessionInUse(isNested: Bool)
        /// The request of `URLSession.shared` began after the server at this location had replaced the session, and is refused.
        case sharedSessionRefused(ReceivedRequest, server: CodeLocation)
        /// Fewer than `expected` requests arrived within `limit`.
        case tooFewRequests(expected: Int, received: [ReceivedRequest], limit: Duration)
    }

    /// A reason why a reply cannot be created.
    public enum UnusableReply: Sendable {
        /// The bundle has no resource of this name.
        case missingResource(String, bundle: URL)
        /// The URL of `Reply.file` is not that of a file.
        case notAFile(URL)
        /// The file cannot be read.
        case unreadableFile(URL, any Error)
        /// The value passed to `function` cannot be encoded as JSON.
        case unencodableValue(function: String, any Error)
        /// JSON text was passed to `Reply.json`, which would send it as a string.
        case textAsValue
        /// A paged list is a bare array, but its convention needs members beside it.
        case membersBesideArray([MemberPath])
        /// A member of a paged list is the list itself, or is inside of another member.
        case overlappingMembers(MemberPath, MemberPath)
        /// A response cannot have this status.
        case invalidStatus(HTTPStatus)
        /// An archive has no complete response to this request, for this reason.
        case incompleteRecording(request: String, reason: String)
        /// `Reply.passthrough` was used by a loopback server.
        case passthroughOverLoopback
    }

    /// A task of URLSession that a server in the process cannot answer on Linux.
    public enum UnsupportedTask: Sendable {
        /// A download task, whose file only URLSession can create.
        case download
        /// An upload task whose body cannot be read.
        case upload
        /// A WebSocket task.
        case webSocket
    }

    /// A reason why a cassette cannot be used.
    public enum CassetteProblem: Sendable {
        /// The file does not exist.
        case missing(URL)
        /// There is no fixture at this file; see ``MockServer/init(fixture:mode:matching:masking:maxDays:unusedRecordings:speed:clock:in:fileID:filePath:line:column:)``.
        case missingFixture(URL)
        /// The fixture was recorded more than `limit` days ago, or on an unknown day if `days` is `nil`.
        case outdatedFixture(URL, days: Int?, limit: Int)
        /// The environment variable that selects the requests to record has an unknown value.
        case invalidMode(String)
        /// There is no current server, because the test has no trait that creates one.
        case noCurrentServer
        /// The file cannot be written.
        case unwritable(URL, any Error)
        /// The body of the response from this URL exceeds the 64 MB that a recording can hold.
        case tooLarge(URL)
    }

    /// An expectation that was not met, and the location in the code that declares it.
    public struct Issue: Sendable, CustomStringConvertible {
        /// The expected and the actual behavior.
        public let message: String
        /// The location of the route or server that declares the expectation.
        public let location: CodeLocation

        /// The location and the message.
        public var description: String { "\(location): \(message)" }
    }

    /// The kind of failure and its details.
    public let kind: Kind
    /// The values to mask in the message, in addition to secrets.
    let masking: HAR.Masking

    init(_ kind: Kind, _ masking: HAR.Masking = .standard) { (self.kind, self.masking) = (kind, masking) }

    /// The expectations that were not met. Empty for other kinds.
    public var issues: [Issue] { if case .verification(let issues) = kind { issues } else { [] } }

    /// Finds the error of a mock server in an `NSError` of a request, also for `as? MockServerError` and `catch`: on some
    /// platforms URLSession returns each error of a protocol as an `NSError` (PLATFORM F4).
    public init?(_bridgedNSError error: __shared NSError) {
        // Only the content of a box is cast: the cast of an `NSError` calls this initializer.
        guard let error = ErrorBox.content(of: error) as? MockServerError else { return nil }
        self = error
    }
}

/// A location in source code, such as the declaration of a route or a server.
public struct CodeLocation: Sendable, CustomStringConvertible {
    /// The module and the file, as in `#fileID`.
    public let fileID: StaticString
    /// The path of the file, as in `#filePath`.
    public let file: StaticString
    /// The line, counted from 1.
    public let line: UInt
    /// The column, counted from 1.
    public let column: UInt

    init(_ fileID: StaticString, _ file: StaticString, _ line: UInt, _ column: UInt) {
        (self.fileID, self.file, self.line, self.column) = (fileID, file, line, column)
    }

    /// The file name and the line: `ItemsTests.swift:12`.
    public var description: String { "\("\(fileID)".split(separator: "/").last ?? ""):\(line)" }
}
