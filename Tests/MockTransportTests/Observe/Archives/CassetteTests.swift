import Foundation
import RESTClientHTTP
import RESTClientTestSupport
import RESTClientTestingSupport
import Testing

@testable import MockTransport

@Suite struct CassetteTests {
    private let temporary = TemporaryPath(".har")
    private var file: URL { temporary.url }
    private let shop = MockServer {
        Route("/tea") { Reply.text("green") }
        Route("/milk") { Reply.text("oat") }
    }

    @Test(arguments: [MockServer.RecordMode.once, .never])
    func `a cassette that mode once has recorded is replayed, and no request is sent`(
        mode: MockServer.RecordMode
    ) async throws {
        let loopback = try await shop.listen()
        let tea = loopback.url.appending(path: "tea").absoluteString
        let recorder = try MockServer(cassette: file)
        #expect(try await recorder.text(tea) == "green")
        let bytes = try Data(contentsOf: file)
        let replay = try MockServer(cassette: file, mode: mode)
        #expect(try await replay.text(tea) == "green")
        let milk = loopback.url.appending(path: "milk").absoluteString
        await #expect(throws: MockServerError.self) { try await replay.text(milk) }
        #expect(shop.requests.count == 1)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test func `mode never requires a cassette`() {
        let error = #expect(throws: MockServerError.self) { try MockServer(cassette: file, mode: .never) }
        let isExpected = if case .cassette(.missing(file)) = error?.kind { true } else { false }
        #expect(isExpected)
        #expect(
            error?.description
                == "there is no cassette at \(file.path): record it with mode .once on a machine with network access"
        )
    }

    @Test func `a cassette with recorded times replays with them`() async throws {
        let slow = MockServer(clock: VirtualClock()) {
            Route("/tea") { Reply.text("green").delay(.seconds(5)) }
        }
        _ = try await slow.text("http://shop.example/tea")
        try slow.recording.write(to: file, times: .recorded)
        let clock = VirtualClock(.stepped)
        let replay = try MockServer(cassette: file, mode: .never, speed: 0.5, clock: clock)
        async let text = replay.text("http://shop.example/tea")
        #expect(try await clock.advance() == .seconds(10))
        #expect(try await text == "green")
    }

    @Test func `concurrent requests are all recorded`() async throws {
        let shop = MockServer { Route("/at/:n") { request in .text(request["n"] ?? "") } }
        let loopback = try await shop.listen()
        let visit = { (server: MockServer) in
            try await withThrowingTaskGroup(of: String.self) { group in
                for n in 0..<40 {
                    group.addTask {
                        try await server.text(loopback.url.appending(path: "at/\(n)").absoluteString)
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        let live = try await visit(MockServer(cassette: file, mode: .always))
        let bytes = try Data(contentsOf: file)
        #expect(live.count == 40)
        #expect(try await visit(MockServer(cassette: file, mode: .never)) == live)
        #expect(try await visit(MockServer(cassette: file, mode: .always)) == live)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test(arguments: [
        (MockServer.RecordMode.newRequests, ["/tea", "/milk"], ["/milk", "/tea"]),
        (.always, ["/tea", "/milk", "/tea"], ["/tea"]),
    ])
    func `mode newRequests adds missing exchanges, and mode always replaces the cassette`(
        mode: MockServer.RecordMode, sent: [String], recorded: [String]
    ) async throws {
        let loopback = try await shop.listen()
        for path in ["tea", "milk", "tea"] {
            let server = try MockServer(cassette: file, mode: mode)
            _ = try await server.text(loopback.url.appending(path: path).absoluteString)
        }
        #expect(shop.requests.map(\.url.path) == sent)
        #expect(try HAR(contentsOf: file).entries.map(\.request.url.path) == recorded)
    }

    @Test func `a cassette that cannot be written fails the request`() async throws {
        let loopback = try await shop.listen()
        let nowhere = file.appending(path: "no/such/folder.har")
        let server = try MockServer(cassette: nowhere)
        let error = await #expect(throws: MockServerError.self) {
            try await server.text(loopback.url.appending(path: "tea").absoluteString)
        }
        let isExpected = if case .cassette(.unwritable(nowhere, _)) = error?.kind { true } else { false }
        #expect(isExpected)
    }

    @Test func `an invalid cassette reports the path of the problem`() throws {
        try Data("{\"log\":{\"entries\":7}}".utf8).write(to: file)
        let error = #expect(throws: HARError.self) { try MockServer(cassette: file) }
        #expect(error?.description == "\(file.lastPathComponent): log.entries is a number, not an array")
    }

    @Test
    func `a large cassette is written when it has grown by half, and when its server ends`() async throws {
        // Not text, which would be searched for secrets.
        let body = Data(repeating: 0xFF, count: 200 << 10)
        func entry(_ number: Int, token: String) -> HAR.Entry {
            HAR.Entry(
                HAR.Request(
                    url: URL(literal: "http://a/").appending(path: "\(number)"), headers: ["X-Trace": token]),
                HAR.Response(
                    status: 200, headers: ["Content-Type": "image/png"], chunks: [HAR.Chunk(data: body)]))
        }
        let recording = RecordedFile(file, initial: HAR(), times: .stable)
        var cassette: Cassette? = Cassette(recording, masking: .headers("X-Late"))
        var counts: [Int] = []
        for number in 0..<9 {
            try cassette?.add(entry(number, token: "oolong-12345"))
            counts.append(try Data(contentsOf: file).count(ofBytes: Data("startedDateTime".utf8)))
        }
        #expect(counts == [1, 2, 3, 3, 5, 5, 5, 8, 8])
        // A secret that a later exchange names is masked in those that were written before.
        var last = entry(9, token: "")
        last.request.headers["X-Late"] = "oolong-12345"
        try cassette?.add(last)
        cassette = nil
        #expect(try !Data(contentsOf: file).contains(bytes: Data("oolong-12345".utf8)))
        #expect(try HAR(contentsOf: file).entries.map(\.request.url.path) == (0..<10).map { "/\($0)" })
    }

    @Test(.hangLimit) func `closures of a masking can use the cassette`() throws {
        let shared = LockedState<RecordedFile?>(nil)
        let counts = LockedState<[Int]>([])
        let count = { @Sendable in
            guard let file = shared.withLock({ $0 }) else { return }
            let recorded = file.archive.entries.count
            counts.withLock { $0.append(recorded) }
        }
        let masking = HAR.Masking.standard.transformRequests { _ in count() }.transformResponses { _ in
            count()
        }
        let entry = HAR.Entry(HAR.Request(url: URL(literal: "http://a/")))
        let recording = RecordedFile(file, initial: HAR([entry]), times: .stable)
        shared.withLock { $0 = recording }
        try Cassette(recording, masking: masking).add(entry)
        // Both exchanges, the recorded one and that of the file, are masked before the recorded one is added.
        #expect(counts.withLock { $0 } == [1, 1, 1, 1])
    }

    @Test(.hangLimit)
    func `exchanges of the file that another server masks at the same time are masked again`() throws {
        @Sendable func entry(_ query: String) -> HAR.Entry {
            HAR.Entry(HAR.Request(url: URL(literal: "http://a/").appending(path: query)))
        }
        let other = LockedState<Cassette?>(nil)
        let hasInterrupted = LockedState(false)
        // The other server masks the exchange of the file while this one masks it.
        let masking = HAR.Masking.standard.transformRequests { request in
            guard request.url.path == "/file" else { return }
            let isFirst = hasInterrupted.withLock { hasInterrupted in
                defer { hasInterrupted = true }
                return !hasInterrupted
            }
            if isFirst { try? other.withLock { $0 }?.add(entry("other")) }
            request.headers["X-Mine"] = "***"
        }
        let recording = RecordedFile(file, initial: HAR([entry("file")]), times: .stable)
        let theirs = HAR.Masking.standard.transformRequests { $0.headers["X-Theirs"] = "***" }
        other.withLock { $0 = Cassette(recording, masking: theirs) }
        try Cassette(recording, masking: masking).add(entry("mine"))
        let recorded = recording.archive.entries
        #expect(recorded.map(\.request.url.path) == ["/file", "/other", "/mine"])
        #expect(recorded.first?.request.headers["X-Mine"] == "***")
        #expect(recorded.first?.request.headers["X-Theirs"] == "***")
    }

    @Test(arguments: [true, false])
    func `a recording is private, keeps a mode that it was given, and is replaced behind a link`(
        isCassette: Bool
    ) async throws {
        let folder = file.deletingPathExtension()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, link) = (folder.appending(path: "tea.har"), folder.appending(path: "link.har"))
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "tea.har")
        let loopback = try await shop.listen()
        func write() async throws {
            guard isCassette else { return try shop.recording.write(to: link) }
            let recorder = try MockServer(cassette: link, mode: .always)
            _ = try await recorder.text(loopback.url.appending(path: "tea").absoluteString)
        }
        for mode: mode_t in [0o600, 0o640] {
            try await write()
            var status = stat()
            #expect(lstat(file.path, &status) == 0 && status.st_mode & 0o7777 == mode)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "tea.har")
            #expect(try HAR(contentsOf: link).entries.count == (isCassette ? 1 : 0))
            chmod(file.path, 0o640)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    @Test func `a recording does not replace a pipe`() throws {
        #expect(mkfifo(file.path, 0o600) == 0)
        let error = #expect(throws: (any Error).self) { try shop.recording.write(to: file) }
        #expect(error?.localizedDescription == "the target is not a regular file")
        var status = stat()
        #expect(lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }
}
