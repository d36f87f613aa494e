import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Cancels, invalidations and vanishing servers in the middle of everything.
@Suite struct StressTests {
    private let cancels = DispatchQueue(label: "StressTests.cancels")

    /// A server whose replies wait, flow and end in every way, each some milliseconds long.
    private func server() -> MockServer {
        MockServer {
            Route(.get, "/now") { Reply.text("now") }.optional()
            Route(.get, "/delayed") { Reply.text("delayed").delay(.milliseconds(2)) }.optional()
            Route(.get, "/chunks") { _ in
                .stream(
                    AsyncStream<Data> { continuation in
                        Task {
                            for _ in 0..<4 {
                                continuation.yield(Data("chunk".utf8))
                                try? await Task.sleep(for: .microseconds(500))
                            }
                            continuation.finish()
                        }
                    })
            }.optional()
            Route(.get, "/handler") { _ in
                try await Task.sleep(for: .milliseconds(1))
                return .text("handler").delay(.milliseconds(1))
            }.optional()
            Route(.get, "/error") { Reply.error(URLError(.networkConnectionLost)).delay(.milliseconds(1)) }
                .optional()
        }
    }

    private let paths = ["now", "delayed", "chunks", "handler", "error"]

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every task ends once, whenever it is cancelled`(seed: UInt64) async throws {
        let server = server()
        let recorder = Recorder()
        let session = URLSession(
            configuration: server.configuration, delegate: recorder, delegateQueue: InlineQueue())
        defer { session.finishTasksAndInvalidate() }
        let random = LockedState(SeededGenerator(seed: seed))
        let cancelled = LockedState(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<64 {
                group.addTask {
                    for _ in 0..<25 {
                        let (path, cancelAfter) = random.withLock { random in
                            (
                                paths.randomElement(using: &random) ?? "now",
                                Bool.random(using: &random) ? Int.random(in: 0..<5_000, using: &random) : nil
                            )
                        }
                        let url = try #require(URL(string: "http://stress.example/\(path)"))
                        let task = session.dataTask(with: url)
                        if let cancelAfter {
                            cancels.asyncAfter(deadline: .now() + .microseconds(cancelAfter)) {
                                task.cancel()
                            }
                        }
                        let transcript = await recorder.run(task)
                        #expect(transcript.ends == 1, "seed \(seed), lane \(lane)")
                        if (transcript.error as? URLError)?.code == .cancelled {
                            cancelled.withLock { $0 += 1 }
                        } else if path == "error" {
                            #expect((transcript.error as? URLError)?.code == .networkConnectionLost)
                        } else {
                            #expect(transcript.error == nil)
                            #expect(transcript.lines.first == .head(200))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(cancelled.withLock { $0 } > 64 * 25 / 10)
    }

    /// The platform may let go of the delegate before a task is done, and then nobody is told of its end.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a session may be invalidated at any moment`(seed: UInt64) async throws {
        let server = server()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<64 {
                group.addTask {
                    var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(lane))
                    let recorder = Recorder()
                    let session = URLSession(
                        configuration: server.configuration, delegate: recorder, delegateQueue: InlineQueue())
                    let path = paths.randomElement(using: &random) ?? "now"
                    let task = session.dataTask(
                        with: try #require(URL(string: "http://stress.example/\(path)")))
                    let after = Int.random(in: 0..<5_000, using: &random)
                    task.resume()
                    await recorder.invalidated {
                        cancels.asyncAfter(deadline: .now() + .microseconds(after)) {
                            session.invalidateAndCancel()
                        }
                    }
                    #expect(recorder.transcript(of: task)?.ends ?? 0 <= 1)
                }
            }
            try await group.waitForAll()
        }
        // Whatever came late would be a trap in the platform: give it the time to come.
        #expect(try await server.text("http://stress.example/chunks") == "chunkchunkchunkchunk")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a server may go at any moment`(seed: UInt64) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<64 {
                group.addTask {
                    var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(lane))
                    let holder = LockedState<MockServer?>(server())
                    guard let configuration = holder.withLock({ $0?.configuration }) else { return }
                    let recorder = Recorder()
                    let session = URLSession(
                        configuration: configuration, delegate: recorder, delegateQueue: InlineQueue())
                    defer { session.finishTasksAndInvalidate() }
                    let path = paths.randomElement(using: &random) ?? "now"
                    let task = session.dataTask(
                        with: try #require(URL(string: "http://stress.example/\(path)")))
                    let after = Int.random(in: 0..<5_000, using: &random)
                    cancels.asyncAfter(deadline: .now() + .microseconds(after)) {
                        let gone = holder.withLock { server in
                            defer { server = nil }
                            return server
                        }
                        withExtendedLifetime(gone) {}
                    }
                    let transcript = await recorder.run(task)
                    #expect(transcript.ends == 1)
                    if let error = transcript.error as? MockServerError { #expect(error.kind == .serverGone) }
                }
            }
            try await group.waitForAll()
        }
    }
}
