import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The failure of an operation on a file.
struct FileError: Error {
    let path: String
    let failure: RESTClientError.FileFailure
}

/// A new file for this user only, open to be written and read, and not to be inherited by other programs.
struct TemporaryFile {
    let descriptor: Int32
    let path: String

    /// Makes one in `TMPDIR`, else in the system's folder for large temporary files.
    init() throws(FileError) {
        let folders = [ProcessInfo.processInfo.environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(\.self)
        var failed = FileError(path: "/tmp", failure: .system(.create, errno: ENOENT))
        for folder in folders where !folder.isEmpty {
            var path = Array("\(folder)/restclient-XXXXXX".utf8CString)
            let descriptor = mkstemp(&path)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                self.descriptor = descriptor
                self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return
            }
            failed = FileError(path: folder, failure: .system(.create, errno: errno))
        }
        throw failed
    }
}

extension Error {
    /// The error number of the system in an error of Foundation, `EIO` if there is none.
    var errorNumber: Int32 {
        if let error = self as? POSIXError { return error.code.rawValue }
        let error = self as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.errorNumber ?? EIO
    }
}
