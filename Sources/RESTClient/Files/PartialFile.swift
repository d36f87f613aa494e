import Foundation
import RESTClientHTTP

/// The hidden files of a download next to its destination: the received bytes, and the validator of the resource.
///
/// Other users may be able to create files in the directory, so only private files are used: regular files of the user of
/// the process, which no other user can access, and which have no other name.
struct PartialFile: Hashable, Sendable {
    /// The file that contains the received bytes until the download is complete.
    let url: URL
    /// The file that stores the validator. A third line contains the name of the destination.
    let validatorFile: URL
    /// `true` if later downloads to the same destination use the same file.
    let isResumable: Bool
    private let name: String

    /// Creates the names for a destination without symbolic links. `id` makes the names unique.
    init(of target: URL, id: UUID? = nil) {
        name = target.lastPathComponent
        isResumable = id == nil
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
        return "\(start)-\(String(name.utf8.stableHash, radix: 16))"
    }

    /// Returns the destination and the identifier in the name of a partial file that no later download continues, or `nil` for
    /// another name.
    static func id(in name: String) -> (target: String, id: UUID)? {
        guard name.hasPrefix("."), name.hasSuffix(suffix) else { return nil }
        let stem = name.dropFirst().dropLast(suffix.count)
        guard let dot = stem.lastIndex(of: "."), dot > stem.startIndex else { return nil }
        let text = stem[stem.index(after: dot)...]
        return UUID(uuidString: String(text)).flatMap {
            $0.uuidString == text ? (String(stem[..<dot]), $0) : nil
        }
    }

    private var path: String { url.path(percentEncoded: false) }

    /// The status of the file, or `nil` if there is none of this user.
    var status: FileStatus? { FileStatus(at: path).flatMap { $0.isOwn && $0.isRegular ? $0 : nil } }

    /// The stored validator, or `nil` if there is none that can be sent.
    var validator: ResourceValidator? {
        guard let lines = Self.lines(of: validatorFile), lines.count == 3 else { return nil }
        let total = ContentRange.number(lines[1][...])
        guard total != nil || lines[1].isEmpty else { return nil }
        return ResourceValidator(lines[0], total: total)
    }

    /// The lines of a validator file, or `nil` if it is not private.
    static func lines(of file: URL) -> [String]? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(file.path(percentEncoded: false), flags)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard FileStatus(of: descriptor)?.isPrivate == true, let data = try? handle.read(upToCount: 64 << 10),
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func store(_ validator: ResourceValidator) throws {
        let text = "\(validator.value)\n\(validator.total.map { "\($0)" } ?? "")\n\(name)"
        try FileReplacement.write(Data(text.utf8), to: validatorFile, isHidden: true)
    }

    func removeValidator() { unlink(validatorFile.path(percentEncoded: false)) }

    /// Opens and locks the file, or creates it if `creating` is `true`. A file of this user that is not private is removed
    /// first.
    ///
    /// - Returns: `nil` if there is no file, or if the name is in use by another user or by a directory.
    /// - Throws: `POSIXError`, with the code `EBUSY` if another download uses the file.
    func openLocked(creating: Bool = true) throws -> FileHandle? {
        if creating {
            // A file that cannot be continued, and that no download has locked, is that of a process that was killed.
            FileReplacement.removeAbandonedOnce(in: FileReplacement.directory(of: path), as: Self.suffix) {
                Self.id(in: $0) != nil
            }
        }
        // Repeated if another download creates or removes the file at the same time.
        for _ in 1...10 {
            let named = FileStatus(at: path)
            guard named?.isOwn ?? creating else { return nil }
            if let named, !named.isPrivate {
                guard unlink(path) == 0 || errno == ENOENT else { return nil }
                continue
            }
            let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (named == nil ? O_CREAT | O_EXCL : 0)
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else {
                guard errno == (named == nil ? EEXIST : ENOENT) else { throw POSIXError.last }
                continue
            }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            // Another download may have renamed the file before it was locked, or removed it as abandoned.
            let isUnique = creating && !isResumable
            if flock(descriptor, isUnique ? LOCK_EX : LOCK_EX | LOCK_NB) == 0,
                FileReplacement.isNamed(path, descriptor),
                named == nil || FileStatus(of: descriptor)?.isPrivate == true
            {
                return handle
            }
            guard isUnique else { break }
        }
        throw POSIXError(.EBUSY)
    }

    /// Removes both files. The file must be locked.
    func remove(_ handle: FileHandle) {
        if FileReplacement.isNamed(path, handle.fileDescriptor) { unlink(path) }
        removeValidator()
    }

    /// Renames the file to `target`, which gets the permissions of the file that it replaces or of a new file.
    func move(_ handle: FileHandle, to target: URL) throws {
        guard FileReplacement.isNamed(path, handle.fileDescriptor) else { throw POSIXError(.EBUSY) }
        removeValidator()
        let target = target.path(percentEncoded: false)
        if !FileReplacement.copyAttributes(of: target, to: handle.fileDescriptor) {
            fchmod(handle.fileDescriptor, permissionsOfNewFile)
        }
        // Replaces an existing file atomically, but not a directory.
        guard rename(path, target) == 0 else { throw POSIXError.last }
    }

    /// The permissions of a new file, which depend on the umask of the process. They are read from an empty file, because
    /// reading the umask would change it for other threads.
    private var permissionsOfNewFile: mode_t {
        let path = "\(path).\(UUID())"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return 0o600 }
        defer {
            close(descriptor)
            unlink(path)
        }
        return FileStatus(of: descriptor).map { $0.mode & 0o777 } ?? 0o600
    }
}
