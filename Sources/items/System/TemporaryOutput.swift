import Foundation
import RESTClient
import Synchronization

/// The temporary file that has to be removed when the program ends, even by a signal.
enum TemporaryOutput {
    private static let prefix = ".items-"

    /// Creates a file in a directory that ends with a slash, and locks it until it is closed. A file of a run that is killed is
    /// removed by a later one, unless it is `isResumable`.
    static func create(
        in directory: String, isResumable: Bool
    ) throws(POSIXError) -> (path: String, descriptor: Int32) {
        let prefix = isResumable ? "\(prefix)partial-" : prefix
        while true {
            let file = try FileReplacement.newFile(in: directory, prefix: prefix)
            // Another run may have removed the file before it was locked.
            if flock(file.descriptor, LOCK_EX) != 0 || isNamed(file.path, file.descriptor) { return file }
            close(file.descriptor)
        }
    }

    /// Removes the files that runs of the same user have left in the directory of an output because they were killed. Files
    /// that are in use are locked.
    static func removeAbandoned(besides output: String) {
        let directory = FileReplacement.directory(of: FileReplacement.target(of: output))
        guard let folder = opendir(directory) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.starts(with: prefix.utf8)
                    ? String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) : ""
            }
            guard name.utf8.count == prefix.utf8.count + 6 else { continue }
            let path = directory + name
            let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            guard let status = FileStatus(of: file), status.isOwn, status.isRegular,
                flock(file, LOCK_EX | LOCK_NB) == 0, isNamed(path, file)
            else { continue }
            unlink(path)
        }
    }

    private static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
        FileStatus(of: descriptor)?.isSameFile(as: FileStatus(at: path)) ?? false
    }

    /// Registers the file. There is one at a time.
    static func register(_ name: String) { free(exchange(strdup(name))) }

    /// Unregisters the file after it was renamed.
    static func unregister() { free(exchange(nil)) }

    /// Removes the file, if there is one. Safe to call in a signal handler.
    static func remove() {
        // Not freed, because `free` is not safe in a signal handler and the program ends.
        if let name = exchange(nil) { unlink(name) }
    }

    private static func exchange(_ name: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
        let before = address.exchange(UInt(bitPattern: name), ordering: .acquiringAndReleasing)
        return UnsafeMutablePointer(bitPattern: before)
    }
}

/// The address of the name, stored as an integer because pointers are not `Sendable`.
private let address = Atomic<UInt>(0)
