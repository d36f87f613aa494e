import Foundation

/// A buffered writer to a file descriptor that checks every write.
struct Output: ~Copyable {
    private let descriptor: Int32
    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    /// Creates an output to `descriptor`, which it does not own.
    init(descriptor: Int32, capacity: Int = 64 << 10) {
        self.descriptor = descriptor
        buffer = .allocate(byteCount: max(capacity, 64), alignment: 16)
    }

    deinit { buffer.deallocate() }

    @inline(__always) mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        guard bytes.count <= buffer.count - count else { return try appendInPieces(bytes) }
        guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return }
        Self.copy(source, to: target + count, bytes.count)
        count += bytes.count
    }

    @inline(__always) mutating func append(_ byte: UInt8) throws(OutputError) {
        if count == buffer.count { try flush() }
        buffer[count] = byte
        count += 1
    }

    /// Adds `text` and a byte after it. Copies without `memcpy`, because most items are short.
    @inline(__always)
    mutating func append(_ text: UnsafeRawBufferPointer, _ terminator: UInt8) throws(OutputError) {
        let length = text.count
        guard length < buffer.count - count, let source = text.baseAddress, let start = buffer.baseAddress
        else {
            try append(text)
            return try append(terminator)
        }
        let target = start + count
        Self.copy(source, to: target, length)
        target.storeBytes(of: terminator, toByteOffset: length, as: UInt8.self)
        count += length + 1
    }

    /// Calls `body` with room for at least `capacity` bytes, and adds as many of them as it returns.
    mutating func append(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) throws(OutputError) {
        if capacity > buffer.count - count { try flush() }
        if capacity <= buffer.count {
            count += body(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        } else {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
            defer { bytes.deallocate() }
            let length = body(bytes)
            try append(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        }
    }

    mutating func append(_ text: String) throws(OutputError) { for byte in text.utf8 { try append(byte) } }

    /// Writes `text` at once.
    static func write(_ text: String, to descriptor: Int32) throws(OutputError) {
        var output = Output(descriptor: descriptor, capacity: text.utf8.count)
        try output.append(text)
        try output.flush()
    }

    /// Writes the contents of the buffer.
    mutating func flush() throws(OutputError) {
        let full = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        count = 0
        try write(full)
    }

    private mutating func appendInPieces(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        try flush()
        guard bytes.count < buffer.count else { return try write(bytes) }
        try append(bytes)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = systemWrite(descriptor, start, rest.count)
            if written > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                continue
            }
            switch written < 0 ? errno : EIO {
            case EINTR: continue
            // Another process that shares the descriptor may have made it non-blocking.
            case EAGAIN:
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            case EPIPE: throw .brokenPipe
            case let code: throw .failed(code)
            }
        }
    }
}

extension Output {
    /// Copies `length` bytes. Faster than `memcpy` for the few bytes of an item.
    @inline(__always) private static func copy(
        _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ length: Int
    ) {
        guard length >= 16 else {
            if length >= 8 {
                move(source, to: target, at: 0, UInt64.self)
                move(source, to: target, at: length - 8, UInt64.self)
            } else if length >= 4 {
                move(source, to: target, at: 0, UInt32.self)
                move(source, to: target, at: length - 4, UInt32.self)
            } else {
                for offset in 0..<length { move(source, to: target, at: offset, UInt8.self) }
            }
            return
        }
        guard length <= 256 else { return target.copyMemory(from: source, byteCount: length) }
        var offset = 0
        while offset < length - 16 {
            move(source, to: target, at: offset, SIMD16<UInt8>.self)
            offset += 16
        }
        move(source, to: target, at: length - 16, SIMD16<UInt8>.self)
    }

    @inline(__always) private static func move<Word: BitwiseCopyable>(
        _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, at offset: Int, _ type: Word.Type
    ) {
        target.storeBytes(
            of: source.loadUnaligned(fromByteOffset: offset, as: type), toByteOffset: offset, as: type)
    }
}

enum OutputError: Error, Equatable {
    /// The reader has closed the pipe.
    case brokenPipe
    /// Any other error, as an `errno`.
    case failed(Int32)
}

private let systemWrite = write
