import Foundation
import RESTClientHTTP

/// A queue of bytes on disk, for a consumer that is slower than the network.
///
/// The bytes are stored in several files. Each file is deleted after it has been read, so that bytes that were already
/// consumed do not fill the disk.
struct SpilledBytes {
    private struct Segment {
        let file: TemporaryFile
        var read: Int64 = 0
        var written: Int64 = 0
    }

    /// The number of unread bytes.
    private(set) var count: Int64 = 0

    private var segments: [Segment] = []
    private let segmentSize: Int64

    /// Creates an empty queue whose files have about `segmentSize` bytes.
    init(segmentSize: Int64 = 64 << 20) { self.segmentSize = segmentSize }

    /// The number of bytes on disk, including those that were read and not deleted yet.
    var diskUsage: Int64 { segments.reduce(0) { $0 + $1.written } }

    /// Appends `data`, or throws if more than `limit` bytes would be stored.
    mutating func append(_ data: Data, limit: Int64) throws(TransportError) {
        guard count + Int64(data.count) <= limit else {
            throw TransportError(kind: .limit(.spillBytes(limit)))
        }
        if segments.last.map({ $0.written >= segmentSize }) ?? true {
            segments.append(Segment(file: try TemporaryFile(isNamed: false)))
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

    /// Deletes the first file, which has been read. If it is the only file, it is truncated and reused.
    private mutating func deleteFirst() {
        guard segments.count == 1 else {
            segments.removeFirst()
            return
        }
        segments[0].file.truncate()
        segments[0] = Segment(file: segments[0].file)
    }
}

/// A new file that only the current user can access. It is deleted with its last reference.
final class TemporaryFile: Sendable {
    let path: String
    private let isNamed: Bool
    private let handle: FileHandle

    /// Creates a file in `TMPDIR`, `/var/tmp` or `/tmp`, whichever is usable first.
    ///
    /// - Parameter isNamed: `false` if the file is only used through this object. Its name is removed immediately, so
    ///   that the file is deleted even if the process crashes.
    init(isNamed: Bool = true) throws(TransportError) {
        let directories = [ProcessInfo.processInfo.environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(
            \.self)
        var error = TransportError(kind: .file(path: "/tmp", .system(.create, errno: ENOENT)))
        for directory in directories where !directory.isEmpty {
            do {
                let file = try FileReplacement.newFile(in: "\(directory)/")
                path = file.path
                handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: true)
                self.isNamed = isNamed
                if !isNamed { unlink(path) }
                return
            } catch let failure {
                error = TransportError(
                    kind: .file(path: directory, .system(.create, errno: failure.code.rawValue)))
            }
        }
        throw error
    }

    deinit { if isNamed { unlink(path) } }

    /// Writes all of `data` at `offset`.
    func write(_ data: Data, at offset: Int64) throws(TransportError) {
        do {
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: data)
        } catch { throw TransportError(kind: .file(path: path, .system(.write, errno: error.errorNumber))) }
    }

    /// Reads up to `count` bytes at `offset`.
    func read(_ count: Int, at offset: Int64) throws(TransportError) -> Data {
        let data: Data?
        do {
            try handle.seek(toOffset: UInt64(offset))
            data = try handle.read(upToCount: count)
        } catch { throw TransportError(kind: .file(path: path, .system(.read, errno: error.errorNumber))) }
        // All bytes were written before, so the end of the file is an error.
        guard let data, !data.isEmpty else { throw TransportError(kind: .file(path: path, .truncated)) }
        return data
    }

    /// Closes the file, which remains on disk. Nothing can be read or written through this object afterwards.
    func close() throws(TransportError) {
        do { try handle.close() } catch {
            throw TransportError(kind: .file(path: path, .system(.write, errno: error.errorNumber)))
        }
    }

    /// Frees the disk space of the file.
    func truncate() { try? handle.truncate(atOffset: 0) }
}

extension Error {
    /// The POSIX error number of a Foundation error, or `EIO` if it has none.
    var errorNumber: Int32 {
        let error = self as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.errorNumber ?? EIO
    }
}
