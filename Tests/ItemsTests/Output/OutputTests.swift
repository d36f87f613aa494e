import Foundation
import Testing

@testable import items

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite struct OutputTests {
    private func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `nothing is written before the buffer is full or flushed`() throws {
        let scratch = try Scratch()
        var output = Output(descriptor: scratch.descriptor, capacity: 64)
        try output.append(String(repeating: "a", count: 64))
        #expect(try scratch.text() == "")
        try output.append("b")
        #expect(try scratch.text().utf8.count == 64)
        try output.flush()
        #expect(try scratch.text().hasSuffix("ab"))
    }

    #if canImport(Glibc)
    @Test func `a full device is an error`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        var output = Output(descriptor: full)
        try output.append("a")
        let failure = #expect(throws: OutputFailure.self) { try output.flush() }
        #expect(failure == .failed(ENOSPC))
    }

    #endif

    @Test func `a closed descriptor is an error`() throws {
        var output = Output(descriptor: -1)
        try output.append("a")
        let failure = #expect(throws: OutputFailure.self) { try output.flush() }
        #expect(failure == .failed(EBADF))
    }

    @Test func `a pipe that cannot take more is waited for`() async throws {
        let (reading, writing) = try makePipe()
        defer { close(reading) }
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let length = 1 << 20
        let counts = AsyncStream.makeStream(of: Int.self)
        // A thread of its own: the writer blocks one of the few that tasks share.
        Thread.detachNewThread {
            var count = 0
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while case let length = read(reading, &bytes, bytes.count), length > 0 { count += length }
            counts.continuation.yield(count)
            counts.continuation.finish()
        }
        var output = Output(descriptor: writing)
        try output.append(String(repeating: "a", count: length))
        try output.flush()
        close(writing)
        for await count in counts.stream { #expect(count == length) }
    }
}
