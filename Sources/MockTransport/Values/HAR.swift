public import Foundation

/// An HTTP Archive (HAR 1.2): recorded requests and responses, in the format of browsers and proxies.
///
/// ```swift
/// let recorder = MockServer { Route(.any) { Reply.passthrough } }
/// // … requests through recorder.configuration …
/// try recorder.recording.write(to: cassette)
/// let replay = try MockServer { try HAR(contentsOf: cassette).routes() }
/// ```
///
/// Unsupported data (pages, cache, addresses, custom fields) is dropped when an archive is written.
public struct HAR: Equatable, Sendable {
    /// The recorded exchanges, in order.
    public var entries: [Entry]
    /// The invalid values of the file that the archive was read from. Empty for most files.
    ///
    /// An entry with an invalid request is left out, an invalid response fails its request, and an invalid header field is
    /// ignored.
    public internal(set) var problems: [HARError] = []
    /// The day of the recording, such as `2026-11-23`, if it is to be written although other times are not.
    var recordedOn: String?

    /// Creates an archive.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// A request and its response.
    public struct Entry: Equatable, Sendable {
        /// The start of the request, with millisecond precision.
        public var start: Date
        /// The request.
        public var request: Request
        /// The response.
        public var response: Response

        /// Creates an entry.
        public init(start: Date, request: Request, response: Response) {
            (self.start, self.request, self.response) = (start, request, response)
        }
    }

    /// A recorded request.
    public struct Request: Equatable, Sendable {
        /// The method.
        public var method: HTTPMethod
        /// The URL.
        public var url: URL
        /// The header fields.
        public var headers: HTTPHeaders
        /// The body. Empty if there was none.
        public var body: Data
        /// `true` if there was a body that the archive does not contain. Such a request matches any body.
        var isBodyMissing = false

        /// Creates a request.
        public init(method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: Data = Data()) {
            (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        }
    }

    /// A recorded response.
    public struct Response: Equatable, Sendable {
        /// The status, or 0 if there was no response.
        public var status: HTTPStatus
        /// The header fields.
        public var headers: HTTPHeaders
        /// The time from the request to the head.
        public var wait: Duration
        /// The decoded body in the chunks received.
        public var chunks: [Chunk]
        /// The error that ended the response, or `nil` if it is complete.
        public var failure: Failure?

        /// Creates a response.
        public init(
            status: HTTPStatus, headers: HTTPHeaders = [:], wait: Duration = .zero, chunks: [Chunk] = [],
            failure: Failure? = nil
        ) {
            (self.status, self.headers, self.wait, self.chunks) = (status, headers, wait, chunks)
            self.failure = failure
        }

        /// The whole body.
        public var body: Data { chunks.data }
    }

    /// A chunk of a body.
    public struct Chunk: Equatable, Sendable {
        /// The time of arrival, counted from the head.
        public var time: Duration
        /// The bytes of the chunk.
        public var data: Data

        /// Creates a chunk.
        public init(time: Duration = .zero, data: Data) { (self.time, self.data) = (time, data) }
    }

    /// The error that ended a response, or the reason why the archive does not contain it.
    public struct Failure: Equatable, Sendable {
        /// The code, if the error was a `URLError`.
        public var code: Int?
        /// The error message.
        public var text: String
        /// `true` if the archive does not contain the response, which may have been successful.
        var isIncompleteRecording = false

        static func incomplete(_ reason: String) -> Self {
            var failure = Self(text: reason)
            failure.isIncompleteRecording = true
            return failure
        }

        /// Creates a failure.
        public init(code: Int? = nil, text: String) { (self.code, self.text) = (code, text) }
    }
}

extension [HAR.Chunk] {
    var data: Data { dropFirst().reduce(into: first?.data ?? Data()) { $0 += $1.data } }
}

extension HAR: CustomStringConvertible, CustomReflectable {
    /// The exchanges, one per line, with masked secrets.
    public var description: String {
        entries.map { "\($0.response.status.rawValue) \($0.request.method) \(Redaction.url($0.request.url))" }
            .joined(separator: "\n")
    }

    /// A mirror that shows `description`, so that `dump` prints no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["entries": description]) }
}

/// The error of a file that is not a valid HTTP Archive.
public struct HARError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The name of the file, or `nil` if the archive was not read from one.
    public internal(set) var file: String?
    /// The path of the invalid value: `log.entries[3].response.status`. Empty for the whole document.
    public let path: String
    /// The problem: `is a string, not a whole number`.
    public let problem: String

    /// The file, the path and the problem: `shop.har: log.entries[3].response.status is a string, not a whole number`.
    public var description: String {
        "\(file.map { TerminalEscaping.escaped($0) } ?? "the archive"): \(path.isEmpty ? "the document" : path) \(problem)"
    }

    /// The same text as `description`.
    public var errorDescription: String? { description }
}

/// The times of an archive: dates in milliseconds, durations in microseconds.
enum HARTime {
    /// A year, in milliseconds.
    static let maximum = 366.0 * 86_400_000

    /// Parses a date. Returns `nil` if it is invalid or cannot be written again.
    static func date(_ text: String) -> Date? {
        let styles = [true, false].map {
            Date.ISO8601FormatStyle(includingFractionalSeconds: $0, timeZone: .gmt)
        }
        let date = styles.lazy.compactMap { try? $0.parse(text) }.first.map(rounded)
        return date.flatMap { hasFourDigits($0) ? $0 : nil }
    }

    /// Returns `true` if the year is between 1 and 9999, as in ISO 8601.
    private static func hasFourDigits(_ date: Date) -> Bool {
        date.timeIntervalSince1970 > -62_135_596_800 && date.timeIntervalSince1970 < 253_402_300_799
    }

    /// Formats a date as `2026-03-04T05:06:07.123Z`. An invalid date becomes the start of 1970.
    static func text(_ date: Date) -> String {
        guard hasFourDigits(date) else { return text(Date(timeIntervalSince1970: 0)) }
        // The format style truncates, also fractions that are minimally too small because of rounding.
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
        return rounded(date).addingTimeInterval(0.000_1).formatted(style)
    }

    static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
    }

    static func duration(milliseconds: Double) -> Duration {
        // Also excludes NaN.
        guard milliseconds > 0 else { return .zero }
        return .microseconds(Int64((min(milliseconds, maximum) * 1_000).rounded()))
    }

    /// Returns the scaled duration in microseconds, limited to the range from zero to a year.
    static func rounded(_ duration: Duration, scaledBy factor: Double = 1) -> Duration {
        Self.duration(milliseconds: duration / .seconds(1) * 1_000 * factor)
    }

    static func milliseconds(_ duration: Duration) -> Double {
        (duration / .seconds(1) * 1_000_000).rounded() / 1_000
    }
}

extension HAR.Request {
    init(_ request: ReceivedRequest) {
        self.init(method: request.method, url: request.url, headers: request.headers, body: request.body)
    }
}
