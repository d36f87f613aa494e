public import Foundation

/// An HTTP Archive 1.2: requests and what was answered, as browsers and proxies write it, too.
///
/// ```swift
/// let recorder = MockServer { Route(.any) { Reply.passthrough } }
/// // … requests through recorder.configuration …
/// try recorder.recording.write(to: cassette)
/// let replay = try MockServer { try HAR(contentsOf: cassette).routes() }
/// ```
///
/// What is read and not known here (pages, cache, addresses, fields of a browser's own) is left out when written.
public struct HAR: Equatable, Sendable {
    /// The exchanges, in order.
    public var entries: [Entry]

    /// An archive of these exchanges.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// One request and what was answered.
    public struct Entry: Equatable, Sendable {
        /// When the request began, to the millisecond.
        public var start: Date
        /// What was asked.
        public var request: Request
        /// What was answered.
        public var response: Response

        /// An exchange.
        public init(start: Date, request: Request, response: Response) {
            self.start = start
            self.request = request
            self.response = response
        }
    }

    /// What was asked.
    public struct Request: Equatable, Sendable {
        /// The method.
        public var method: HTTPMethod
        /// The URL.
        public var url: URL
        /// The header fields.
        public var headers: HTTPHeaders
        /// The body; empty where there was none.
        public var body: Data

        /// A request.
        public init(method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: Data = Data()) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    /// What was answered.
    public struct Response: Equatable, Sendable {
        /// The status; 0 where no answer began.
        public var status: HTTPStatus
        /// The header fields.
        public var headers: HTTPHeaders
        /// How long the head took, from the request.
        public var wait: Duration
        /// The body as it came, unpacked, in order of time.
        public var chunks: [Chunk]
        /// Why the answer did not come to its end; `nil` for one that is whole.
        public var failure: Failure?

        /// A response.
        public init(
            status: HTTPStatus, headers: HTTPHeaders = [:], wait: Duration = .zero, chunks: [Chunk] = [],
            failure: Failure? = nil
        ) {
            self.status = status
            self.headers = headers
            self.wait = wait
            self.chunks = chunks
            self.failure = failure
        }

        /// The whole body.
        public var body: Data { chunks.reduce(into: Data()) { $0 += $1.data } }
    }

    /// A piece of a body.
    public struct Chunk: Equatable, Sendable {
        /// When it came, from the head.
        public var time: Duration
        /// Its bytes.
        public var data: Data

        /// A piece of a body.
        public init(time: Duration = .zero, data: Data) {
            self.time = time
            self.data = data
        }
    }

    /// Why an answer did not come to its end.
    public struct Failure: Equatable, Sendable {
        /// The code of the `URLError`, where it was one.
        public var code: Int?
        /// What was said of it.
        public var text: String

        /// A failure.
        public init(code: Int? = nil, text: String) {
            self.code = code
            self.text = text
        }
    }
}

extension HAR: CustomStringConvertible, CustomReflectable {
    /// The exchanges, one a line, secrets masked.
    public var description: String {
        entries.map { "\($0.response.status.rawValue) \($0.request.method) \(Redaction.url($0.request.url))" }
            .joined(separator: "\n")
    }

    /// Shows to `dump` what `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["entries": description]) }
}

/// Why a file is no HTTP Archive that can be used; says where in it.
public struct HARError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// `shop.har: log.entries[3].response.status is a string, not a whole number`
    public let description: String

    /// The same text as `description`.
    public var errorDescription: String? { description }
}
