import HTTPCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where the output goes, and what makes it whole in the end.
///
/// A regular file is replaced by one that is written beside it, so that there is never half a list under its name. What
/// is atomic waits in a file without a name.
struct Destination: ~Copyable {
    /// What to write to.
    let descriptor: Int32
    /// How messages call it.
    let name: String
    /// Whether what is written is there before ``commit()``.
    let isDirect: Bool

    private enum End {
        case nothing
        case rename(from: String, to: String)
        case copy(to: Int32)
    }

    private let end: End
    private let owned: [Int32]
    private var isCommitted = false

    /// The standard output.
    init(standardOutput descriptor: Int32, isAtomic: Bool) throws(Complaint) {
        try self.init(descriptor, name: "the output", owned: [], isAtomic: isAtomic)
    }

    /// The file at `path`: replaced where it is a regular one or none, else written to.
    init(path: String, isAtomic: Bool) throws(Complaint) {
        let name = SafeText.escaped(path, limit: 200)
        var status = stat()
        let isThere = lstat(path, &status) == 0
        if !isThere || status.st_mode & S_IFMT == S_IFREG {
            let temporary = "\(Self.folder(of: path)).\(Self.last(of: path)).\(getpid()).items"
            let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw Complaint(writing: name, errno) }
            Leftover.isAt(temporary)
            // Who may read the list is decided by who may read the file that it takes the place of.
            fchmod(file, isThere ? status.st_mode & 0o777 : 0o600)
            self.init(file, name, .rename(from: temporary, to: path), owned: [file])
        } else {
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
            guard file >= 0 else { throw Complaint(writing: name, errno) }
            if !isAtomic { Self.empty(file) }
            try self.init(file, name: name, owned: [file], isAtomic: isAtomic)
        }
    }

    private init(_ target: Int32, name: String, owned: [Int32], isAtomic: Bool) throws(Complaint) {
        guard isAtomic else {
            self.init(target, name, .nothing, owned: owned)
            return
        }
        let spool = Self.unnamedFile()
        guard spool >= 0 else { throw Complaint(writing: "a temporary file", errno) }
        self.init(spool, name, .copy(to: target), owned: owned + [spool])
    }

    private init(_ descriptor: Int32, _ name: String, _ end: End, owned: [Int32]) {
        self.descriptor = descriptor
        self.name = name
        self.end = end
        self.owned = owned
        isDirect = if case .nothing = end { true } else { false }
    }

    deinit {
        for descriptor in owned { close(descriptor) }
        if !isCommitted, case .rename = end { Leftover.remove() }
    }

    /// Makes what was written the whole of it.
    mutating func commit() throws {
        switch end {
        case .nothing: break
        case .rename(let temporary, let path):
            guard rename(temporary, path) == 0 else { throw OutputFailure.failed(errno) }
            Leftover.isGone()
        case .copy(let target):
            if target != STDOUT_FILENO { Self.empty(target) }
            try copy(to: target)
        }
        isCommitted = true
    }

    private func copy(to target: Int32) throws {
        var output = Output(descriptor: target)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var offset: off_t = 0
        while true {
            let count = pread(descriptor, &buffer, buffer.count, offset)
            if count < 0 { throw OutputFailure.failed(errno) }
            if count == 0 { return try output.flush() }
            try buffer.withUnsafeBytes { try output.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += off_t(count)
        }
    }

    /// A file that nobody else sees, and that is gone with its descriptor.
    private static func unnamedFile() -> Int32 {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/items-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        if descriptor >= 0 {
            unlink(path)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        return descriptor
    }

    /// Takes out what is in a regular file; of anything else there is nothing to take out.
    private static func empty(_ file: Int32) { _ = ftruncate(file, 0) }

    /// With the slash at its end.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    private static func last(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}

extension Complaint {
    /// Something cannot be written to.
    init(writing name: String, _ code: Int32) {
        self.init(.outputFailed, "cannot write \(name): \(String(cString: strerror(code)))")
    }
}
