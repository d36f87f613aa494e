import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A new file for this user only, open to be written and read, and not to be inherited by other programs.
struct TemporaryFile {
    let descriptor: Int32
    let path: String

    /// Makes one in `TMPDIR`, else in the system's folder for large temporary files.
    init() throws(SpillFile.Failure) {
        let folders = [ProcessInfo.processInfo.environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(\.self)
        var reason = "there is no folder for temporary files"
        for folder in folders where !folder.isEmpty {
            var path = Array("\(folder)/restclient-XXXXXX".utf8CString)
            let descriptor = mkstemp(&path)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                self.descriptor = descriptor
                self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return
            }
            reason = String(cString: strerror(errno))
        }
        throw .system(reason)
    }
}
