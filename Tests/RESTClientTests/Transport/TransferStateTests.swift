import Foundation
import RESTClientPlatform
import Testing

@testable import RESTClient

/// What no test of a whole request shows on each platform.
@Suite struct TransferStateTests {
    private typealias Outcome = Result<TransportResponse, any Error>

    /// The outcomes that the caller of a transfer received.
    private final class Caller: Sendable {
        private let received = LockedState<[Outcome]>([])

        func receive(_ outcome: Outcome) { received.withLock { $0.append(outcome) } }

        var outcomes: [Outcome] { received.withLock { $0 } }
        var outcome: Outcome? { outcomes.first }
        var isStreaming: Bool { (try? outcome?.get()).map { $0.body == nil } ?? false }

        var kind: RESTClientError.Kind? {
            if case .failure(let error as TransportError) = outcome { error.kind } else { nil }
        }
    }

    private let caller = Caller()

    private func started(
        isStreamed: Bool = false, awaitsShortBody: Bool = false,
        setPaused: (@Sendable (Bool) -> Void)? = nil
    ) -> TransferState {
        var state = TransferState(isStreamed: isStreamed, awaitsShortBody: awaitsShortBody)
        let caller = caller
        #expect(state.start(at: .zero, hasBegun: true, setPaused: setPaused) { caller.receive($0) })
        return state
    }

    private static func head(
        _ status: Int = 200, _ fields: KeyValuePairs<String, String> = [:]
    ) -> ReceivedHead {
        ReceivedHead(status: status, fields: fields.map { ReceivedHead.Field(name: $0, value: $1) })
    }

    // MARK: Buffered bodies

    @Test func `a transfer that was cancelled before its start does not start`() {
        var state = TransferState(isStreamed: false)
        #expect(state.end(CancellationError()).hasEnded)
        #expect(!state.start(at: .zero, hasBegun: true, setPaused: nil) { _ in })
    }

    @Test func `the deadline of a transfer that is being started is kept`() {
        var state = TransferState(isStreamed: false, deadline: .seconds(1))
        let check = state.checkDeadline(at: .seconds(2))
        #expect(!check.effects.hasEnded)
        #expect(check.next != nil)
    }

    @Test(arguments: ["5, 7", "x", "-1", "+3"])
    func `a response with an invalid length is an error`(length: String) {
        var state = started()
        state.receive(Self.head(200, ["Content-Length": length]), at: .zero).perform()
        #expect(caller.kind == .invalidResponse(.invalidContentLength(length)))
    }

    @Test(arguments: [302, 404, 503], [false, true])
    func `the body of a redirect or of an error is received for 10 seconds or up to 1 MB`(
        status: Int, isLarge: Bool
    ) throws {
        var state = started()
        state.receive(Self.head(status, ["Location": "/a"]), at: .seconds(5)).perform()
        state.receive(Data("a".utf8), at: .seconds(14)).perform()
        #expect(caller.outcome == nil)
        state.receive(Data(count: isLarge ? 1 << 20 : 1), at: .seconds(isLarge ? 14 : 16)).perform()
        let response = try #require(try caller.outcome?.get())
        #expect(response.body?.count == (isLarge ? 1 << 20 : 1) + 1)
    }

    @Test func `the body of a streamed error ends after 10 seconds`() throws {
        var state = started(isStreamed: true)
        state.receive(Self.head(503), at: .seconds(5)).perform()
        state.receive(Data("a".utf8), at: .seconds(16)).perform()
        #expect(state.phase == .ended)
        #expect(try state.read(after: nil) == [Data("a".utf8)])
        #expect(try state.read(after: nil) == [])
    }

    @Test func `a body that is accepted is received without a limit of time`() {
        var state = started()
        state.receive(Self.head(), at: .zero).perform()
        state.receive(Data("a".utf8), at: .seconds(1_000)).perform()
        #expect(caller.outcome == nil)
    }

