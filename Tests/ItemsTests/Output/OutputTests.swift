import Foundation
import Testing

@testable import items

@Suite struct `The output` {
    private func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
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

    @Test func `a full device is an error`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        var output = Output(descriptor: full)
        try output.append("a")
        let failure = #expect(throws: OutputFailure.self) { try output.flush() }
        #expect(failure == .failed(ENOSPC))
    }

    @Test func `a closed descriptor is an error`() throws {
        var output = Output(descriptor: -1)
        try output.append("a")
        let failure = #expect(throws: OutputFailure.self) { try output.flush() }
        #expect(failure == .failed(EBADF))
    }

    @Test func `a pipe that cannot take more is waited for`() async throws {
        let (read, write) = try pipe()
        defer { close(read) }
        _ = fcntl(write, F_SETFL, O_NONBLOCK)
        let length = 1 << 20
        let reader = Task.detached {
            var count = 0
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while case let read = Glibc.read(read, &bytes, bytes.count), read > 0 { count += read }
            return count
        }
        var output = Output(descriptor: write)
        try output.append(String(repeating: "a", count: length))
        try output.flush()
        close(write)
        #expect(await reader.value == length)
    }
}
