import Foundation
import MockTransport
import RESTClient
import RESTClientTestingSupport
import Testing

@Suite struct ProgressTests {
    private static func request(_ server: MockServer, body: RequestBody? = nil) throws -> DataRequest {
        return server.manager().request(
            "http://shop.example/items", method: body == nil ? .get : .put, body: body)
    }

    private static let size = 100_000

    private static func server() -> MockServer {
        MockServer {
            Route(.any) {
                Reply.text(String(repeating: "x", count: size)).dribble(chunks: 10, over: .zero).repeats()
            }
        }
    }

    @MainActor final class Model {
        var fraction: Double?
        var reports = 0

        func load(_ request: DataRequest) async throws {
            _ = try await request.progress {
                self.fraction = $0.fractionReceived
                self.reports += 1
            }.data()
        }
    }

    @Test @MainActor func `a handler in main actor code runs on the main actor`() async throws {
        let model = Model()
        let server = Self.server()
        try await model.load(Self.request(server))
        #expect(model.fraction == 1)
        #expect(model.reports > 0)
    }

    @Test(.hangLimit, arguments: ["data", "stream", "download", "failure", "unsent"])
    func `the progress sequence ends with the request, after its last report`(end: String) async throws {
        let server = Self.server()
        let scratch = try ScratchDirectory()
        let file = scratch.url.appending(path: "items")
        // A slow handler delays the last report.
        var (request, progress) = try Self.request(server).progress { _ in Thread.sleep(forTimeInterval: 0.02)
        }.progressSequence()
        switch end {
        case "data": _ = try await request.data()
        case "stream": for try await _ in try await request.stream().body {}
        case "download": _ = try await request.download(to: file)
        case "failure": _ = try? await request.validation(Validation(status: 300..<400)).data()
        default: request = try Self.request(server)
        }
        var last: TransferProgress?
        for await report in progress { last = report }
        #expect((last?.received ?? 0) == (end == "unsent" ? 0 : Int64(Self.size)))
    }

    @Test func `reports are delivered one at a time`() async throws {
        let server = Self.server()
        let running = LockedState((now: 0, most: 0))
        _ = try await Self.request(server).progress { _ in
            running.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            Thread.sleep(forTimeInterval: 0.02)
            running.withLock { $0.now -= 1 }
        }.data()
        #expect(running.withLock { $0.most } == 1)
    }

    @Test func `several handlers receive the same reports`() async throws {
        let server = Self.server()
        let sums = LockedState([Int64(0), 0])
        _ = try await Self.request(server).progress { report in sums.withLock { $0[0] = report.received } }
            .progress { report in sums.withLock { $0[1] = report.received } }.data()
        #expect(sums.withLock { $0 } == [Int64(Self.size), Int64(Self.size)])
    }

    @Test func `an upload to a mock server reports that its body was sent`() async throws {
        let scratch = try ScratchDirectory()
        let file = scratch.url.appending(path: "tea")
        try Data(repeating: 7, count: 10).write(to: file)
        let server = Self.server()
        for body in [RequestBody.data(Data(count: 10)), .file(file)] {
            let last = LockedState(TransferProgress())
            _ = try await Self.request(server, body: body).progress { report in last.withLock { $0 = report }
            }.data()
            #expect(last.withLock { $0.sent } == 10)
            #expect(last.withLock { $0.fractionSent } == 1)
        }
    }

    @Test(arguments: [(5, 10, 0.5), (0, 0, 1), (20, 10, 1), (5, nil, nil)] as [(Int64, Int64?, Double?)])
    func `a fraction is between 0 and 1, or unknown`(count: Int64, total: Int64?, fraction: Double?) {
        let progress = TransferProgress(sent: count, toSend: total, received: count, toReceive: total)
        #expect(progress.fractionSent == fraction)
        #expect(progress.fractionReceived == fraction)
        #expect(progress.fractionCompleted == fraction ?? 0)
    }

    @Test func `a fraction of lengths whose sum is too large for an integer is between 0 and 1`() {
        let progress = TransferProgress(sent: 13, toSend: 13, received: 5, toReceive: .max)
        #expect((0...1).contains(progress.fractionCompleted))
    }

    @Test func `the counts start at zero with each attempt`() async throws {
        let server = MockServer {
            Route(.any) {
                Reply.data(Data(count: 1_000), status: 503).header("Retry-After", "0")
                Reply.text("tea")
            }
        }
        let reports = LockedState<[TransferProgress]>([])
        _ = try await Self.request(server, body: .data(Data(count: 10))).interceptors(.retry()).progress {
            report in reports.withLock { $0.append(report) }
        }.data()
        let last = try #require(reports.withLock(\.last))
        #expect(last == TransferProgress(sent: 10, toSend: 10, received: 3, toReceive: 3))
    }
}
