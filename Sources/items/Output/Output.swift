#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A descriptor written through one buffer, every write checked.
struct Output: ~Copyable {
    private let descriptor: Int32
    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    /// An output to `descriptor`, which it does not own.
    init(descriptor: Int32, capacity: Int = 64 << 10) {
        self.descriptor = descriptor
        buffer = .allocate(byteCount: max(capacity, 64), alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Adds `bytes`.
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure) {
        guard bytes.count <= buffer.count - count else { return try appendInPieces(bytes) }
        guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return }
        (target + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) throws(OutputFailure) {
        if count == buffer.count { try flush() }
        buffer[count] = byte
        count += 1
    }

    mutating func append(_ text: StaticString) throws(OutputFailure) {
        try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) throws(OutputFailure) {
        for byte in text.utf8 { try append(byte) }
    }

    /// Writes what is in the buffer.
    mutating func flush() throws(OutputFailure) {
        let full = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        count = 0
        try write(full)
    }

    private mutating func appendInPieces(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure) {
        try flush()
        guard bytes.count < buffer.count else { return try write(bytes) }
        try append(bytes)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = systemWrite(descriptor, start, rest.count)
            if written > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                continue
            }
            switch written < 0 ? errno : EIO {
            case EINTR: continue
            // Someone who shares the descriptor may have made it non-blocking.
            case EAGAIN: waitUntilWritable()
            case EPIPE: throw .noReader
            case let code: throw .failed(code)
            }
        }
    }

    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
    }
}

/// Why not all of the output was written.
enum OutputFailure: Error, Equatable {
    /// Whoever read it has gone.
    case noReader
    /// Anything else, as an `errno`.
    case failed(Int32)
}

private let systemWrite = write
