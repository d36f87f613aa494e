public import Foundation

extension MockServer {
    /// Creates a server that replays the fixture `Fixtures/name.har` beside the test file, or records it from the network.
    ///
    /// The requests to record are selected by the environment variable `MOCK_RECORD`: `never` (the default), `once`, `new`
    /// `always` or `check`. Servers of one process record on the same fixture together: with `always`, the first of them replaces
    /// it, and the others add to it. The other parameters are those of a cassette.
    ///
    /// - `name`: The name of the fixture, which can have folders: `shop/checkout`.
    /// - `mode`: The requests to record, or `nil` to use the environment variable.
    /// - `maxDays`: The maximum age of the fixture in days. It contains the day of its recording only if this limit was
    ///   set while it was recorded. A fixture of unknown age fails: record it again with `MOCK_RECORD=always`.
    ///   Defaults to no limit.
    /// - `unusedRecordings`: A Boolean value that indicates whether ``verify(unusedRecordings:)`` reports exchanges that were
    ///   not requested, unless the server records. Pass `false` for a fixture of which each test uses a part.
    /// - `bundle`: The bundle that contains the fixture if the test runs on another machine than the one that built it,
    ///   such as a device.
    /// - Throws: ``MockServerError`` of kind `cassette` if there is no fixture and it must not be recorded, if it is
    ///   too old or of unknown age, or if `MOCK_RECORD` has an unknown value. ``HARError`` if it is not an archive.
    public convenience init(
        fixture name: String, mode: RecordMode? = nil, matching: HAR.Matching = .exact,
        masking: HAR.Masking = .standard, maxDays: Int? = nil, unusedRecordings: Bool = true,
        speed: Double? = nil, clock: any Clock<Duration> = ContinuousClock(), in bundle: Bundle? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) throws {
        let fixture = Fixture(name, beside: "\(filePath)", in: bundle)
        let mode = try mode ?? .environment()
        let (archive, cassette) = try fixture.open(mode, masking, maxDays: maxDays)
        self.init(
            replaying: archive, matching: matching, masking: masking, speed: speed, recordingOn: cassette,
            clock: clock, at: CodeLocation(fileID, filePath, line, column),
            unusedRecordings: unusedRecordings, isChecked: mode == .check)
    }

    /// The server of the current test, which a trait such as `.replay("shop")` created.
    ///
    /// - Throws: ``MockServerError`` if the test has no such trait.
    public static var current: MockServer {
        get throws {
            guard let server = CurrentServer.value else { throw MockServerError(.cassette(.noCurrentServer)) }
            return server
        }
    }

    /// Answers the requests of `SessionManager.default` in the current task while `body` runs, for code to which no manager
    /// is passed.
    ///
    /// Child tasks and tasks created with `Task { }` are affected, too; detached tasks, dispatch queues and other tests are
    /// not, so that tests can run in parallel. `SessionManager.withDefault(_:_:)` does the same for any manager.
    public func replacingDefaultSessionManager<Result>(
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        defer { withExtendedLifetime(self) {} }
        return try await DefaultSession.$current.withValue(DefaultSession(configuration)) { try await body() }
    }
}

package enum CurrentServer { @TaskLocal package static var value: MockServer? }

extension MockServer.RecordMode {
    static let variable = "MOCK_RECORD"

    /// Returns `true` if requests are recorded on a file, or on a new one.
    func records(on existing: URL?) -> Bool {
        self == .always || self == .newRequests || self == .once && existing == nil
    }

    /// Returns the mode that the environment variable selects, or `.never`.
    static func environment(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Self {
        switch variables[variable, default: ""].lowercased() {
        case "", "never": .never
        case "once": .once
        case "new", "newrequests": .newRequests
        case "always": .always
        case "check": .check
        case let value: throw MockServerError(.cassette(.invalidMode(value)))
        }
    }
}

/// An archive in the folder `Fixtures` beside a test file.
struct Fixture {
    /// The fixtures that this process records: tests that run in parallel add to the same archive.
    private static let recordings = LockedState<[URL: RecordedFile]>([:])

    let file: URL
    private let copy: URL?

    init(_ name: String, beside path: String, in bundle: Bundle?) {
        let name = name.hasSuffix(".har") ? name : "\(name).har"
        file =
            URL(filePath: path).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
            .standardizedFileURL
        // Bundles contain the files of a folder in it or, if they are processed, without it.
        copy = bundle.flatMap { bundle in
            ["Fixtures", nil].lazy.compactMap {
                bundle.url(forResource: name, withExtension: nil, subdirectory: $0)
            }.first
        }
    }

    /// Returns the exchanges to replay, and the cassette to record on, if any.
    func open(
        _ mode: MockServer.RecordMode, _ masking: HAR.Masking, maxDays: Int?, now: Date = Date()
    ) throws -> (HAR, Cassette?) {
        if mode.records(on: nil), let recording = Self.recordings.withLock({ $0[file] }) {
            return (mode == .always ? HAR() : recording.archive, Cassette(recording, masking: masking))
        }
        let existing = [file, copy].compactMap(\.self).first {
            FileManager.default.fileExists(atPath: $0.path)
        }
        guard existing != nil || mode.records(on: nil) else {
            throw MockServerError(.cassette(.missingFixture(file)))
        }
        var archive = HAR()
        if let existing, mode != .always {
            archive = try HAR(contentsOf: existing)
            if let maxDays { try checkAge(of: archive, maxDays, now) }
        }
        guard mode.records(on: existing) else { return (archive, nil) }
        if maxDays != nil, archive.recordedOn == nil { archive.recordedOn = Self.day(now) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let created = RecordedFile(file, initial: archive, times: .stable)
        let recording = Self.recordings.withLock { recordings in
            if recordings[file] == nil { recordings[file] = created }
            return recordings[file] ?? created
        }
        return (archive, Cassette(recording, masking: masking))
    }

    private func checkAge(of archive: HAR, _ limit: Int, _ now: Date) throws {
        let written = archive.recordedOn.flatMap { HARTime.date("\($0)T00:00:00Z") }
        // Archives of other programs have the times of their exchanges.
        let last = archive.entries.map(\.start).max().flatMap { $0.timeIntervalSince1970 > 0 ? $0 : nil }
        let days = (written ?? last).map { Int(now.timeIntervalSince($0) / 86_400) }
        guard let days, days <= limit else {
            throw MockServerError(.cassette(.outdatedFixture(file, days: days, limit: limit)))
        }
    }

    static func day(_ date: Date) -> String { String(HARTime.text(date).prefix(10)) }
}