    @Test func `a response without a head is an error`() {
        var state = started()
        state.complete(nil, nil, limitsConnectTime: false).perform()
        #expect(caller.kind == .invalidResponse(.notHTTP))
    }

    // MARK: Streamed bodies

    @Test func `a waiting reader gets the next chunk, and a second one an error`() throws {
        var state = started(isStreamed: true)
        state.receive(Self.head(), at: .zero).perform()
        let results = LockedState<[Result<[Data], any Error>]>([])
        let reader = TransferState.Reader(count: nil) { result in results.withLock { $0.append(result) } }
        state.wait(reader).perform()
        state.wait(reader).perform()
        #expect(results.withLock { $0.count } == 1)
        #expect(throws: BodyAlreadyRead.self) { try results.withLock { $0.first }?.get() }
        state.receive(Data("tea".utf8), at: .zero).perform()
        #expect(try results.withLock { $0.last }?.get() == [Data("tea".utf8)])
    }

    @Test func `a short response that comes before the end of the request is delivered at once`() throws {
        var state = started(isStreamed: true, awaitsShortBody: true)
        state.receive(Self.head(200, ["Content-Length": "3"]), at: .zero).perform()
        state.send(10, of: 20, at: .zero).perform()
        #expect(caller.isStreaming)
    }

    @Test func `a short body is data if it is complete, and a stream if it breaks off`() throws {
        for error in [nil, URLError(.networkConnectionLost)] {
            var state = started(isStreamed: true, awaitsShortBody: true)
            state.receive(Self.head(200, ["Content-Length": "3"]), at: .zero).perform()
            state.receive(Data((error == nil ? "tea" : "te").utf8), at: .zero).perform()
            state.complete(nil, error, limitsConnectTime: false).perform()
        }
        #expect(try caller.outcomes.map { try $0.get().body } == [Data("tea".utf8), nil])
    }

    @Test func `a full buffer does not pause the transfer while a reader waits for what follows`() throws {
        let pauses = LockedState<[Bool]>([])
        var state = started(isStreamed: true) { isPaused in pauses.withLock { $0.append(isPaused) } }
        state.receive(Self.head(), at: .zero).perform()
        state.receive(Data(count: 1 << 20), at: .zero).perform()
        let results = LockedState<[Int?]>([])
        let reader = TransferState.Reader(count: 1) { chunks in
            results.withLock { $0.append((try? chunks.get())?.count) }
        }
        state.wait(reader).perform()
        #expect(pauses.withLock { $0 } == [true, false])
        state.receive(Data(count: 1), at: .zero).perform()
        #expect(results.withLock { $0 } == [1])
        #expect(pauses.withLock { $0 } == [true, false, true])
    }

    @Test func `a transfer that cannot wait ends with too many unread bytes`() throws {
        var state = started(isStreamed: true)
        state.receive(Self.head(), at: .zero).perform()
        let chunk = Data(count: UnreadBody.maxBytes / 4)
        for _ in 0..<4 { #expect(!state.receive(chunk, at: .zero).hasEnded) }
        #expect(state.receive(Data(count: 1), at: .zero).hasEnded)
    }

    // MARK: Deadlines

    @Test func `time without a connection, and time in which the reader is slow, is not idle`() throws {
        let options = RequestOptions(timeouts: Timeouts(idle: .seconds(5)))
        var state = TransferState(isStreamed: true, options: options)
        let caller = caller
        #expect(state.start(at: .zero, hasBegun: false, setPaused: nil) { caller.receive($0) })
        #expect(state.checkDeadline(at: .seconds(100)).next == .seconds(105))
        state.receive(Self.head(), at: .seconds(101)).perform()
        state.receive(Data(count: 1 << 20), at: .seconds(101)).perform()
        #expect(state.checkDeadline(at: .seconds(106)).next == .seconds(111))
        _ = try state.read(after: nil)
        #expect(state.checkDeadline(at: .seconds(111)).next == .seconds(116))
        #expect(state.checkDeadline(at: .seconds(116)).effects.hasEnded)
    }
}
