import Foundation
import RESTClientHTTP

/// The hidden files of a download next to its destination: the received bytes, and the validator of the resource.
struct PartialFile: Hashable, Sendable {
    /// The state of a resource: an `ETag` or, if there is none, a `Last-Modified`, and the total length, if it is known.
    struct Validator: Equatable, Sendable {
        let value: String
        let total: Int64?

        /// The header field of a response that contains the value.
        var header: HTTPHeaders.Name { value.hasPrefix("\"") ? .eTag : .lastModified }
    }

    /// The file that contains the received bytes until the download is complete.
    let url: URL
    /// The file that stores the validator. A third line contains the name of the destination.
    let validatorFile: URL
    private let name: String

    /// Creates the names for a destination without symbolic links. `id` makes the names unique.
    init(of target: URL, id: UUID? = nil) {
        name = target.lastPathComponent
        let suffix = id.map { ".\($0.uuidString)" } ?? ""
        let directory = target.deletingLastPathComponent()
        url = directory.appending(path: ".\(Self.shortened(name))\(suffix)\(Self.suffix)")
        validatorFile = url.appendingPathExtension(Self.validatorExtension)
    }

    static let suffix = ".partial"
    static let validatorExtension = "validator"

    /// Returns a name that leaves space for suffixes, because file names have at most 255 bytes. A long name is cut and
    /// made unique by a hash.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > 190 else { return name }
        var start = name
        while start.utf8.count > 170 { start.removeLast() }
        return "\(start)-\(String(name.stableHash, radix: 16))"
    }

    var length: Int64 { FileAttributes(url).size ?? 0 }

    /// The stored validator, or `nil` if there is none or it is not a valid field value: every request with it would be
    /// rejected.
    var validator: Validator? {
        guard let lines = Self.lines(of: validatorFile), let value = lines.first, !value.isEmpty,
            value.isFieldValue
        else { return nil }
        return Validator(value: value, total: lines.count > 1 ? Int64(lines[1]) : nil)
    }

    static func lines(of file: URL) -> [String]? {
        let text = try? String(contentsOf: file, encoding: .utf8)
        return text?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func store(_ validator: Validator) throws {
        let text = "\(validator.value)\n\(validator.total.map { "\($0)" } ?? "")\n\(name)"
        try Data(text.utf8).write(to: validatorFile, options: .atomic)
    }

    func removeValidator() { try? FileManager.default.removeItem(at: validatorFile) }

    /// Opens and locks the file. All resumable downloads to the same destination share it.
    func openLocked(creating: Bool = true) throws -> FileHandle {
        let path = url.path(percentEncoded: false)
        // `O_NOFOLLOW`, because another user may have created a link in a shared directory.
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0)
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw POSIXError(.EBUSY) }
        // Another download may have renamed the file before it was locked.
        var opened = stat()
        var named = stat()
        guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino else {
            throw POSIXError(.EBUSY)
        }
        guard opened.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EEXIST) }
        return handle
    }

    /// Removes both files. The file must be locked.
    func remove() {
        try? FileManager.default.removeItem(at: url)
        removeValidator()
    }

    /// Renames the file to `target`, which gets the permissions of the file that it replaces or of a new file.
    func move(_ handle: FileHandle, to target: URL) throws {
        removeValidator()
        fchmod(handle.fileDescriptor, permissions(for: target))
        // Replaces an existing file atomically, but not a directory.
        guard rename(url.path(percentEncoded: false), target.path(percentEncoded: false)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// The permissions of the replaced file or, if there is none, those of a new file, which depend on the umask of the
    /// process. They are read from an empty file, because reading the umask would change it for other threads.
    private func permissions(for target: URL) -> mode_t {
        var status = stat()
        if stat(target.path(percentEncoded: false), &status) != 0 {
            let path = validatorFile.path(percentEncoded: false)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return 0o600 }
            close(descriptor)
            unlink(path)
        }
        return status.st_mode & 0o777
    }
}

extension String {
    /// A hash that is the same in each process (FNV-1a). Collisions can be constructed.
    var stableHash: UInt64 {
        utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension URL {
    /// Returns the target of a symbolic link, which need not exist, or the link itself if its links form a loop.
    func resolvingLinks() -> URL {
        var url = self
        for _ in 0..<40 {
            let path = url.path(percentEncoded: false)
            guard let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                return url
            }
            url = URL(filePath: destination, relativeTo: url.deletingLastPathComponent()).absoluteURL
        }
        return self
    }
}
