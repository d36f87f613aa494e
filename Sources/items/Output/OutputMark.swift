import RESTClient

/// The end of an output that is a regular file. A later run continues there.
struct OutputMark: Codable {
    var offset: Int64
    let file: FileIdentity
    /// The name of the temporary file of `--output`.
    let partial: String?

    /// Returns `nil` if the destination is a pipe or a device.
    init?(_ destination: borrowing Destination) {
        guard let status = FileStatus(of: destination.descriptor), status.isRegular else { return nil }
        offset = status.size
        file = FileIdentity(status)
        partial = destination.partial
    }
}

struct FileIdentity: Codable, Equatable {
    private let device: UInt64
    private let inode: UInt64

    init(_ status: FileStatus) { (device, inode) = (status.device, status.number) }

    /// The file at `path`, which can be a symbolic link, or `nil` if there is none.
    init?(path: String) {
        guard let status = FileStatus(at: path) else { return nil }
        self.init(status)
    }
}
