@_exported public import MockTransport
public import Testing

/// A trait that verifies every mock server created in a test when the test ends.
///
/// ```swift
/// @Test(.mocked) func `the list is requested twice`() async throws {
///     let server = MockServer { Route(.get, "/items") { Reply.json([]) }.called(2) }
///     …
/// }
/// ```
///
/// Each expectation that `MockServer.verify()` would report becomes an issue of the test, at the line of its route, or
/// of the server if no route is concerned, even if the test throws. If there are issues, the access logs of the servers
/// are attached as `mock-server-requests.log`.
///
/// A server that is a property of the suite is verified for each test: mark routes that some tests do not use as
/// `.optional()`.
public struct MockedTrait: TestTrait, SuiteTrait, TestScoping {
    /// `true`: on a suite the trait applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Runs a test and records the expectations of its servers that were not met.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let registry = ServerRegistry()
        // The findings often explain the error of the test, so they are recorded before it.
        defer { registry.recordIssues() }
        try await ServerRegistry.$current.withValue(registry) { try await function() }
    }
}

extension Trait where Self == MockedTrait {
    /// Verifies every mock server created in a test when the test ends.
    public static var mocked: Self { MockedTrait() }
}

extension ServerRegistry {
    /// Records the expectations that were not met as issues, and attaches the access logs if there are any.
    ///
    /// - Parameter location: The location of the issues, or `nil` for those of the routes.
    func recordIssues(at location: SourceLocation? = nil) {
        let issues = issues
        guard !issues.isEmpty else { return }
        Attachment.record(accessLog, named: "mock-server-requests.log")
        for issue in issues {
            Issue.record(
                Comment(rawValue: issue.message), sourceLocation: location ?? SourceLocation(issue.location))
        }
    }
}

extension SourceLocation {
    fileprivate init(_ location: CodeLocation) {
        self.init(
            fileID: "\(location.fileID)", filePath: "\(location.file)", line: Int(location.line),
            column: Int(location.column))
    }
}
