public import Foundation
public import MockTransport
public import Testing

/// A trait that replays a recorded archive in a test, or records it.
///
/// ```swift
/// @Test(.replay("shop")) func `the shop lists teas`() async throws {
///     let session = URLSession(configuration: try MockServer.current.configuration)
///     …
/// }
/// ```
///
/// The archive is `Fixtures/shop.har` beside the test file. The environment variable `MOCK_RECORD` selects the requests
/// to record: `never` (the default), `once`, `new`, `always` or `check`. `MockServer.current` is the server. It also
/// answers `SessionManager.default` of RESTClient, for code to which no manager is passed.
///
/// Requests that are not in the archive become issues of the test, with the access log of the server as attachment. On a suite, the trait applies to each of its tests.
public struct ReplayTrait: TestTrait, SuiteTrait, TestScoping {
    /// `true`: on a suite the trait applies to each of its tests.
    public var isRecursive: Bool { true }

    private let sourceLocation: SourceLocation
    private let makeServer: @Sendable () throws -> MockServer

    fileprivate init(
        _ sourceLocation: SourceLocation, _ makeServer: @escaping @Sendable () throws -> MockServer
    ) {
        self.sourceLocation = sourceLocation
        self.makeServer = makeServer
    }

    /// Runs the test with a server for the archive, and reports unmatched requests as issues.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let registry = ServerRegistry()
        let server = try ServerRegistry.$current.withValue(registry) { try makeServer() }
        defer { registry.recordIssues(at: sourceLocation) }
        try await CurrentServer.$value.withValue(server) {
            try await server.replacingDefaultSessionManager { try await function() }
        }
    }
}

extension Trait where Self == ReplayTrait {
    /// Replays the fixture `Fixtures/name.har` beside the test file, or records it.
    ///
    /// - `name`: The name of the fixture, which can have folders: `shop/checkout`.
    /// - `mode`: The requests to record, or `nil` to use the environment variable `MOCK_RECORD`.
    /// - `matching`: The rules by which a request equals a recorded one.
    /// - `masking`: The values to mask in addition to secrets.
    /// - `maxDays`: The maximum age of the fixture in days, or `nil` for any age. An older fixture, or one of unknown
    ///   age, fails the test.
    /// - `unusedRecordings`: A Boolean value that indicates whether exchanges that were not requested fail the test.
    /// - `clock`: The clock for recorded times.
    /// - `speed`: The replay speed, or `nil` to replay without waiting.
    /// - `bundle`: The bundle that contains the fixture if the test runs on another machine than the one that built it.
    public static func replay(
        _ name: String, mode: MockServer.RecordMode? = nil, matching: HAR.Matching = .exact,
        masking: HAR.Masking = .standard, maxDays: Int? = nil, unusedRecordings: Bool = true,
        speed: Double? = nil, clock: any Clock<Duration> = ContinuousClock(),
        in bundle: @escaping @autoclosure @Sendable () -> Bundle? = nil, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Self {
        let location = SourceLocation(
            fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
        return ReplayTrait(location) {
            try MockServer(
                fixture: name, mode: mode, matching: matching, masking: masking, maxDays: maxDays,
                unusedRecordings: unusedRecordings, speed: speed, clock: clock, in: bundle(), fileID: fileID,
                filePath: filePath, line: line,
                column: column)
        }
    }
}
