import Foundation
import RESTClient

/// A file, a pipe or the standard input, read in chunks.
struct FileInput: ~Copyable {
    /// The name of the file in messages.
    let name: String
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let buffer: UnsafeMutableRawBufferPointer

    /// Opens the file at `path`.
    init(path: String) throws(CommandError) {
        let name = TerminalEscaping.escaped(Input.masked(path), limit: 200)
        self.init(descriptor: try Self.descriptor(path: path, name: name), name: name, ownsDescriptor: true)
    }

    /// Reads a descriptor without owning it.
    init(standardInput descriptor: Int32) {
        self.init(descriptor: descriptor, name: "standard input", ownsDescriptor: false)
    }

    private init(descriptor: Int32, name: String, ownsDescriptor: Bool) {
        self.name = name
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        buffer = .allocate(byteCount: 128 << 10, alignment: 16)
    }

    deinit {
        if ownsDescriptor { close(descriptor) }
        buffer.deallocate()
    }

    /// Calls `body` with each chunk as soon as it arrives, until the end of the file.
    ///
    /// - Throws: `CommandError` if the file cannot be read or the deadline passes; any error thrown by `body`.
    func read(before deadline: ContinuousClock.Instant? = nil, _ body: (RawSpan) throws -> Void) throws {
        while true {
            if let deadline { try wait(until: deadline) }
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 {
                try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
                continue
            }
            guard count < 0 else { return }
            switch errno {
            case EINTR: continue
            case EAGAIN: try wait(until: deadline)
            case let code: throw Self.error(name, code)
            }
        }
    }

    /// Warns if the group or other users can access the regular file, which contains a secret.
    func warnIfInsecure(_ messages: Messages) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0
        else { return }
        let mode = String(status.st_mode & 0o777, radix: 8)
        messages.info("warning: other users can read \(name) (mode \(mode)); restrict it with chmod 600")
    }

    /// Returns the text of the file, or throws `error` if it is longer than `limit` bytes.
    func text(limit: Int, orThrow error: @autoclosure () -> CommandError) throws -> String {
        var bytes: [UInt8] = []
        try read { piece in
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            if bytes.count > limit { throw error() }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func descriptor(path: String, name: String) throws(CommandError) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(name, errno, hint: hint(path: path, errno)) }
        var status = stat()
        guard fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw error(name, EISDIR)
        }
        return descriptor
    }

    private func wait(until deadline: ContinuousClock.Instant?) throws(CommandError) {
        while true {
            let left = deadline.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) } ?? -1
            if deadline != nil, left <= 0 { throw CommandError(.timedOut, "timed out reading \(name)") }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Rounded up, so that the last wait does not return early.
            if poll(&entry, 1, Int32(min(left.rounded(.up), 1e9))) != 0 { return }
        }
    }

    private static func error(_ name: String, _ code: Int32, hint: String? = nil) -> CommandError {
        CommandError(.noInput, "cannot read \(name): \(String(cString: strerror(code)))", hint: hint)
    }

    /// A hint for a path that looks like a command or a host name, such as `help` or `example.com`, but not
    /// `items.json`.
    private static func hint(path: String, _ code: Int32) -> String? {
        guard code == ENOENT, !path.contains("/") else { return nil }
        if ["help", "version"].contains(path) { return "did you mean --\(path)?" }
        let parts = path.split(separator: ".")
        let isData = ["json", "jsonl", "ndjson", "txt", "html", "htm", "csv", "gz"].contains(parts.last)
        guard parts.count > 1, !isData else { return nil }
        return "for a URL, write https://\(TerminalEscaping.escaped(path, limit: 200))"
    }
}

private let systemRead = read
