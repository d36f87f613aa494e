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
    /// The parameters are those of the initializer of `MockServer` with a fixture. A fixture that is older than `maxDays`, or
    /// of unknown age, fails the test, as do exchanges that were not requested unless `unusedRecordings` is `false`.
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
                filePath: filePath, line: line, column: column)
        }
    }
}
