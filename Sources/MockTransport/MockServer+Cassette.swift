public import Foundation

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
        /// No requests are recorded. Each one is answered from the cassette and is sent to its real server, too.
        /// ``MockServer/verify(unusedRecordings:)`` reports the responses whose status or JSON members differ: those that came,
        /// went, or changed their type.
        case check
    }

    /// Creates a server that replays the cassette `file`, or records it from the network.
    ///
    /// The file is an HTTP Archive (``HAR``) with masked secrets. It is written after each exchange, before the client
    /// receives the end of the response. A file of more than 256 KB is written each time it has grown by half, and when the
    /// server is deallocated or the process exits.
    ///
    /// - `file`: The cassette. Its directory must exist.
    /// - `times`: The times to record. None by default, so that recording again gives the same bytes.
    /// - `matching`, `masking`, `speed`: See ``HAR/routes(matching:masking:speed:fileID:file:line:column:)``.
    /// - Throws: ``HARError`` if the file is not a valid archive, ``MockServerError`` of kind `cassette` if it is missing
    ///   and must not be recorded.
    public convenience init(
        cassette file: URL, mode: RecordMode = .once, times: HAR.Times = .stable,
        matching: HAR.Matching = .exact, masking: HAR.Masking = .standard, speed: Double? = nil,
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) throws {
        let exists = FileManager.default.fileExists(atPath: file.path)
        guard exists || mode.records(on: nil) else { throw MockServerError(.cassette(.missing(file))) }
        let archive = exists && mode != .always ? try HAR(contentsOf: file) : HAR()
        self.init(
            replaying: archive, matching: matching, masking: masking, speed: speed,
            recordingOn: mode.records(on: exists ? file : nil)
                ? Cassette(RecordedFile(file, initial: archive, times: times), masking: masking) : nil,
            clock: clock, at: CodeLocation(fileID, filePath, line, column),
            isChecked: mode == .check)
    }

    /// Creates a server that replays an archive, without waiting unless a `speed` is given.
    ///
    /// By default the host is ignored, so that the archive can be served on a socket, and a recorded host in a reply is
    /// replaced by that of the request.
    public convenience init(
        har archive: HAR, matching: HAR.Matching = .ignoring(.host), speed: Double? = nil,
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        self.init(
            replaying: archive, matching: matching, masking: .standard, speed: speed, recordingOn: nil,
            clock: clock, at: CodeLocation(fileID, filePath, line, column))
    }

    /// - Parameter cassette: The cassette for requests that are not in the archive, or `nil` to fail them.
    convenience init(
        replaying archive: HAR, matching: HAR.Matching, masking: HAR.Masking, speed: Double?,
        recordingOn cassette: Cassette?, clock: any Clock<Duration>, at location: CodeLocation,
        unusedRecordings: Bool = false, isChecked: Bool = false
    ) {
        let check = isChecked ? RecordingCheck(masking) { await Passthrough.exchange(with: $0) } : nil
        var routes = archive.routes(matching, masking, speed, check, at: location)
        if let cassette {
            let reply = Reply(.passthrough(ExchangeRecorder(masking: masking, add: cassette.add)))
            routes.append(Route([], .sequence([reply]), at: location).optional())
        }
        self.init(
            routes, masking, clock: clock, conditions: .none, order: .any, at: location,
            unusedRecordings: unusedRecordings && cassette == nil, check: check)
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
