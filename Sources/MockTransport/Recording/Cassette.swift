public import Foundation

/// A file of recorded exchanges. It is written after each exchange.
final class Cassette: Sendable {
    private let file: URL
    private let times: HAR.Times
    private let archive: LockedState<HAR>

    init(_ file: URL, initial archive: HAR, times: HAR.Times) {
        self.file = file
        self.times = times
        self.archive = LockedState(archive)
    }

    /// Adds a completed exchange and writes the file.
    func add(_ entry: HAR.Entry) throws(MockServerError) {
        do {
            try archive.withLock { archive in
                archive.entries.append(entry)
                try archive.write(to: file, times: times)
            }
        } catch { throw MockServerError(.cassette(.unwritable(file, error))) }
    }
}

/// The recording of an exchange that is passed through to the real server.
struct PassthroughRecording: Sendable {
    let exchange: RecordedExchange
    let clock: ServerClock
    let cassette: Cassette?

    func record(_ step: ReplyPlan.Step) { exchange.record(step, at: clock.now, maxBodySize: .max) }

    /// Ends the recording. Throws an error if the cassette cannot be written.
    func finish(_ failure: (any Error)?) throws(MockServerError) {
        if (failure as? URLError)?.code == .cancelled { return }
        record(failure.map { .failure($0) } ?? .end)
        guard let cassette, let entry = exchange.entry(since: clock.epoch) else { return }
        guard !exchange.isTruncated else { throw MockServerError(.cassette(.tooLarge(exchange.request.url))) }
        try cassette.add(entry)
    }
}

extension MockServer {
    /// The selection of requests that are sent to the real server and recorded.
    public enum RecordMode: Sendable, CaseIterable {
        /// No requests. Requests that are not on the cassette fail.
        case never
        /// All requests if the cassette does not exist yet, otherwise none.
        case once
        /// Requests that are not on the cassette. They are added to it.
        case newRequests
        /// All requests. The cassette is replaced.
        case always
    }

    /// Creates a server that replays the cassette `file`, or records it from the network.
    ///
    /// The file is an HTTP Archive (``HAR``) with masked secrets. It is written after each exchange, before the client
    /// receives the end of the response.
    ///
    /// - `file`: The cassette. Its directory must exist.
    /// - `mode`: The requests to record.
    /// - `times`: The times to record. None by default, so that recording again gives the same bytes.
    /// - `speed`: The replay speed; see ``HAR/routes(speed:matchingBodies:fileID:file:line:column:)``.
    /// - `clock`: The clock for recorded times.
    /// - Throws: ``HARError`` if the file is not a valid archive, ``MockServerError`` of kind `cassette` if it is missing
    ///   and must not be recorded.
    public convenience init(
        cassette file: URL, mode: RecordMode = .once, times: HAR.Times = .stable, speed: Double? = nil,
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) throws {
        let exists = FileManager.default.fileExists(atPath: file.path)
        guard exists || mode != .never else { throw MockServerError(.cassette(.missing(file))) }
        let archive = exists && mode != .always ? try HAR(contentsOf: file) : HAR()
        var routes = archive.routes(speed: speed, fileID: fileID, file: filePath, line: line, column: column)
        if mode == .always || mode == .newRequests || mode == .once && !exists {
            let reply = Reply(.passthrough(Cassette(file, initial: archive, times: times)))
            routes.append(
                Route(.any, fileID: fileID, file: filePath, line: line, column: column) { reply }.optional())
        }
        self.init(clock: clock, fileID: fileID, file: filePath, line: line, column: column) { routes }
    }

    /// The completed exchanges so far, mocked or passed through, in order of arrival, with masked secrets.
    ///
    /// Requests that matched no route or were cancelled are not included. Requests received over sockets are kept up to
    /// ``LoopbackServer/Limits/recordedRequests``. Bodies are kept up to 64 MB per server, and up to 4 MB each if they
    /// are sent in chunks. An exchange without its body has a `failure` that says so.
    public var recording: HAR {
        HAR(core.log.exchanges.compactMap { $0.entry(since: core.clock.epoch) }).masked()
    }
}
