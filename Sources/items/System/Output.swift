import Foundation

/// A buffered writer to a file descriptor that checks every write.
struct Output: ~Copyable {
    private let descriptor: Int32
    private var buffer: UnsafeMutableRawBufferPointer
    private var count = 0
    /// `true` while nothing is written.
    private var isHeld = false

    /// Creates an output to `descriptor`, which it does not own.
    init(descriptor: Int32, capacity: Int = defaultCapacity) {
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
        if count == buffer.count { try makeRoom(1) }
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

    /// Adds spaces and `text`.
    @inline(__always)
    mutating func append(_ text: UnsafeRawBufferPointer, after spaces: Int) throws(OutputError) {
        let blanks = SIMD16<UInt8>(repeating: UInt8(ascii: " "))
        // Whole blocks of spaces are written.
        guard spaces + 16 + text.count <= buffer.count - count, let source = text.baseAddress,
            let start = buffer.baseAddress
        else {
            for _ in 0..<spaces { try append(UInt8(ascii: " ")) }
            return try append(text)
        }
        let target = start + count
        for offset in stride(from: 0, to: spaces, by: 16) {
            target.storeBytes(of: blanks, toByteOffset: offset, as: SIMD16<UInt8>.self)
        }
        Self.copy(source, to: target + spaces, text.count)
        count += spaces + text.count
    }

    /// Calls `body` with room for at least `capacity` bytes, and adds as many of them as it returns.
    mutating func append(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) throws(OutputError) {
        if capacity > buffer.count - count { try makeRoom(capacity) }
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

    /// The number of bytes that are held.
    var heldCount: Int { isHeld ? count : 0 }

    /// Keeps the bytes that are added from now on, until they are released. Unused memory of the `capacity` bytes is not touched.
    mutating func hold(capacity: Int) throws(OutputError) {
        try flush()
        isHeld = true
        try makeRoom(capacity)
    }

    /// Calls `body` with the bytes that were held, none of which has been written, and an output that writes again.
    mutating func release(
        _ body: (UnsafeRawBufferPointer, inout Output) throws(OutputError) -> Void
    ) throws(OutputError) {
        guard isHeld else { return }
        let held = buffer
        defer { held.deallocate() }
        let bytes = UnsafeRawBufferPointer(rebasing: held[..<count])
        (buffer, count, isHeld) = (.allocate(byteCount: Self.defaultCapacity, alignment: 16), 0, false)
        try body(bytes, &self)
    }

    /// Writes the contents of the buffer, unless they are held.
    mutating func flush() throws(OutputError) {
        guard !isHeld else { return }
        let full = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        count = 0
        try write(full)
    }

    private mutating func appendInPieces(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        try makeRoom(bytes.count)
        guard bytes.count <= buffer.count - count else { return try write(bytes) }
        try append(bytes)
    }

    /// Empties the buffer or, while it is held, makes it larger.
    private mutating func makeRoom(_ capacity: Int) throws(OutputError) {
        guard isHeld else { return try flush() }
        guard capacity > buffer.count - count else { return }
        let size = max(2 * buffer.count, count + capacity)
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        buffer.deallocate()
        buffer = larger
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

    private static let defaultCapacity = 64 << 10

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
