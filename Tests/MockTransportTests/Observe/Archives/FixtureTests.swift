import Foundation
import RESTClientHTTP
import Testing

@testable import MockTransport

@Suite struct FixtureTests {
    private let temporary = TemporaryPath()
    private var folder: URL { temporary.url }
    private let shop = MockServer {
        Route("/tea") { Reply.text("green") }
        Route("/milk") { Reply.text("oat") }
    }

    private func fixture(_ name: String = "shop") -> Fixture {
        Fixture(name, beside: folder.appending(path: "ShopTests.swift").path, in: nil)
    }

    private func entry(_ request: HAR.Request, _ body: String = "") -> HAR.Entry {
        HAR.Entry(request, HAR.Response(status: 200, chunks: [HAR.Chunk(data: Data(body.utf8))]))
    }

    /// Writes the fixture, and returns its file.
    private func write(_ request: HAR.Request, _ body: String = "") throws -> URL {
        let file = fixture().file
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try HAR([entry(request, body)]).write(to: file)
        return file
    }

    /// Opens the fixture and requests `path` through a server for it.
    private func text(
        _ path: String, of loopback: LoopbackServer, _ mode: MockServer.RecordMode, maxDays: Int? = nil,
        now: Date = Date(), masking: HAR.Masking = .standard
    ) async throws -> String {
        try await server(mode, maxDays: maxDays, now: now, masking).text("\(loopback.url)/\(path)")
    }

    private func server(
        _ mode: MockServer.RecordMode, maxDays: Int? = nil, now: Date = Date(), _ masking: HAR.Masking
    ) throws -> MockServer {
        let (archive, cassette) = try fixture().open(mode, masking, maxDays: maxDays, now: now)
        return MockServer(
            replaying: archive, matching: .exact, masking: masking, speed: nil, recordingOn: cassette,
            clock: ContinuousClock(), at: CodeLocation(#fileID, #filePath, #line, #column))
    }

    @Test func `a fixture is in the folder Fixtures beside the test`() {
        #expect(fixture().file.path == folder.appending(path: "Fixtures/shop.har").path)
        #expect(fixture("a/b.har").file.path == folder.appending(path: "Fixtures/a/b.har").path)
    }

    @Test(arguments: ["Fixtures/shop.har", "shop.har"])
    func `a fixture in a bundle is used if there is none beside the test`(path: String) throws {
        let copy = folder.appending(path: "Tests.bundle").appending(path: path)
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        let entry = entry(HAR.Request(url: URL(literal: "http://copy/")), "copy")
        try HAR([entry]).write(to: copy)
        let bundle = try #require(Bundle(url: folder.appending(path: "Tests.bundle")))
        let fixture = Fixture("shop", beside: folder.appending(path: "ShopTests.swift").path, in: bundle)
        #expect(try fixture.open(.never, .standard, maxDays: nil).0.entries == [entry])
        let other = HAR.Request(url: URL(literal: "http://other/"))
        _ = try write(other)
        #expect(try fixture.open(.never, .standard, maxDays: nil).0.entries.map(\.request) == [other])
    }

    @Test func `a missing fixture says how to record it`() {
        let error = #expect(throws: MockServerError.self) {
            try fixture().open(.never, .standard, maxDays: nil)
        }
        #expect(
            error?.description == """
                there is no fixture at \(fixture().file.path): record it on a machine with network access, with \
                MOCK_RECORD=once in the environment
                """)
    }

    @Test func `servers of one process record on the same fixture`() async throws {
        let loopback = try await shop.listen()
        #expect(try await text("tea", of: loopback, .once) == "green")
        #expect(try await text("milk", of: loopback, .once) == "oat")
        #expect(try await text("tea", of: loopback, .once) == "green")
        #expect(shop.requests.count == 2)
        #expect(try HAR(contentsOf: fixture().file).entries.map(\.request.url.path) == ["/milk", "/tea"])
        #expect(try await text("tea", of: loopback, .never) == "green")
    }

    @Test func `mode always replaces the fixture once in a process, and sends all requests`() async throws {
        let file = try write(HAR.Request(url: URL(literal: "http://old/")))
        let loopback = try await shop.listen()
        for path in ["tea", "milk", "tea"] { _ = try await text(path, of: loopback, .always) }
        #expect(shop.requests.count == 3)
        #expect(try HAR(contentsOf: file).entries.map(\.request.url.path) == ["/milk", "/tea", "/tea"])
    }

