import Foundation
import Synchronization
import RESTClient

/// The destination of the output, and the step that completes it. A regular file is replaced by a temporary
/// file next to it, so that its name never refers to half a list.
struct Destination: ~Copyable {
    let descriptor: Int32
    /// The target in messages.
    let label: String
    /// The temporary file and the file that it replaces, or `nil` for output that is visible at once.
    private let replacement: (from: String, to: String)?
    private let ownsDescriptor: Bool
    private var isCommitted = false
    /// `true` to keep the temporary file if the output is incomplete, so that the next run can continue it.
    var keepsPartial = false { didSet { if keepsPartial { TemporaryOutput.unregister() } } }

    /// `true` if output is visible before ``commit()``.
    var isDirect: Bool { replacement == nil }

    /// `true` if everything is written at the end of a file, as after `>>`.
    var isAppending: Bool { fcntl(descriptor, F_GETFL) & O_APPEND != 0 }

    /// The name of the temporary file next to the target, if there is one.
    var partial: String? {
        replacement.map { String($0.from.dropFirst(FileReplacement.directory(of: $0.from).count)) }
    }

    init(standardOutput descriptor: Int32) {
        (self.descriptor, label, replacement, ownsDescriptor) = (descriptor, "standard output", nil, false)
    }

    /// The file at `path`, or the target of a link. A regular or missing file is replaced; any other file is written
    /// directly.
    init(
        path: String, isResumable: Bool = false, continuing mark: OutputMark? = nil
    ) throws(CommandError) {
        label = path.escaped()
        let number = Self.openFile(at: path)
        let target = number == nil ? FileReplacement.target(of: path) : path
        let directory = FileReplacement.directory(of: target)
        let isReplaced = number == nil && FileStatus(at: target)?.isRegular ?? true
        let partial = isReplaced ? mark?.partial.map { directory + $0 } : nil
        let partialFile = partial.map { open($0, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) } ?? -1
        if let partial, partialFile >= 0 {
            (descriptor, replacement, keepsPartial) = (partialFile, (partial, target), true)
        } else if isReplaced {
            // A directory can allow replacing a file that is not writable.
            guard access(target, F_OK) != 0 || access(target, W_OK) == 0 else {
                throw CommandError(writing: label, errno)
            }
            let temporary = try Self.newFile(in: directory, isResumable: isResumable, label: label)
            TemporaryOutput.register(temporary.path)
            FileReplacement.copyAttributes(of: target, to: temporary.descriptor)
            (descriptor, replacement) = (temporary.descriptor, (temporary.path, target))
        } else {
            // An open file, such as `/dev/stdout`, keeps its position and what it has, as after `>>`.
            let following = FileReplacement.isKernelLink(target) ? 0 : O_NOFOLLOW
            let file =
                number.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
                ?? open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | following)
            guard file >= 0 else { throw CommandError(writing: label, errno) }
            // Has an effect on a regular file that another process has open only.
            if number == nil, mark == nil { _ = ftruncate(file, 0) }
            (descriptor, replacement) = (file, nil)
        }
        ownsDescriptor = true
    }

    /// Returns the descriptor of an open file that a path such as `/dev/fd/3` names, or a link such as `/dev/stdout`.
    static func openFile(at path: String) -> Int32? {
        let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", "/proc/\(getpid())/fd/"]
        return [path, FileReplacement.target(of: path)].lazy.compactMap { path in
            folders.first(where: path.hasPrefix).flatMap { Int32(path.dropFirst($0.count)) }
        }.first
    }

    /// Throws the errors of ``init(path:isResumable:continuing:)`` that can be detected before writing.
    static func check(path: String) throws(CommandError) {
        if openFile(at: path) != nil { return }
        let directory = FileReplacement.directory(of: FileReplacement.target(of: path))
        guard access(path, F_OK) == 0 ? access(path, W_OK) == 0 : access(directory + ".", W_OK) == 0 else {
            throw CommandError(writing: path.escaped(), errno)
        }
    }

    /// Returns `true` if `path` is a terminal or a link to one, such as `/dev/tty` or `/dev/stdout`.
    static func isTerminal(path: String) -> Bool { withTerminal(path: path) { _ in true } ?? false }

    /// Calls `body` with a descriptor of the terminal at `path`. Returns `nil` if `path` is not a terminal.
    static func withTerminal<Result>(path: String, _ body: (Int32) -> Result) -> Result? {
        var status = stat()
        // No other file is opened: that of a pipe would wait for its reader.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
        let file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return isatty(file) == 1 ? body(file) : nil
    }

    deinit {
        if ownsDescriptor { close(descriptor) }
        guard !isCommitted, !keepsPartial, let replacement else { return }
        unlink(replacement.from)
        TemporaryOutput.unregister()
    }

    /// Replaces the file at `path` by a text that only its owner can read. Calls `check` before the file is
    /// replaced. A device, a pipe and an open file keep their permissions.
    static func write(
        _ text: String, to path: String, check: (_ descriptor: Int32) throws -> Void = { _ in }
    ) throws {
        var destination = try Destination(path: path)
        if !destination.isDirect { fchmod(destination.descriptor, 0o600) }
        do {
            try Output.write(text, to: destination.descriptor)
            try check(destination.descriptor)
            try destination.commit()
        } catch let failure as OutputError { throw CommandError(failure, to: destination.label) }
    }

    /// Makes the complete output visible under its name.
    mutating func commit() throws {
        if let replacement {
            guard rename(replacement.from, replacement.to) == 0 else { throw OutputError.failed(errno) }
            TemporaryOutput.unregister()
        }
        isCommitted = true
    }

    /// Replaces the temporary file by one with other rows.
    func widen(_ widening: Widening) throws {
        guard let (path, target) = replacement else { return }
        // Stays open until the end of the program, as its lock says that it is in use.
        let wide = try Self.newFile(in: FileReplacement.directory(of: path), label: label)
        do {
            guard let file = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped) else {
                throw OutputError.failed(EIO)
            }
            FileReplacement.copyAttributes(of: target, to: wide.descriptor)
            try file.withUnsafeBytes { try widening.copy($0, to: wide.descriptor) }
            guard rename(wide.path, path) == 0 else { throw OutputError.failed(errno) }
        } catch {
            unlink(wide.path)
            close(wide.descriptor)
            throw error
        }
    }

    private static func newFile(
        in directory: String, isResumable: Bool = false, label: String
    ) throws(CommandError) -> (path: String, descriptor: Int32) {
        do { return try TemporaryOutput.create(in: directory, isResumable: isResumable) } catch {
            throw CommandError(writing: label, error.code.rawValue)
        }
    }
}

extension Options {
    /// Returns `true` if the items go to a file, neither to a pipe nor to a terminal.
    func writesToFile(standardOutput: Int32) -> Bool {
        var status = stat()
        if let output, stat(output, &status) != 0 { return true }
        if output == nil, fstat(standardOutput, &status) != 0 { return false }
        return status.st_mode & S_IFMT == S_IFREG
    }

    func writesToTerminal(standardOutput: Int32) -> Bool {
        output.map(Destination.isTerminal) ?? (isatty(standardOutput) == 1)
    }
}

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
}
