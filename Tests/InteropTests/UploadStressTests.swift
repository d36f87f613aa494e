import Foundation
import RESTClient
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

/// Uploads on connections that are closed, reset or cancelled (PLATFORM A22, A23). A defect ends the process.
@Suite(.serialized) struct UploadStressTests {
    /// The numbers of requests that the server has executed, one line each, when there are at least `count` of them:
    /// nginx writes a line after it has sent the response.
    private static func executed(from start: Int, count: Int) async throws -> [Substring] {
        let path = try #require(ProcessInfo.processInfo.environment["ITEMS_INTEROP_SINK_LOG"])
        while true {
            let lines = try String(contentsOfFile: path, encoding: .utf8).dropFirst(start)
                .split(separator: "\n")
            if lines.count >= count { return lines }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test(.running(.trusted), .hangLimit)
    func `requests on connections that nginx retires are executed once`() async throws {
        let start = try await Self.executed(from: 0, count: 0).reduce(0) { $0 + $1.count + 1 }
        let manager = SessionManager()
        let url = try Servers.trusted("/limited")
        let body = RequestBody.data(Data(repeating: UInt8(ascii: "x"), count: 3_000))
        let count = Servers.uploads
        var failures: [String] = []
        await withTaskGroup(of: String?.self) { group in
            for number in 0..<count {
                if number >= 16, case let failure?? = await group.next() { failures.append(failure) }
                group.addTask {
                    do {
                        let response = try await manager.request(
                            url, method: .post, headers: ["X-Id": "\(number)"], body: body
                        ).data()
                        let text = String(decoding: response, as: UTF8.self)
                        return text == "\(number)" ? nil : "\(number): \(text)"
                    } catch { return "\(number): \(error)" }
                }
            }
            for await failure in group { if let failure { failures.append(failure) } }
        }
        #expect(failures == [])
        let executed = try await Self.executed(from: start, count: count)
        #expect(executed.count == count)
        #expect(Set(executed).count == count)
    }

    /// The server ends connections before it reads, after the head, after the body, inside the response, or after it.
    @Test(.running(.trusted), .hangLimit)
    func `requests over HTTP/2 whose server closes connections at random are executed at most once`()
        async throws
    {
        let seen = LockedState<[Substring: Int]>([:])
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        let port = ProcessInfo.processInfo.environment["ITEMS_INTEROP_UPSTREAM"].flatMap { Int($0) }
        let server = try RawServer.serving(at: .ipv4(port: try #require(port))) { connection in
            while true {
                let ending = Int.random(in: 0..<16)
                let head = ending == 0 ? "" : connection.read(until: "\r\n\r\n")
                guard let id = head.lowercased().firstMatch(of: /x-id: (\d+)/)?.1 else { return }
                seen.withLock { $0[id, default: 0] += 1 }
                if ending == 1 { return }
                let length = head.lowercased().firstMatch(of: /content-length: (\d+)/)?.1
                _ = connection.read(length.flatMap { Int($0) } ?? 0)
                switch ending {
                case 2: return
                case 3: return connection.reset()
                case 4: return connection.send("HTTP/1.1 2")
                case 5: return connection.send(ok + "o")
                default: connection.send(ok + "ok")
                }
            }
        }
        let manager = SessionManager()
        let url = try Servers.trusted("/upstream/")
        let bodies = [nil, RequestBody.data(Data()), .data(Data(count: 3_000)), .data(Data(count: 300_000))]
        let next = LockedState((0..<3_000).makeIterator())
        let answered = LockedState(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    while let id = next.withLock({ $0.next() }) {
                        let request = manager.request(
                            url, method: id.isMultiple(of: 3) ? .patch : .post, headers: ["X-Id": "\(id)"],
                            body: bodies[id % bodies.count])
                        if (try? await request.data()) != nil { answered.withLock { $0 += 1 } }
                    }
                }
            }
        }
        let counts = seen.withLock { $0 }
        print("\(counts.count) of 3,000 requests executed, \(answered.withLock { $0 }) answered")
        #expect(server.connections > 0)
        #expect(counts.filter { $0.value > 1 } == [:])
        #expect(answered.withLock { $0 } > 1_000)
    }

    // MARK: Uploads that end early

    /// An upload that the server resets, that is cancelled, or whose total timeout elapses, at a random moment.
    struct Storm: Sendable, CustomTestStringConvertible {
        enum Ending: String, CaseIterable, Sendable { case reset, cancelled, deadline }
        enum Source: String, CaseIterable, Sendable { case file, stream, multipart }

        let ending: Ending
        let source: Source
        let size: Int
        let usesTLS: Bool

        var testDescription: String {
            "\(ending) of \(size >> 10) KB from \(source), \(usesTLS ? "TLS and HTTP/2" : "HTTP/1.1")"
        }

        static let all = [4 << 10, 8 << 20, 1 << 30].flatMap { size in
            [false, true].flatMap { usesTLS in
                Source.allCases.flatMap { source in
                    Ending.allCases.map { Storm(ending: $0, source: source, size: size, usesTLS: usesTLS) }
                }
            }
        }

        /// The body. A stream and a multipart body are copied to a temporary file before they are sent.
        func body(_ file: URL) -> RequestBody {
            switch source {
            case .file: return .file(file)
            case .multipart:
                return .multipart(.init("note", "tea"), .init("file", .file(file), filename: "tea.bin"))
            case .stream:
                let size = size
                return .stream {
                    AsyncStream(unfolding: { [count = LockedState(0)] in
                        let part = count.withLock { count in
                            defer { count += 1 << 16 }
                            return min(max(size - count, 0), 1 << 16)
                        }
                        return part > 0 ? Data(count: part) : nil
                    })
                }
            }
        }

        /// The number of uploads. Each copy of 1 GB takes seconds, so only a hundredth of those is made.
        var count: Int {
            size == 1 << 30 && source != .file ? max(1, Servers.endings / 100) : Servers.endings
        }

        func url() throws -> URL {
            let path = ending == .reset ? "/reset" : "/upload"
            return try usesTLS ? Servers.trusted(path) : Servers.nginx(path)
        }
    }

    @Test(.running(.trusted), .hangLimit, .enabled(if: Servers.endings > 0), arguments: Storm.all)
    func `an upload that is reset, cancelled or timed out ends once`(storm: Storm) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        try FileHandle(forUpdating: file).truncate(atOffset: UInt64(storm.size))
        let manager = SessionManager()
        let url = try storm.url()
        let longest = storm.size == 4 << 10 ? 5.0 : 60.0
        let before = try Self.memory(resettingPeak: true)
        var ended = 0
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<storm.count {
                if number >= 4, await group.next() == true { ended += 1 }
                group.addTask {
                    let delay = Duration.milliseconds(Double.random(in: 0..<longest))
                    var request = manager.request(url, method: .put, body: storm.body(file))
                    if storm.ending == .deadline { request = request.timeout(delay) }
                    let call = Task { [request] in try await request.data() }
                    if storm.ending == .cancelled {
                        // The moment is random by design.
                        try? await Task.sleep(for: delay)
                        call.cancel()
                    }
                    switch await call.result {
                    case .success: return storm.ending != .reset
                    case .failure(let error as RESTClientError):
                        return storm.ending == (error.kind == .timedOut(.total) ? .deadline : .reset)
                    case .failure(let error): return error is CancellationError && storm.ending == .cancelled
                    }
                }
            }
            for await isExpected in group where isExpected { ended += 1 }
        }
        #expect(ended == storm.count)
        #expect(try Self.memory(resettingPeak: false) - before < 64 << 20)
        await manager.shutdown()
    }

    @Test(
        .running(.trusted), .hangLimit, .enabled(if: Servers.endings > 0), arguments: Storm.Source.allCases,
        [false, true])
    func `a large upload uses bounded memory`(source: Storm.Source, usesTLS: Bool) async throws {
        let storm = Storm(ending: .cancelled, source: source, size: Servers.largeUpload, usesTLS: usesTLS)
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        try FileHandle(forUpdating: file).truncate(atOffset: UInt64(storm.size))
        let before = try Self.memory(resettingPeak: true)
        let request = SessionManager().request(
            try storm.url(), method: .put, headers: ["X-Id": "large"], body: storm.body(file))
        #expect(try await request.string() == "large")
        #expect(try Self.memory(resettingPeak: false) - before < 64 << 20)
    }

    @Test(.running(.trusted), .hangLimit)
    func `an upload over HTTP/2 that the server answers early ends with the response`() async throws {
        let manager = SessionManager(options: RequestOptions(timeouts: Timeouts(idle: .seconds(2))))
        let request = manager.request(
            try Servers.trusted("/early"), method: .put, body: .data(Data(count: 64 << 20)))
        #expect(try await request.string() == "early")
    }

    /// Returns the highest resident memory since the last reset, in bytes.
    private static func memory(resettingPeak: Bool) throws -> Int {
        if resettingPeak { try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) << 10
    }
}
