import Foundation
import Testing

@testable import RESTClient

@Suite struct UnreadBodyTests {
    private struct Broken: Error {}

    private static func chunk(_ number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: 16 << 10)
    }

    @Test func `a body with a megabyte of unread bytes is full until they are read`() throws {
        var body = UnreadBody()
        for number in 0..<63 { body.append(Self.chunk(number)) }
        #expect(!body.isFull)
        for number in 63..<400 { body.append(Self.chunk(number)) }
        #expect(body.isFull)
        #expect(try body.read() == (0..<400).map(Self.chunk))
        #expect(!body.isFull && body.byteCount == 0)
        #expect(try body.read() == nil)
        body.finish(nil)
        #expect(try body.read() == [])
    }

    @Test func `an ended body is not full`() {
        var body = UnreadBody()
        body.append(Data(count: 2 << 20))
        body.finish(nil)
        #expect(!body.isFull)
    }

    @Test func `an error is thrown after the received bytes`() throws {
        var body = UnreadBody()
        body.append(Data("tea".utf8))
        body.finish(Broken())
        body.append(Data("late".utf8))
        #expect(try body.read() == [Data("tea".utf8)])
        #expect(throws: Broken.self) { try body.read() }
    }

    @Test func `chunks after others can be read without removing any`() throws {
        var body = UnreadBody()
        #expect(try body.read(after: 0) == nil)
        for letter in ["a", "b", "c"] { body.append(Data(letter.utf8)) }
        #expect(try body.read(after: 0)?.count == 3)
        #expect(try body.read(after: 2) == [Data("c".utf8)])
        #expect(try body.read(after: 3) == nil)
        body.finish(nil)
        #expect(try body.read(after: 3) == [])
        #expect(try body.read()?.count == 3)
    }

    @Test func `an abandoned body has no bytes`() {
        var body = UnreadBody()
        body.append(Data("tea".utf8))
        body.abandon()
        body.append(Data("late".utf8))
        body.finish(nil)
        #expect(body.byteCount == 0)
        #expect(throws: CancellationError.self) { try body.read() }
    }
}
