import Foundation
import RESTClientHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A queue of bytes on disk, for a consumer that is slower than the network.
///
/// The bytes are stored in several files, each of which is deleted when it was read, so that a consumer that never
/// catches up does not fill the disk with bytes that it has read.
struct SpilledBytes {
    private struct Segment {
        let file: SpillFile
        var read: Int64 = 0
        var written: Int64 = 0
    }

    /// The number of bytes to be read.
    private(set) var count: Int64 = 0

    private var segments: [Segment] = []
    private let segmentSize: Int64

    /// Creates an empty queue whose files have about `segmentSize` bytes.
    init(segmentSize: Int64 = 64 << 20) { self.segmentSize = segmentSize }

    /// The number of bytes on disk, including those that were read and not deleted yet.
    var diskUsage: Int64 { segments.reduce(0) { $0 + $1.written } }

    /// Appends `data`, if no more than `limit` bytes wait then.
    mutating func append(_ data: Data, limit: Int64) throws(TransportError) {
        guard count + Int64(data.count) <= limit else { throw TransportError(.limit(.spillBytes(limit))) }
        if segments.last.map({ $0.written >= segmentSize }) ?? true {
            segments.append(Segment(file: try SpillFile()))
        }
        let last = segments.count - 1
        try segments[last].file.write(data, at: segments[last].written)
        segments[last].written += Int64(data.count)
        count += Int64(data.count)
    }

    /// Removes and returns up to `limit` bytes.
    mutating func takeFirst(_ limit: Int) throws(TransportError) -> Data {
        guard let first = segments.first, count > 0 else { return Data() }
        let data = try first.file.read(Int(min(Int64(limit), first.written - first.read)), at: first.read)
        segments[0].read += Int64(data.count)
        count -= Int64(data.count)
        if segments[0].read == segments[0].written { deleteFirst() }
        return data
    }

    /// Deletes a file that was read; the last one is truncated and used again.
    private mutating func deleteFirst() {
        guard segments.count == 1 else {
            segments.removeFirst()
            return
        }
        segments[0].file.truncate()
        segments[0] = Segment(file: segments[0].file)
    }
}

/// An unlinked temporary file, deleted with its last reference.
final class SpillFile: Sendable {
    private let path: String
    private let handle: FileHandle

    /// Creates a file in the folder for temporary files.
    init() throws(TransportError) {
        let file = try TemporaryFile()
        // The file has no name, so it is deleted however the process ends.
        unlink(file.path)
        handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: true)
        path = file.path
    }

    /// Writes all of `data` at `offset`.
    func write(_ data: Data, at offset: Int64) throws(TransportError) {
        do {
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: data)
        } catch {
            throw TransportError(.file(path: path, .system(.write, errno: error.errorNumber)))
        }
    }

    /// Reads up to `count` bytes at `offset`.
    func read(_ count: Int, at offset: Int64) throws(TransportError) -> Data {
        let data: Data?
        do {
            try handle.seek(toOffset: UInt64(offset))
            data = try handle.read(upToCount: count)
        } catch {
            throw TransportError(.file(path: path, .system(.read, errno: error.errorNumber)))
        }
        // All bytes were written before, so the end of the file is an error.
        guard let data, !data.isEmpty else { throw TransportError(.file(path: path, .truncated)) }
        return data
    }

    /// Frees the disk space of the file.
    func truncate() { try? handle.truncate(atOffset: 0) }
}

/// A new file that is readable by the current user only, open for reading and writing, and not inherited by subprocesses.
struct TemporaryFile {
    let descriptor: Int32
    let path: String

    /// Creates a file in `TMPDIR`, or in the folder of the system for large temporary files.
    init() throws(TransportError) {
        let folders = [ProcessInfo.processInfo.environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(\.self)
        var error = TransportError(.file(path: "/tmp", .system(.create, errno: ENOENT)))
        for folder in folders where !folder.isEmpty {
            var path = Array("\(folder)/restclient-XXXXXX".utf8CString)
            let descriptor = mkstemp(&path)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                self.descriptor = descriptor
                self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return
            }
            error = TransportError(.file(path: folder, .system(.create, errno: errno)))
        }
        throw error
    }
}

extension Error {
    /// The error number of the system in an error of Foundation; `EIO` if there is none.
    var errorNumber: Int32 {
        if let error = self as? POSIXError { return error.code.rawValue }
        let error = self as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.errorNumber ?? EIO
    }
}
