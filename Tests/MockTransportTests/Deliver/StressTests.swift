import Dispatch
import Foundation
import RESTClientHTTP
import MockTransport
import RESTClientTestSupport
import Testing

/// Cancellation, invalidation and deallocated servers during requests.
@Suite struct StressTests {
    private let cancels = DispatchQueue(label: "StressTests.cancels")

    /// Returns a server with delayed, streamed, handled and failing replies of a few milliseconds.
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

    /// Runs 64 tasks, each with random numbers of its own.
    private func run(
        _ seed: UInt64, _ lane: @escaping @Sendable (Int, inout SeededGenerator) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(number))
                    try await lane(number, &random)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `every task ends exactly once, regardless of when it is cancelled`(seed: UInt64) async throws {
        let server = server()
        let recorder = Recorder()
        let session = server.session(recorder, isInline: true)
        defer { session.finishTasksAndInvalidate() }
        let cancelled = LockedState(0)
        try await run(seed) { [paths, cancels] lane, random in
            for _ in 0..<6 {
                let path = paths.randomElement(using: &random) ?? "now"
                let task = session.dataTask(with: try #require(URL(string: "http://stress.example/\(path)")))
                if Bool.random(using: &random) {
                    let after = Int.random(in: 0..<5_000, using: &random)
                    let deadline: DispatchTime = .now() + DispatchTimeInterval.microseconds(after)
                    cancels.asyncAfter(deadline: deadline) { task.cancel() }
                }
                let transcript = await recorder.run(task)
                #expect(transcript.ends == 1, "seed \(seed), lane \(lane)")
                let code: URLError.Code? = (transcript.error as? URLError)?.code
                if code == .cancelled {
                    cancelled.withLock { (count: inout Int) in count += 1 }
                } else if path == "error" {
                    #expect(code == .networkConnectionLost)
                } else {
                    #expect(transcript.error == nil)
                    #expect(transcript.lines.first == .head(200))
                }
            }
        }
        let count: Int = cancelled.withLock { $0 }
        #expect(count > 38)
    }

    /// The platform may release the delegate before a task ends, so not every end is observed.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a session can be invalidated at any time`(seed: UInt64) async throws {
        let server = server()
        try await run(seed) { [paths, cancels] _, random in
            let recorder = Recorder()
            let session = server.session(recorder, isInline: true)
            let path = paths.randomElement(using: &random) ?? "now"
            let task = session.dataTask(with: try #require(URL(string: "http://stress.example/\(path)")))
            let after = Int.random(in: 0..<5_000, using: &random)
            task.resume()
            await recorder.invalidated {
                cancels.asyncAfter(deadline: .now() + .microseconds(after)) { session.invalidateAndCancel() }
            }
            #expect(recorder.transcript(of: task)?.ends ?? 0 <= 1)
        }
        // A late event would trap in the platform, so another request waits for it.
        #expect(try await server.text("http://stress.example/chunks") == "chunkchunkchunkchunk")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a server can be deallocated at any time`(seed: UInt64) async throws {
        try await run(seed) { [self] _, random in
            let holder = LockedState<MockServer?>(server())
            guard let configuration = holder.withLock({ $0?.configuration }) else { return }
            let recorder = Recorder()
            let session = URLSession(
                configuration: configuration, delegate: recorder, delegateQueue: InlineQueue())
            defer { session.finishTasksAndInvalidate() }
            let path = paths.randomElement(using: &random) ?? "now"
            let task = session.dataTask(with: try #require(URL(string: "http://stress.example/\(path)")))
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
            if let error = transcript.error as? MockServerError { #expect(error.isServerGone) }
        }
    }
}
