import Foundation
import RESTClientHTTP

/// A new file that only the current user can access. It is deleted with its last reference.
final class TemporaryFile: Sendable {
    let path: String
    private let handle: FileHandle
    /// Keeps the lock of the file, which says that it is in use, until it is deleted.
    private let lock: FileHandle

    /// Creates a file in `TMPDIR`, `/var/tmp` or `/tmp`, whichever is usable first.
    init() throws(TransportError) {
        let directories = [ProcessInfo.processInfo.environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(
            \.self)
        var error = TransportError(kind: .file(path: "/tmp", .system(.create, errno: ENOENT)))
        for directory in directories where !directory.isEmpty {
            do {
                let file = try FileReplacement.newFile(in: "\(directory)/")
                path = file.path
                handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: true)
                let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
                lock = FileHandle(fileDescriptor: copy, closeOnDealloc: true)
                return
            } catch let failure {
                error = TransportError(
                    kind: .file(path: directory, .system(.create, errno: failure.code.rawValue)))
            }
        }
        throw error
    }

    deinit { unlink(path) }

    /// Appends all of `data`.
    func write(_ data: Data) throws(TransportError) {
        do { try handle.write(contentsOf: data) } catch { throw failure(error) }
    }

    /// Closes the file, which remains on disk. Nothing can be read or written through this object afterwards.
    func close() throws(TransportError) {
        do { try handle.close() } catch { throw failure(error) }
    }

    private func failure(_ error: any Error) -> TransportError {
        TransportError(kind: .file(path: path, .system(.write, errno: error.errorNumber)))
    }
}

extension Error {
    /// The POSIX error number of a Foundation error, or `EIO` if it has none.
    var errorNumber: Int32 {
        let error = self as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.errorNumber ?? EIO
    }
}
