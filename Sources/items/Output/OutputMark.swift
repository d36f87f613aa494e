import Foundation

/// The end of an output that is a regular file. A later run continues there.
struct OutputMark: Codable {
    var offset: Int64
    let file: FileIdentity
    /// The name of the temporary file of `--output`.
    let partial: String?

    /// Returns `nil` if the destination is a pipe or a device.
    init?(_ destination: borrowing Destination) {
        var status = stat()
        guard fstat(destination.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        offset = Int64(status.st_size)
        file = FileIdentity(status)
        partial = destination.partial
    }
}

/// The identity of a file, whatever its name.
struct FileIdentity: Codable, Equatable {
    private let device: UInt64
    private let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The file at `path`, which can be a symbolic link, or `nil` if there is none.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
