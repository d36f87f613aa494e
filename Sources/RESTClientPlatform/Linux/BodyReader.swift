// Part of the engine for Linux, where URLSession is built on libcurl. Apple platforms need none.
#if canImport(FoundationNetworking)
package import Foundation
import RESTClientHTTP

/// Reads the body of a request for libcurl, from its start again if libcurl asks for it.
final class BodyReader {
    enum Result {
        case bytes(Int)
        /// No bytes are available; the transfer is resumed later.
        case pause
        case failure
    }

    let body: TransferBody
    private(set) var position: Int64 = 0
    private var descriptor: Int32 = -1

    init(_ body: TransferBody) { self.body = body }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads the next bytes; none at the end. A file or a stream that is shorter than its length is a failure.
    func read(_ buffer: UnsafeMutableRawBufferPointer, resume: @escaping @Sendable () -> Void) -> Result {
        switch body {
        case .data(let data):
            let start = data.startIndex + Int(position)
            let end = min(start + buffer.count, data.endIndex)
            data[start..<end].copyBytes(to: buffer)
            return advance(by: end - start)
        case .file(let path, let length):
            let count = Int(min(Int64(buffer.count), length - position))
            guard count > 0 else { return .bytes(0) }
            // Opening a FIFO that has replaced the file would otherwise wait, on the thread of all transfers, for a writer.
            if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            var result = -1
            repeat {
                result = pread(descriptor, buffer.baseAddress, count, off_t(position))
            } while result < 0 && errno == EINTR
            return result > 0 ? advance(by: result) : .failure
        case .stream(let stream):
            let room = stream.length.map { Int(min(Int64(buffer.count), $0 - position)) } ?? buffer.count
            guard room > 0 else { return .bytes(0) }
            switch stream.read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]), resume: resume) {
            case .bytes(0) where stream.length != nil: return .failure
            case .bytes(let count): return advance(by: count)
            case let other: return other
            }
        }
    }

    /// Returns to a position. Returns `false` if the body cannot be read again.
    func seek(to position: Int64) -> Bool {
        if case .stream = body { return position == self.position }
        guard let length = body.length, 0...length ~= position else { return false }
        self.position = position
        return true
    }

    private func advance(by count: Int) -> Result {
        position += Int64(count)
        return .bytes(count)
    }
}

/// A body that is read from an `InputStream`, on a queue of its own, because reading can block.
package final class StreamBody: Sendable {
    private struct State {
        var bytes = Data()
        var isReading = false
        var isAtEnd = false
        var hasFailed = false
    }

    private static let chunkSize = 64 << 10

    package let length: Int64?
    // SAFETY: used on the queue only.
    nonisolated(unsafe) private let stream: InputStream
    private let state = LockedState(State())
    private let queue = DispatchQueue(label: "RESTClient.body")

    /// - Parameter length: the number of bytes, if it is known.
    package init(_ stream: InputStream, length: Int64? = nil) {
        (self.stream, self.length) = (stream, length)
    }

    func read(
        _ buffer: UnsafeMutableRawBufferPointer, resume: @escaping @Sendable () -> Void
    ) -> BodyReader.Result {
        let (result, mustRead) = state.withLock { state -> (BodyReader.Result, Bool) in
            if !state.bytes.isEmpty {
                let count = state.bytes.copyBytes(to: buffer)
                state.bytes.removeFirst(count)
                return (.bytes(count), false)
            }
            if state.hasFailed { return (.failure, false) }
            if state.isAtEnd { return (.bytes(0), false) }
            defer { state.isReading = true }
            return (.pause, !state.isReading)
        }
        if mustRead {
            queue.async {
                self.fill()
                resume()
            }
        }
        return result
    }

    private func fill() {
        if stream.streamStatus == .notOpen { stream.open() }
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        let count = stream.read(&chunk, maxLength: chunk.count)
        if count <= 0 { stream.close() }
        state.withLock { state in
            state.bytes.append(contentsOf: chunk.prefix(max(count, 0)))
            (state.isReading, state.isAtEnd, state.hasFailed) = (false, count == 0, count < 0)
        }
    }
}
#endif
