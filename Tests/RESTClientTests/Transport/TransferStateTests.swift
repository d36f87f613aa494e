import Foundation
import RESTClientHTTP
import RESTClientPlatform
import Testing

@testable import RESTClient

@Suite struct TransferStateTests {
    private typealias Outcome = Result<TransportResponse, any Error>

    /// The outcomes that the caller of a transfer received.
    private final class Caller: Sendable {
        private let outcomes = LockedState<[Outcome]>([])

        func receive(_ outcome: Outcome) { outcomes.withLock { $0.append(outcome) } }

        var outcome: Outcome? { outcomes.withLock { $0.first } }
        var count: Int { outcomes.withLock { $0.count } }

        var bodyText: String? {
            (try? outcome?.get())?.body.map { String(decoding: $0, as: UTF8.self) }
        }

        var isStreaming: Bool { (try? outcome?.get()).map { $0.body == nil } ?? false }

        var kind: RESTClientError.Kind? {
            if case .failure(let error as TransportError) = outcome { error.kind } else { nil }
        }
    }

    private let caller = Caller()

    private func started(
        isStreamed: Bool = false, awaitsShortBody: Bool = false, options: RequestOptions = RequestOptions(),
        deadline: Duration? = nil, setPaused: (@Sendable (Bool) -> Void)? = nil
    ) -> TransferState {
        var state = TransferState(
            isStreamed: isStreamed, awaitsShortBody: awaitsShortBody, options: options, deadline: deadline)
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

    @Test func `a buffered response is delivered once, with its whole body`() throws {
        var state = started()
        state.receive(Self.head(), at: .zero).perform()
        state.receive(Data("te".utf8), at: .zero).perform()
        state.receive(Data("a".utf8), at: .zero).perform()
        #expect(caller.outcome == nil)
        state.complete(nil, nil, limitsConnectTime: false).perform()
        state.complete(nil, URLError(.timedOut), limitsConnectTime: false).perform()
        state.end(CancellationError()).perform()
        #expect(caller.bodyText == "tea")
        #expect(caller.count == 1)
    }

    @Test func `a transfer that was cancelled before its start does not start`() {
        var state = TransferState(isStreamed: false)
        #expect(state.end(CancellationError()).hasEnded)
        #expect(!state.start(at: .zero, hasBegun: true, setPaused: nil) { _ in })
    }

    @Test func `a body above its limit ends the transfer`() throws {
        var options = RequestOptions()
        options.maxBodyBytes = 4
        var state = started(options: options)
        state.receive(Self.head(), at: .zero).perform()
        #expect(!state.receive(Data(count: 4), at: .zero).hasEnded)
        let effects = state.receive(Data(count: 1), at: .zero)
        effects.perform()
        #expect(effects.hasEnded)
        #expect(caller.kind == .limit(.bodyBytes(4)))
    }

    @Test func `the body of a redirect is not received beyond a megabyte`() throws {
        var state = started()
        state.receive(Self.head(302, ["Location": "/next"]), at: .zero).perform()
        #expect(!state.receive(Data(count: 1 << 20), at: .zero).hasEnded)
        let effects = state.receive(Data(count: 1), at: .zero)
        effects.perform()
        #expect(effects.hasEnded)
        #expect(try caller.outcome?.get().head.status == 302)
    }

    @Test(arguments: ["5, 7", "x", "-1", "+3"]) func `a response with an invalid length is an error`(length: String)
    {
        var state = started()
        state.receive(Self.head(200, ["Content-Length": length]), at: .zero).perform()
        #expect(caller.kind == .invalidResponse(.invalidContentLength(length)))
    }

    @Test func `a response without a head is an error`() {
        var state = started()
        state.complete(nil, nil, limitsConnectTime: false).perform()
        #expect(caller.kind == .invalidResponse(.notHTTP))
    }

    @Test func `a cancelled challenge ends with the response that carried it`() throws {
        var state = started()
        state.receiveChallenge(Self.head(401))
        state.complete(nil, URLError(.cancelled), limitsConnectTime: false).perform()
        #expect(try caller.outcome?.get().head.status == 401)
    }

    // MARK: Streamed bodies

    @Test func `a streamed response is delivered with its head, and its data is read later`() throws {
        var state = started(isStreamed: true)
        state.receive(Self.head(), at: .zero).perform()
        #expect(caller.isStreaming)
        #expect(try state.read(after: nil) == nil)
        state.receive(Data("tea".utf8), at: .zero).perform()
        #expect(try state.read(after: nil) == [Data("tea".utf8)])
        state.complete(nil, nil, limitsConnectTime: false).perform()
        #expect(try state.read(after: nil) == [])
        #expect(caller.count == 1)
    }

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

    @Test(arguments: [true, false])
    func `a short body is awaited, and delivered as a stream with its end`(isComplete: Bool) throws {
        var state = started(isStreamed: true, awaitsShortBody: true)
        state.receive(Self.head(200, ["Content-Length": "3"]), at: .zero).perform()
        #expect(caller.outcome == nil)
        state.receive(Data((isComplete ? "tea" : "te").utf8), at: .zero).perform()
        // A part of the body is delivered at once.
        #expect(caller.isStreaming == !isComplete)
        let error = isComplete ? nil : URLError(.networkConnectionLost)
        state.complete(nil, error, limitsConnectTime: false).perform()
        #expect(caller.isStreaming && caller.count == 1)
        #expect(try state.read(after: nil)?.count == 1)
        if isComplete {
            #expect(try state.read(after: nil) == [])
        } else {
            #expect(throws: TransportError.self) { try state.read(after: nil) }
        }
    }

    @Test func `a short response that comes before the end of the request is delivered at once`() throws {
        var state = started(isStreamed: true, awaitsShortBody: true)
        state.receive(Self.head(200, ["Content-Length": "3"]), at: .zero).perform()
        state.send(10, of: 20, at: .zero).perform()
        #expect(caller.isStreaming)
    }

    @Test func `a full buffer pauses the transfer until it is read`() throws {
        let pauses = LockedState<[Bool]>([])
        var state = started(isStreamed: true) { isPaused in pauses.withLock { $0.append(isPaused) } }
        state.receive(Self.head(), at: .zero).perform()
        for _ in 0..<3 { state.receive(Data(count: 1 << 19), at: .zero).perform() }
        #expect(pauses.withLock { $0 } == [true])
        _ = try state.read(after: nil)
        #expect(pauses.withLock { $0 } == [true, false])
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

    @Test func `an abandoned body resumes its reader and ends the transfer`() throws {
        var state = started(isStreamed: true)
        state.receive(Self.head(), at: .zero).perform()
        let result = LockedState<Result<[Data], any Error>?>(nil)
        state.wait(TransferState.Reader(count: nil) { chunks in result.withLock { $0 = chunks } }).perform()
        let effects = state.abandon()
        effects.perform()
        #expect(effects.hasEnded)
        #expect(throws: CancellationError.self) { try result.withLock { $0 }?.get() }
        #expect(!state.abandon().hasEnded)
    }

    // MARK: Deadlines

    private static func options(idle: Duration) -> RequestOptions {
        RequestOptions(timeouts: Timeouts(idle: idle))
    }

    @Test func `data postpones the idle timeout, not the total one`() throws {
        var state = started(options: Self.options(idle: .seconds(5)), deadline: .seconds(8))
        #expect(state.checkDeadline(at: .seconds(4)).next == .seconds(5))
        state.receive(Self.head(), at: .seconds(4)).perform()
        #expect(state.checkDeadline(at: .seconds(5)).next == .seconds(8))
        state.receive(Data("tea".utf8), at: .seconds(7)).perform()
        state.checkDeadline(at: .seconds(8)).effects.perform()
        #expect(caller.kind == .timedOut(.total))
    }

    @Test func `time without a connection, and time in which the reader is slow, is not idle`() throws {
        var state = TransferState(isStreamed: true, options: Self.options(idle: .seconds(5)))
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

    @Test func `a timeout of the platform is that of the connection if an option limits it`() {
        var state = started()
        state.complete(nil, URLError(.timedOut), limitsConnectTime: true).perform()
        #expect(caller.kind == .timedOut(.connect))
    }
}
