public import Foundation

/// A file with exchanges that grows while they happen.
final class Cassette: Sendable {
    private let file: URL
    private let times: HAR.Times
    private let archive: LockedState<HAR>

    init(_ file: URL, beginning archive: HAR, times: HAR.Times) {
        self.file = file
        self.times = times
        self.archive = LockedState(archive)
    }

    /// Adds an exchange that has come to its end, and writes the file.
    func add(_ entry: HAR.Entry) throws {
        try archive.withLock { archive in
            archive.entries.append(entry)
            do {
                try archive.write(to: file, times: times)
            } catch {
                let reason = error.localizedDescription
                throw MockServerError(.cassette, "the cassette \(file.path) cannot be written: \(reason)")
            }
        }
    }
}

/// What notes an exchange that is passed through, and puts it on a cassette.
struct Tape: Sendable {
    let take: Take
    let time: ServerTime
    let cassette: Cassette?

    func note(_ event: Take.Event) { take.note(event, at: time.now, upTo: .max) }

    /// The exchange has come to its end; an error is one of writing the cassette.
    func end(_ failure: (any Error)?) -> (any Error)? {
        if (failure as? URLError)?.code == .cancelled { return nil }
        note(failure.map { .failure($0) } ?? .end)
        guard let cassette, let entry = take.entry(since: time.birth) else { return nil }
        if take.isTooLong {
            let reason = "the bodies of one run are more than a cassette holds, 64 MB"
            return MockServerError(.cassette, "\(Redaction.url(take.request.url)): \(reason)")
        }
        do {
            try cassette.add(entry)
            return nil
        } catch {
            return error
        }
    }
}

extension MockServer {
    /// When requests go to the real server and are recorded.
    public enum RecordMode: Sendable, CaseIterable {
        /// Never: what is not on the cassette fails.
        case never
        /// All of them if there is no cassette yet; else never.
        case once
        /// Those that are not on the cassette; they are added.
        case newRequests
        /// All of them; the cassette is replaced.
        case always
    }

    /// A server that replays the cassette `file`, or records it from the real network as `mode` says.
    ///
    /// The file is an HTTP Archive (``HAR``), written after each exchange, secrets masked, before its client knows
    /// that it is over.
    ///
    /// - `file`: The cassette; its folder must be there.
    /// - `mode`: When to record.
    /// - `times`: Which times are recorded; none by default, so that recording again gives the same bytes.
    /// - `speed`: How fast it replays; see ``HAR/routes(speed:matchingBodies:fileID:file:line:column:)``.
    /// - `clock`: What recorded times are on.
    /// - Throws: ``HARError`` for a file that is no archive, ``MockServerError`` of kind `cassette` where there is none
    ///   to replay.
    public convenience init(
        cassette file: URL, mode: RecordMode = .once, times: HAR.Times = .stable, speed: Double? = nil,
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) throws {
        let isThere = FileManager.default.fileExists(atPath: file.path)
        guard isThere || mode != .never else {
            let advice = "record it with mode .once, in a place that has a network"
            throw MockServerError(.cassette, "there is no cassette at \(file.path): \(advice)")
        }
        let past = isThere && mode != .always ? try HAR(contentsOf: file) : HAR()
        var routes = past.routes(
            speed: speed, fileID: fileID, file: filePath, line: line, column: column)
        if mode == .always || mode == .newRequests || mode == .once && !isThere {
            let reply = Reply(.passthrough(Cassette(file, beginning: past, times: times)))
            routes.append(
                Route(.any, fileID: fileID, file: filePath, line: line, column: column) { reply }.optional())
        }
        self.init(clock: clock, fileID: fileID, file: filePath, line: line, column: column) { routes }
    }

    /// All exchanges so far that came to an end, whether answered here or passed through, in order of arrival; secrets
    /// masked.
    ///
    /// A request that nobody answered, because no route matched it or because its client left, is not among them. Of
    /// what comes over sockets there are as many as ``LoopbackServer/Limits/requests`` says. Bodies are kept up to
    /// 64 MB a server, those that a reply sends in pieces up to 4 MB each; an exchange whose body is not kept has a
    /// `failure` that says so.
    public var recording: HAR {
        HAR(core.log.takes.compactMap { $0.entry(since: core.time.birth) }).masked()
    }
}
