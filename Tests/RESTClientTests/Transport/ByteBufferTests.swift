import Foundation
import RESTClientHTTP
import RESTClientTestingSupport
import Testing

@testable import RESTClient

@Suite struct ByteBufferTests {
    private static func chunk(_ number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: 16 << 10)
    }

    @Test func `bytes beyond the capacity are spilled and returned in order`() async throws {
        let buffer = ByteBuffer(spillLimit: 1 << 30) {}
        for number in 0..<400 { #expect(buffer.append(Self.chunk(number)) == nil) }
        buffer.finish(nil)
        var all = Data()
        while case let chunks = try await buffer.next(), !chunks.isEmpty {
            for chunk in chunks { all += chunk }
        }
        #expect(all == (0..<400).map(Self.chunk).reduce(into: Data()) { $0.append($1) })
    }

    @Test func `a consumer that catches up reads from memory again`() async throws {
        let buffer = ByteBuffer(spillLimit: 1 << 30) {}
        var sent = Data()
        var got = Data()
        var random = SeededGenerator(seed: 7)
        for number in 0..<600 {
            let chunk = Data(
                repeating: UInt8(truncatingIfNeeded: number),
                count: Int.random(in: 1..<20_000, using: &random))
            #expect(buffer.append(chunk) == nil)
            sent += chunk
            if Int.random(in: 0..<90, using: &random) == 0 {
                while got.count < sent.count { for chunk in try await buffer.next() { got += chunk } }
            }
        }
        buffer.finish(nil)
        while case let chunks = try await buffer.next(), !chunks.isEmpty {
            for chunk in chunks { got += chunk }
        }
        #expect(got == sent)
    }

    @Test func `spilling more than the limit is an error`() async throws {
        let buffer = ByteBuffer(spillLimit: 32 << 10) {}
        var failure: TransportError?
        var count = 0
        while failure == nil, count < 1_000 {
            failure = buffer.append(Self.chunk(count))
            count += 1
        }
        guard case .limit(.spillBytes(32 << 10)) = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(count == (1 << 20) / (16 << 10) + 3)
    }

    @Test func `an error is thrown after the received bytes`() async throws {
        struct Broken: Error {}
        let buffer = ByteBuffer(spillLimit: 0) {}
        _ = buffer.append(Data("tea".utf8))
        buffer.finish(Broken())
        #expect(try await buffer.next() == [Data("tea".utf8)])
        await #expect(throws: Broken.self) { try await buffer.next() }
    }

    @Test func `a cancelled consumer ends the transfer immediately`() async throws {
        let (ended, source) = AsyncStream.makeStream(of: Void.self)
        let buffer = ByteBuffer(spillLimit: 0) { source.finish() }
        let reader = Task { try await buffer.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        for await _ in ended {}
        #expect(buffer.append(Data("late".utf8)) == nil)
        await #expect(throws: CancellationError.self) { try await buffer.next() }
    }

    @Test func `collecting a body above the limit consumes nothing`() async throws {
        let buffer = ByteBuffer(spillLimit: 0) {}
        for letter in ["a", "b", "c"] { _ = buffer.append(Data(letter.utf8)) }
        #expect(try await buffer.collect(upTo: 2) == nil)
        _ = buffer.append(Data("d".utf8))
        buffer.finish(nil)
        #expect(try await buffer.collect(upTo: 100) == Data("abcd".utf8))
    }

    @Test(.hangLimit) func `the second of two concurrent readers gets an error`() async throws {
        let buffer = ByteBuffer(spillLimit: 0) {}
        try await withThrowingTaskGroup(of: Result<[Data], any Error>.self) { readers in
            for _ in 0..<2 { readers.addTask { await Result(catching: { try await buffer.next() }) } }
            let refused = try #require(try await readers.next())
            #expect(throws: ByteStream.AlreadyRead.self) { try refused.get() }
            _ = buffer.append(Data("tea".utf8))
            #expect(try await readers.next()?.get() == [Data("tea".utf8)])
        }
    }

    @Test func `a truncated spill file is an error of the transfer`() async throws {
        let buffer = ByteBuffer(spillLimit: 1 << 30) {}
        let size = 1_234_567
        for count in [1 << 20, size] { #expect(buffer.append(Data(count: count)) == nil) }
        buffer.finish(nil)
        // The unlinked file of this size.
        for descriptor in Int32(3)..<4_096 {
            var file = stat()
            if fstat(descriptor, &file) == 0, file.st_nlink == 0, file.st_size == size {
                #expect(ftruncate(descriptor, 0) == 0)
            }
        }
        #expect(try await buffer.next().count == 1)
        let failure = await #expect(throws: TransportError.self) { try await buffer.next() }
        guard case .file = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func `a consumer that never catches up does not fill the disk`() throws {
        var bytes = SpilledBytes(segmentSize: 100_000)
        try bytes.append(Self.chunk(0), limit: 1 << 20)
        for number in 1..<200 {
            try bytes.append(Self.chunk(number), limit: 1 << 20)
            var got = Data()
            while got.count < 16 << 10 { got += try bytes.takeFirst((16 << 10) - got.count) }
            #expect(got == Self.chunk(number - 1))
            #expect(bytes.diskUsage <= 250_000)
        }
        #expect(bytes.count == 16 << 10)
    }
}
