import Synchronization
import RESTClientHTTP

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
    /// Whether what is written is there before ``commit()``.
    let isDirect: Bool

    private enum End {
        case nothing
        case rename(from: String, to: String)
        case copy(to: Int32, name: Name)
    }

    /// How messages call what is written to, and what to try where that fails.
    private struct Name {
        let text: String
        let hint: String?

        init(_ text: String, hint: String? = nil) {
            self.text = text
            self.hint = hint
        }

        func error(_ code: Int32) -> CommandError { CommandError(writing: text, code, hint: hint) }
    }

    /// Of what is atomic, a temporary file at first.
    private var name: Name
    private let end: End
    private let owned: [Int32]
    private var isCommitted = false

    /// The standard output.
    init(standardOutput descriptor: Int32, isAtomic: Bool) throws(CommandError) {
        try self.init(descriptor, name: Name("the output"), owned: [], isAtomic: isAtomic)
    }

    /// The file at `path`: replaced where it is a regular one or none, else written to.
    init(path: String, isAtomic: Bool) throws(CommandError) {
        let name = Name(TerminalEscaping.escaped(path, limit: 200))
        var status = stat()
        let isThere = lstat(path, &status) == 0
        if !isThere || status.st_mode & S_IFMT == S_IFREG {
            // A folder may let files be replaced that nobody may write to.
            guard !isThere || access(path, W_OK) == 0 else { throw name.error(errno) }
            let temporary = try Self.temporaryFile(in: Self.folder(of: path), called: name)
            TemporaryOutput.register(temporary.path)
            if isThere { Self.give(temporary.descriptor, to: status) }
            self.init(
                temporary.descriptor, name, .rename(from: temporary.path, to: path),
                owned: [temporary.descriptor])
        } else {
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
            guard file >= 0 else { throw name.error(errno) }
            if !isAtomic { Self.empty(file) }
            try self.init(file, name: name, owned: [file], isAtomic: isAtomic)
        }
    }

    /// Throws what ``init(path:isAtomic:)`` would, as far as that can be known before there is anything to write.
    static func check(path: String) throws(CommandError) {
        let name = Name(TerminalEscaping.escaped(path, limit: 200))
        let folder = folder(of: path)
        // A link leads to a folder that is not known here.
        guard access(path, F_OK) == 0 ? access(path, W_OK) == 0 : access(folder + ".", W_OK) == 0 else {
            throw name.error(errno)
        }
    }

    private init(_ target: Int32, name: Name, owned: [Int32], isAtomic: Bool) throws(CommandError) {
        guard isAtomic else {
            self.init(target, name, .nothing, owned: owned)
            return
        }
        let folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let spool = Name(
            "a temporary file in \(TerminalEscaping.escaped(folder, limit: 200))",
            hint: "TMPDIR names the folder for it")
        let file = try Self.temporaryFile(in: "\(folder)/", called: spool)
        unlink(file.path)
        self.init(file.descriptor, spool, .copy(to: target, name: name), owned: owned + [file.descriptor])
    }

    private init(_ descriptor: Int32, _ name: Name, _ end: End, owned: [Int32]) {
        self.descriptor = descriptor
        self.name = name
        self.end = end
        self.owned = owned
        isDirect = if case .nothing = end { true } else { false }
    }

    deinit {
        for descriptor in owned { close(descriptor) }
        if !isCommitted, case .rename = end { TemporaryOutput.remove() }
    }

    /// What it means to somebody at a terminal that not all could be written.
    func error(_ failure: OutputError) -> CommandError {
        if case .failed(let code) = failure { name.error(code) } else { CommandError(failure) }
    }

    /// Makes what was written the whole of it.
    mutating func commit() throws {
        switch end {
        case .nothing: break
        case .rename(let temporary, let path):
            guard rename(temporary, path) == 0 else { throw OutputError.failed(errno) }
            TemporaryOutput.unregister()
        case .copy(let target, let targetName):
            name = targetName
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
            if count < 0 { throw OutputError.failed(errno) }
            if count == 0 { return try output.flush() }
            try buffer.withUnsafeBytes { try output.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += off_t(count)
        }
    }

    /// A new file that only its owner may read, in `folder`, which ends with a slash or is empty.
    private static func temporaryFile(
        in folder: String, called name: Name
    ) throws(CommandError) -> (path: String, descriptor: Int32) {
        var path = Array("\(folder).items-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw name.error(errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return (String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self), descriptor)
    }

    /// Lets those read `file` who may read what it takes the place of. Where it cannot be given to the same owner and
    /// group, the rights of others are not theirs.
    private static func give(_ file: Int32, to old: stat) {
        let isSame = fchown(file, old.st_uid, old.st_gid) == 0
        fchmod(file, old.st_mode & (isSame ? 0o777 : 0o700))
    }

    /// Takes out what is in a regular file; of anything else there is nothing to take out.
    private static func empty(_ file: Int32) { _ = ftruncate(file, 0) }

    /// With the slash at its end.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}

extension CommandError {
    /// Something cannot be written to.
    init(writing name: String, _ code: Int32, hint: String? = nil) {
        self.init(.outputFailed, "cannot write \(name): \(String(cString: strerror(code)))", hint: hint)
    }
}

/// The unfinished file that must go however the program ends, by a signal, too.
enum TemporaryOutput {
    /// Names the file; there is one at a time.
    static func register(_ name: String) { free(exchange(strdup(name))) }

    /// It is no leftover any more.
    static func unregister() { free(exchange(nil)) }

    /// Removes the file, if there is one; a signal handler may call it.
    static func remove() {
        // Not freed: a handler may not, and the program ends.
        if let name = exchange(nil) { unlink(name) }
    }

    private static func exchange(_ name: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
        let before = address.exchange(UInt(bitPattern: name), ordering: .acquiringAndReleasing)
        return UnsafeMutablePointer(bitPattern: before)
    }
}

/// Of its name. As a number, because pointers do not go between threads.
private let address = Atomic<UInt>(0)
