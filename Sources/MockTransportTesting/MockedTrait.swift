@_exported public import MockTransport
public import Testing

/// Verifies every mock server that is made in a test, at the test's end.
///
/// ```swift
/// @Test(.mocked) func `the list is asked for twice`() async throws {
///     let server = MockServer { Route(.get, "/items") { Reply.json([]) }.called(2) }
///     …
/// }
/// ```
///
/// What `MockServer.verify()` would throw becomes an issue of the test, each at the line of its route. A server that
/// is a property of the suite belongs to each of its tests: mark routes that not all of them use `.optional()`.
public struct MockedTrait: TestTrait, SuiteTrait, TestScoping {
    /// On a suite it stands for each of its tests.
    public var isRecursive: Bool { true }

    /// Runs a test, then says what its servers missed.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let roster = Roster()
        try await Roster.$current.withValue(roster) { try await function() }
        for issue in roster.issues {
            Issue.record(Comment(rawValue: issue.message), sourceLocation: SourceLocation(issue.location))
        }
    }
}

extension Trait where Self == MockedTrait {
    /// Verifies every mock server that is made in a test, at the test's end.
    public static var mocked: Self { MockedTrait() }
}

extension SourceLocation {
    fileprivate init(_ location: CodeLocation) {
        self.init(
            fileID: "\(location.fileID)", filePath: "\(location.file)", line: Int(location.line),
            column: Int(location.column))
    }
}
