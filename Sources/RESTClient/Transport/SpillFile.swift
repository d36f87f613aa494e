import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Bytes on disk that wait for a slow reader, first in, first out.
///
/// In several files, each given back when it is read: a reader who never quite catches up must not fill the disk with
/// what he has read already.
struct SpilledBytes {
    private struct Segment {
        let file: SpillFile
        var read: Int64 = 0
        var written: Int64 = 0
    }

    /// How many wait.
    private(set) var count: Int64 = 0

    private var segments: [Segment] = []
    private let segmentSize: Int64

    /// Nothing yet; a file takes about `segmentSize` bytes.
    init(segmentSize: Int64 = 64 << 20) { self.segmentSize = segmentSize }

    /// Bytes on disk, with those that were read and not given back yet.
    var occupied: Int64 { segments.reduce(0) { $0 + $1.written } }

    /// Writes `data` behind what waits; no more than `limit` bytes may.
    mutating func append(_ data: Data, limit: Int64) throws(ExchangeFailure) {
        guard count + Int64(data.count) <= limit else { throw ExchangeFailure(.spillLimit(limit)) }
        if segments.last.map({ $0.written >= segmentSize }) ?? true {
            segments.append(Segment(file: try SpillFile()))
        }
        let last = segments.count - 1
        try segments[last].file.write(data, at: segments[last].written)
        segments[last].written += Int64(data.count)
        count += Int64(data.count)
    }

    /// Takes up to `most` bytes that wait.
    mutating func takeFirst(_ most: Int) throws(ExchangeFailure) -> Data {
        guard let first = segments.first, count > 0 else { return Data() }
        let data = try first.file.read(Int(min(Int64(most), first.written - first.read)), at: first.read)
        segments[0].read += Int64(data.count)
        count -= Int64(data.count)
        if segments[0].read == segments[0].written { giveBackFirst() }
        return data
    }

    /// The space of what is read; the last file stays for what comes next.
    private mutating func giveBackFirst() {
        guard segments.count == 1 else {
            segments.removeFirst()
            return
        }
        segments[0].file.empty()
        segments[0] = Segment(file: segments[0].file)
    }
}

/// A file without a name, for this user only, gone with its last reference.
final class SpillFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// A new file where temporary files go.
    init() throws(ExchangeFailure) {
        let file: TemporaryFile
        do throws(FileError) { file = try TemporaryFile() } catch { throw ExchangeFailure(.file(error)) }
        // Only the descriptor keeps it: nothing is left behind, however the process ends.
        unlink(file.path)
        descriptor = file.descriptor
        path = file.path
    }

    deinit { close(descriptor) }

    /// Writes all of `data` at `offset`.
    func write(_ data: Data, at offset: Int64) throws(ExchangeFailure) {
        var written = 0
        while written < data.count {
            let count = data.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress?.advanced(by: written), data.count - written,
                    off_t(offset) + off_t(written))
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw failure(.system(.write, errno: errno))
            }
        }
    }

    /// Reads up to `count` bytes at `offset`.
    func read(_ count: Int, at offset: Int64) throws(ExchangeFailure) -> Data {
        var data = Data(count: count)
        while true {
            let got = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
            if got > 0 { return data.prefix(got) }
            // What was written is there: no byte is as wrong as an error.
            if got == 0 { throw failure(.truncated) }
            if errno != EINTR { throw failure(.system(.read, errno: errno)) }
        }
    }

    private func failure(_ failure: RESTClientError.FileFailure) -> ExchangeFailure {
        ExchangeFailure(.file(FileError(path: path, failure: failure)))
    }

    /// Gives the space back when all is read.
    func empty() { _ = ftruncate(descriptor, 0) }
}
