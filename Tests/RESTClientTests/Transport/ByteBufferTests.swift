import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import RESTClient

@Suite struct ByteBufferTests {
    private static func chunk(_ number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: 16 << 10)
    }

    @Test func `a transfer that fills the buffer waits until the bytes are read`() async throws {
        let pauses = LockedState<[Bool]>([])
        let buffer = ByteBuffer { isPaused in
            pauses.withLock { $0.append(isPaused) }
        } onAbandon: {
        }
        for number in 0..<400 { buffer.append(Self.chunk(number)) }
        #expect(pauses.withLock { $0 } == [true])
        var all = try await buffer.next()
        #expect(pauses.withLock { $0 } == [true, false])
        buffer.finish(nil)
        while case let chunks = try await buffer.next(), !chunks.isEmpty { all += chunks }
        #expect(all == (0..<400).map(Self.chunk))
    }

    @Test func `a transfer that cannot wait has a limit of unread bytes`() {
        let buffer = ByteBuffer(onAbandon: {})
        let chunk = Data(count: ByteBuffer.maxUnreadBytes / 4)
        #expect((0..<4).allSatisfy { _ in buffer.append(chunk) })
        #expect(!buffer.append(Data(count: 1)))
    }

    @Test func `an error is thrown after the received bytes`() async throws {
        struct Broken: Error {}
        let buffer = ByteBuffer {}
        buffer.append(Data("tea".utf8))
        buffer.finish(Broken())
        #expect(try await buffer.next() == [Data("tea".utf8)])
        await #expect(throws: Broken.self) { try await buffer.next() }
    }

    @Test func `a cancelled consumer ends the transfer immediately`() async throws {
        let (ended, source) = AsyncStream.makeStream(of: Void.self)
        let buffer = ByteBuffer { source.finish() }
        let reader = Task { try await buffer.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        for await _ in ended {}
        buffer.append(Data("late".utf8))
        await #expect(throws: CancellationError.self) { try await buffer.next() }
    }

    @Test func `collecting a body above the limit consumes nothing`() async throws {
        let buffer = ByteBuffer {}
        for letter in ["a", "b", "c"] { buffer.append(Data(letter.utf8)) }
        #expect(try await buffer.collect(upTo: 2) == nil)
        buffer.append(Data("d".utf8))
        buffer.finish(nil)
        #expect(try await buffer.collect(upTo: 100) == Data("abcd".utf8))
    }

    @Test(.hangLimit) func `the second of two concurrent readers gets an error`() async throws {
        let buffer = ByteBuffer {}
        try await withThrowingTaskGroup(of: Result<[Data], any Error>.self) { readers in
            for _ in 0..<2 { readers.addTask { await Result(catching: { try await buffer.next() }) } }
            let refused = try #require(try await readers.next())
            #expect(throws: ByteStream.AlreadyRead.self) { try refused.get() }
            buffer.append(Data("tea".utf8))
            #expect(try await readers.next()?.get() == [Data("tea".utf8)])
        }
    }
}
