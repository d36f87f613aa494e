import Foundation
import RESTClient

/// A file, a pipe or the standard input, read in chunks.
struct FileInput: ~Copyable {
    /// The name of the file in messages.
    let name: String
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let buffer: UnsafeMutableRawBufferPointer
    /// The number of bytes in the buffer that were read to detect the format.
    private var peeked = 0
    /// `true` if these are all bytes of the file.
    private var isAtEnd = false
    private let maxChunkBytes: Int

    /// Opens the file at `path`, which can be the value of an option.
    init(path: String, of option: String? = nil) throws(CommandError) {
        let name = URLArgument.masked(path).escaped()
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let hint = option.map { "check the path of \($0)" } ?? Self.hint(path: path, errno)
            throw CommandError(reading: name, errno, hint: hint)
        }
        guard FileStatus(of: descriptor).map({ $0.mode & S_IFMT }) != S_IFDIR else {
            close(descriptor)
            throw CommandError(reading: name, EISDIR, hint: OptionParser.hint(forInput: path))
        }
        self.init(descriptor: descriptor, name: name, ownsDescriptor: true)
    }

    /// Opens the file at `path`, or reads the standard input if that is `-`.
    init(_ path: String, _ environment: Environment, of option: String? = nil) throws(CommandError) {
        if path == "-" {
            self.init(descriptor: environment.input)
        } else {
            try self.init(path: path, of: option)
        }
    }

    init(
        descriptor: Int32, name: String = "standard input", ownsDescriptor: Bool = false,
        maxChunkBytes: Int = .max
    ) {
        (self.name, self.descriptor) = (name, descriptor)
        (self.ownsDescriptor, self.maxChunkBytes) = (ownsDescriptor, maxChunkBytes)
        buffer = .allocate(byteCount: 128 << 10, alignment: 16)
    }

    deinit {
        if ownsDescriptor { close(descriptor) }
        buffer.deallocate()
    }

    /// Calls `body` with each chunk as soon as it arrives, until the end of the file. Throws an error if the task is cancelled.
    func read(
        before deadline: ContinuousClock.Instant? = nil, _ body: (RawSpan) throws -> Void
    ) async throws {
        if peeked > 0 { try body(UnsafeRawBufferPointer(rebasing: buffer[..<peeked]).bytes) }
        while !isAtEnd, case let count = try await readChunk(at: 0, before: deadline), count > 0 {
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
        }
    }

    private func readChunk(at offset: Int, before deadline: ContinuousClock.Instant?) async throws -> Int {
        while true {
            try await wait(until: deadline)
            // Another process that reads from the same pipe can be faster.
            if let count = try readAvailable(at: offset) { return count }
        }
    }

    /// Reads at least one byte to an offset in the buffer, and returns their number, 0 at the end of the file, or `nil` if a
    /// descriptor that does not block has none.
    private func readAvailable(at offset: Int) throws(CommandError) -> Int? {
        while true {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
            let count = systemRead(descriptor, rest.baseAddress, min(rest.count, maxChunkBytes))
            guard count < 0 else { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            case let code: throw CommandError(reading: name, code)
            }
        }
    }

    /// Returns the layout of the file, which is detected if `list` allows several: a sequence of JSON values
    /// by its name, or because a value follows on the line after the first one, which has no list at the
    /// path. Reads until that is known, at most one buffer. The result does not depend on the sizes of the
    /// chunks.
    mutating func layout(
        of list: ListPath, before deadline: ContinuousClock.Instant?
    ) async throws -> ListScanner.Layout {
        var layout = list.layout
        let hasSequenceName = [".jsonl", ".ndjson"].contains { name.lowercased().hasSuffix($0) }
        if layout == .pathOrDocument, hasSequenceName { layout = .sequence }
        while peeked < buffer.count {
            let count: Int
            do { count = try await readChunk(at: peeked, before: deadline) } catch is CancellationError {
                // What has been read is listed first.
                return layout
            }
            guard count > 0 else {
                isAtEnd = true
                return layout
            }
            peeked += count
            try checkCompression(of: UnsafeRawBufferPointer(rebasing: buffer[..<peeked]).bytes)
            guard layout == .pathOrDocument else { return layout }
            if let isSequence = isSequence(path: list.member) { return isSequence ? .sequence : layout }
        }
        return layout
    }

    /// Returns `true` if the buffer starts with a sequence, `false` for a document, or `nil` if more bytes
    /// are needed.
    private func isSequence(path: MemberPath) -> Bool? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = buffer[..<peeked].starts(with: mark) ? mark.count : 0
        guard start < peeked else { return nil }
        if buffer[start] == 0x1E { return true }
        let text = UnsafeRawBufferPointer(rebasing: buffer[start..<peeked]).bytes
        if Self.hasList(at: path, in: text) { return false }
        guard let value = ListScanner.value(at: .root, in: text), value.upperBound < text.byteCount else {
            return nil
        }
        let rest = buffer[(start + value.upperBound)..<peeked]
        guard let next = rest.firstIndex(where: { !" \t\r\n".utf8.contains($0) }) else { return nil }
        // Objects need nothing between them; after other values, only a line break shows a sequence.
        let areObjects =
            buffer[start + value.lowerBound] == UInt8(ascii: "{") && buffer[next] == UInt8(ascii: "{")
        let startsValue = "{[\"-0123456789tfn\u{1E}".utf8.contains(buffer[next])
        return areObjects || startsValue && rest[..<next].contains(UInt8(ascii: "\n"))
    }

    /// Returns `true` if the text is a document, or the start of one, with a list at `path`.
    private static func hasList(at path: MemberPath, in text: RawSpan) -> Bool {
        if let value = ListScanner.value(at: path, in: text) {
            return text.withUnsafeBytes { $0[value.lowerBound] == UInt8(ascii: "[") }
        }
        // The list may have begun.
        var hasElements = false
        do {
            var scanner = ListScanner(at: path)
            try scanner.scan(text) { _ in hasElements = true }
            _ = try scanner.finish()
        } catch let failure as ListScanner.Failure { return hasElements || failure.isAtElement } catch {}
        return hasElements
    }

    /// Returns `true` if the list of a document of `length` bytes is null, and no member names an error. As in a response, it is
    /// empty then.
    func isEmptyList(_ failure: ListScanner.Failure, at path: MemberPath, length: Int) -> Bool {
        guard case .wrongShape(let place, expected: _, found: .null, lists: _) = failure.reason,
            place == path || failure.path == "$", length == peeked
        else { return false }
        let text = UnsafeRawBufferPointer(rebasing: buffer[..<peeked]).bytes
        guard let range = ListScanner.value(at: .root, in: text) else { return false }
        let document = text.extracting(range)
        var hasError = false
        ListScanner.forEachMember(of: document) { key, value in
            let name = ListScanner.string(document.extracting(key)) ?? ""
            let text = document.extracting(value).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            let folded = name.lowercased()
            let isError: Bool =
                switch folded {
                case "success", "ok", "successful": text == "false"
                case "status", "code", "statuscode": Int(text).map { $0 >= 400 } ?? (text == "\"error\"")
                default:
                    ["error", "exception", "fault", "failure"].contains { folded.contains($0) }
                        && !["null", "false", "0", "\"\"", "[]", "{}"].contains(text)
                }
            hasError = hasError || isError
        }
        return !hasError
    }

    private func checkCompression(of start: RawSpan) throws(CommandError) {
        let file = ownsDescriptor ? "\(name.shellQuoted) " : ""
        // Brotli has no first bytes of its own.
        let first = start.withUnsafeBytes(\.first) ?? 0
        let isBrotli = Compression(ofFile: name) == .brotli && !" \t\r\n{[\"".utf8.contains(first)
        guard let tool = isBrotli ? .brotli : start.withUnsafeBytes({ Compression(of: $0) }) else { return }
        throw CommandError(
            .badList, "\(name) is compressed with \(tool)",
            hint: "unpack it first: \(tool) -dc \(file)| items -")
    }

    /// Warns if the group or other users can access the regular file, which contains a secret.
    func warnIfInsecure(_ messages: Messages) {
        guard let status = FileStatus(of: descriptor), status.isRegular, status.mode & 0o077 != 0 else {
            return
        }
        let mode = String(status.mode & 0o777, radix: 8)
        messages.info("warning: other users can read \(name) (mode \(mode)); restrict it with chmod 600")
    }

    /// Returns the text of a file that contains `contents`. Throws if it is longer than `limit` bytes.
    func text(limit: Int, of contents: String) throws -> String {
        String(decoding: try bytes(limit: limit, of: contents), as: UTF8.self)
    }

    /// Returns the bytes of a file that contains `contents`. Throws if there are more than `limit`.
    func bytes(limit: Int, of contents: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            guard let count = try readAvailable(at: 0) else {
                _ = hasBytes(within: -1)
                continue
            }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                let limit = limit < 1 << 20 ? "\(limit >> 10) KB" : "\(limit >> 20) MB"
                throw CommandError.usage("\(name) is too large for \(contents) (limit: \(limit))")
            }
        }
    }

    /// Waits for bytes or the end of the file. The thread is free for other tasks every 50 ms, one of which may cancel this one.
    private func wait(until deadline: ContinuousClock.Instant?) async throws {
        while true {
            try Task.checkCancellation()
            let left = deadline.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) } ?? .infinity
            if left <= 0 { throw CommandError(.timedOut, "timed out reading \(name)") }
            // Rounded up, so that the last wait does not return early.
            if hasBytes(within: Int32(min(left.rounded(.up), 50))) { return }
            await Task.yield()
        }
    }

    /// Waits a number of milliseconds, or without a limit if it is negative, and returns `true` if bytes can be read.
    private func hasBytes(within time: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, time) > 0
    }

    /// A hint for a path that is similar to that of a file, or looks like a command, JSON or a host name.
    private static func hint(path: String, _ code: Int32) -> String? {
        guard code == ENOENT else { return nil }
        if Option.all.contains(where: { $0.name == path }) { return "did you mean --\(path)?" }
        if let hint = OptionParser.hint(forInput: path) { return hint }
        if path.hasPrefix("{") || path.hasPrefix("[") { return "pass JSON on standard input: echo … | items" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let files =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : String(folder)))
            ?? []
        if let name = String(path.dropFirst(folder.count)).nearest(in: files.sorted()),
            TerminalEscaping.escaped(name) == name
        {
            return "did you mean \((folder + name).shellQuoted)?"
        }
        guard folder.isEmpty else { return nil }
        let parts = path.split(separator: ".")
        let isData = ["json", "jsonl", "ndjson", "txt", "html", "htm", "csv", "gz"].contains(parts.last)
        guard parts.count > 1, !isData else { return nil }
        return "for a URL, write https://\(path.escaped())"
    }
}

private let systemRead = read
