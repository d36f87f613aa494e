package import Foundation

/// The atomic replacement of files, under one rule for all files that the package writes: the name never refers to half a
/// file, the target of a symbolic link is replaced instead of the link, a replaced file keeps its owner and its
/// permissions, and only its owner can access a new one.
package enum FileReplacement {
    private struct NotRegularFile: LocalizedError {
        var errorDescription: String? { "the target is not a regular file" }
    }

    /// Replaces the file `url`, or creates it. Its directory must exist.
    ///
    /// - Parameter isHidden: `true` for a file that only the package uses: whatever has its name is replaced, even a link,
    ///   by a file that only its owner can access.
    package static func write(_ data: Data, to url: URL, isHidden: Bool = false) throws {
        let name = url.path(percentEncoded: false)
        let target = isHidden ? name : target(of: name)
        guard isHidden || FileStatus(at: target)?.isRegular ?? true else {
            throw NotRegularFile()
        }
        let (path, descriptor) = try newFile(in: directory(of: target))
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // The lock ends when all descriptors are closed.
        let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        defer { close(lock) }
        do {
            try handle.write(contentsOf: data)
            if !isHidden { copyAttributes(of: target, to: descriptor) }
            try handle.close()
            guard rename(path, target) == 0 else { throw POSIXError.last }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Creates a file with a temporary name that only its owner can access, in a directory that ends with a slash, and locks it
    /// until it is closed. What processes that were killed have left there with this prefix is removed, unless it has a mark.
    package static func newFile(
        in directory: String, prefix: String = ".restclient-", mark: String = ""
    ) throws(POSIXError) -> (path: String, descriptor: Int32) {
        removeAbandonedOnce(in: directory, as: prefix) {
            $0.hasPrefix(prefix) && $0.utf8.count == prefix.utf8.count + 6
        }
        while true {
            var bytes = Array("\(directory)\(prefix)\(mark)XXXXXX".utf8CString)
            let descriptor = mkstemp(&bytes)
            guard descriptor >= 0 else { throw .last }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let path = String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            // Another process may have removed the file before it was locked.
            if flock(descriptor, LOCK_EX) != 0 || isNamed(path, descriptor) { return (path, descriptor) }
            close(descriptor)
        }
    }

    // MARK: Abandoned files

    /// The directories in which abandoned files were searched, with the kind of the files.
    private static let searched = LockedState<Set<String>>([])

    /// Removes the hidden files of this user in a directory that `isTemporary` returns `true` for, and that no process has
    /// locked: a process that created one was killed. Does so once for each directory and kind.
    package static func removeAbandonedOnce(
        in directory: String, as kind: String, _ isTemporary: (_ name: String) -> Bool
    ) {
        let isNew = searched.withLock { searched in
            // A program that writes to ever new directories does not collect their names.
            if searched.count >= 1_000 { searched = [] }
            return searched.insert("\(kind) \(directory)").inserted
        }
        guard isNew, let folder = opendir(directory) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.first == UInt8(ascii: ".")
                    ? String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) : ""
            }
            guard isTemporary(name) else { continue }
            let path = directory + name
            let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            guard let status = FileStatus(of: file), status.isOwn, status.isRegular,
                flock(file, LOCK_EX | LOCK_NB) == 0,
                isNamed(path, file)
            else { continue }
            unlink(path)
        }
    }

    /// Returns `true` if the name refers to the open file.
    package static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
        FileStatus(of: descriptor)?.isSameFile(as: FileStatus(at: path)) ?? false
    }

    /// Gives the owner and the permissions of the file at `target` to an open file that replaces it. If the owner cannot be
    /// kept, the permissions of group and others are removed.
    ///
    /// - Returns: `false` if there is no file at `target`, or if another user may have put it there.
    @discardableResult package static func copyAttributes(of target: String, to descriptor: Int32) -> Bool {
        guard let old = FileStatus(at: target), old.isTrusted(at: target) else { return false }
        let isSame = fchown(descriptor, old.owner, old.group) == 0
        fchmod(descriptor, old.mode & (isSame ? 0o777 : 0o700))
        return true
    }

    /// Returns the path of the target of a symbolic link, which need not exist, or `path` if it is not a link.
    ///
    /// Some links have no target that could be replaced: those in a loop, those of another user in a folder of all users,
    /// and those to open files, which the kernel does not resolve by their text. Their own path is returned.
    package static func target(of path: String) -> String {
        var target = path
        for _ in 0..<40 {
            guard let link = FileStatus(at: target), link.isTrusted(at: target), !isKernelLink(target),
                let text = try? FileManager.default.destinationOfSymbolicLink(atPath: target)
            else { return target }
            target = text.hasPrefix("/") ? text : directory(of: target) + text
        }
        return path
    }

    // Only Linux has links to open files that the kernel does not resolve by their text, such as that of `/dev/stdout`.
    // Other platforms have devices in their place.
    #if os(Linux)
    /// Returns `true` for a link to an open file.
    package static func isKernelLink(_ path: String) -> Bool { path.hasPrefix("/proc/") }
    #else
    /// Returns `false`: there are no links to open files.
    package static func isKernelLink(_ path: String) -> Bool { false }
    #endif

    /// The directory of `path`, with a slash at its end.
    package static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }
}

/// The status of a file: its kind, its owner and who can access it.
package struct FileStatus: Equatable {
    package let number: UInt64
    package let device: UInt64
    private let linkCount: UInt64
    package let owner: uid_t
    package let group: gid_t
    package let mode: mode_t
    package let size: Int64

    /// The status of the item at `path`, not that of the target of a link; `nil` if there is none.
    package init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of an open file.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        (number, device) = (UInt64(status.st_ino), UInt64(truncatingIfNeeded: status.st_dev))
        (linkCount, size) = (UInt64(status.st_nlink), Int64(status.st_size))
        (owner, group, mode) = (status.st_uid, status.st_gid, status.st_mode)
    }

    package var isRegular: Bool { mode & S_IFMT == S_IFREG }
    /// `true` if the file belongs to the user of the process.
    package var isOwn: Bool { owner == geteuid() }
    /// `true` for a regular file that only the user of the process can access, under one name.
    package var isPrivate: Bool { isOwn && isRegular && linkCount == 1 && mode & 0o077 == 0 }

    package func isSameFile(as other: FileStatus?) -> Bool {
        number == other?.number && device == other?.device
    }

    /// Returns `false` for the file of another user in a folder in which all users can create files. The kernel does not
    /// follow or open such files either (`fs.protected_symlinks`, `fs.protected_regular`).
    fileprivate func isTrusted(at path: String) -> Bool {
        guard let folder = FileStatus(at: FileReplacement.directory(of: path) + ".") else { return true }
        return isOwn || owner == folder.owner || folder.mode & 0o002 == 0
    }
}

extension POSIXError {
    /// The error of the last call of the C library.
    package static var last: Self { Self(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension URL {
    /// Returns the target of a symbolic link, which need not exist, or the URL itself; see `FileReplacement.target(of:)`.
    package func resolvingLinks() -> URL {
        let path = path(percentEncoded: false)
        let target = FileReplacement.target(of: path)
        return target == path ? self : URL(filePath: target)
    }
}