    @Test func `each server of a fixture masks its own exchanges`() async throws {
        let loopback = try await shop.listen()
        _ = try await text("milk?phone=555&email=open", of: loopback, .always)
        _ = try await text(
            "tea?phone=556&email=oolong", of: loopback, .always,
            masking: .members("email").transformResponses { $0.headers["X-Masked"] = "yes" })
        _ = try await text("tea?phone=557", of: loopback, .always, masking: .members("phone"))
        let entries = try HAR(contentsOf: fixture().file).entries
        #expect(
            entries.map(\.request.url.query) == ["phone=555&email=open", "phone=***", "phone=556&email=***"])
        #expect(entries.map { $0.response.headers["X-Masked"] } == [nil, nil, "yes"])
    }

    @Test func `a value that one server of a fixture masks is masked in the exchanges of the others`()
        async throws
    {
        let loopback = try await shop.listen()
        _ = try await text("milk?from=oolong-12345", of: loopback, .always)
        _ = try await text("tea?email=oolong-12345", of: loopback, .always, masking: .members("email"))
        let recorded = try String(contentsOf: fixture().file, encoding: .utf8)
        #expect(!recorded.contains("oolong-12345"))
        #expect(recorded.contains("from=***"))
    }

    @Test func `exchanges of the file are masked by each server that records`() async throws {
        let file = try write(HAR.Request(url: URL(literal: "http://old/?email=ann&phone=556")))
        let loopback = try await shop.listen()
        let changed = HAR.Masking.members("email").transformResponses { $0.status = 204 }
        _ = try await text("tea", of: loopback, .newRequests, masking: changed)
        _ = try await text("milk", of: loopback, .newRequests, masking: .members("phone"))
        let entries = try HAR(contentsOf: file).entries
        #expect(
            entries.map { $0.request.url.query ?? $0.request.url.path }
                == ["/milk", "/tea", "email=***&phone=***"])
        #expect(entries.map(\.response.status) == [200, 204, 204])
    }

    @Test func `a secret that only a closure finds is removed from the exchanges of the file`() async throws {
        let old = HAR.Request(
            method: .post, url: URL(literal: "http://old/members/ann"), body: Data("I am Ann".utf8))
        let file = try write(old, "hello ann")
        let loopback = try await shop.listen()
        let calls = LockedState(0)
        let masking = HAR.Masking.standard
            .transformRequests { request in
                if request.url.path.hasPrefix("/members/") {
                    calls.withLock { $0 += 1 }
                    request.url = URL(literal: "http://old/members/***")
                }
                request.body = Data()
            }
            .transformResponses { response in
                if response.body.starts(with: Data("hello".utf8)) {
                    response.chunks = [HAR.Chunk(data: Data("hello ***".utf8))]
                }
            }
        let server = try server(.newRequests, masking)
        let before = calls.withLock { $0 }
        for path in ["tea", "milk"] { _ = try await server.text("\(loopback.url)/\(path)") }
        let recorded = try String(contentsOf: file, encoding: .utf8)
        #expect(!recorded.lowercased().contains("ann"), "\(recorded)")
        #expect(recorded.contains("http://old/members/***"))
        #expect(try HAR(contentsOf: file).entries.count == 3)
        #expect(calls.withLock { $0 } == before + 1, "the exchanges of the file are masked once")
    }

    @Test func `a fixture older than the limit fails`() async throws {
        let loopback = try await shop.listen()
        let start = Date(timeIntervalSince1970: 1_772_600_767)
        #expect(try await text("tea", of: loopback, .once, maxDays: 30, now: start) == "green")
        func open(after days: Double) throws {
            _ = try fixture().open(
                .never, .standard, maxDays: 30, now: start.addingTimeInterval(days * 86_400))
        }
        try open(after: 30)
        let error = #expect(throws: MockServerError.self) { try open(after: 31) }
        #expect(
            error?.description == """
                the fixture \(fixture().file.path) was recorded 31 days ago, and may have at most 30 days: record it \
                again with MOCK_RECORD=always in the environment
                """)
    }

    @Test func `a fixture without a day of recording fails if there is a limit`() async throws {
        let loopback = try await shop.listen()
        _ = try await text("tea", of: loopback, .once)
        let error = #expect(throws: MockServerError.self) {
            try fixture().open(.never, .standard, maxDays: 30)
        }
        #expect(error?.description.contains("has no day of recording") == true)
    }

    @Test(arguments: [
        (nil, MockServer.RecordMode.never), ("never", .never), ("once", .once), ("new", .newRequests),
        ("ALWAYS", .always),
    ])
    func `an environment variable selects the requests to record`(
        value: String?, mode: MockServer.RecordMode
    ) throws {
        #expect(try MockServer.RecordMode.environment(value.map { ["MOCK_RECORD": $0] } ?? [:]) == mode)
    }

    @Test func `an unknown value of the environment variable is an error`() {
        let error = #expect(throws: MockServerError.self) {
            try MockServer.RecordMode.environment(["MOCK_RECORD": "yes"])
        }
        #expect(
            error?.description
                == #"the environment variable MOCK_RECORD must be never, once, new, always or check, not "yes""#
        )
    }
}
