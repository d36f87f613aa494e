import Foundation
import Synchronization
import RESTClient

/// The destination of the output, and the steps that complete it.
///
/// A regular file is replaced by a temporary file next to it, so that its name never refers to half a list. Atomic
/// output is collected in an unnamed temporary file.
struct Destination: ~Copyable {
    let descriptor: Int32
    /// `true` if output is visible before ``commit()``.
    var isDirect: Bool { if case .none = action { true } else { false } }

    private enum CommitAction {
        case none
        case rename(from: String, to: String)
        case copy(to: Int32, name: TargetDescription)
    }

    /// The name of the target in messages, and a hint for write errors.
    private struct TargetDescription {
        let text: String
        var hint: String?

        func error(_ code: Int32) -> CommandError { CommandError(writing: text, code, hint: hint) }
    }

    /// The name of the current target: the temporary file until an atomic output is copied.
    private var name: TargetDescription
    private let action: CommitAction
    private let owned: [Int32]
    private var isCommitted = false
    /// `true` to keep the temporary file if the output is incomplete, so that the next run can continue it.
    var keepsPartial = false { didSet { if keepsPartial { TemporaryOutput.unregister() } } }

    /// The target in messages.
    var label: String { name.text }

    /// `true` if everything is written at the end of a file, as after `>>`.
    var isAppending: Bool { fcntl(descriptor, F_GETFL) & O_APPEND != 0 }

    /// The name of the temporary file next to the target, if there is one.
    var partial: String? {
        guard case .rename(let path, _) = action else { return nil }
        return String(path.dropFirst(FileReplacement.directory(of: path).count))
    }

    init(standardOutput descriptor: Int32, isAtomic: Bool) throws(CommandError) {
        let name = TargetDescription(text: "standard output")
        try self.init(descriptor, name: name, owned: [], isAtomic: isAtomic)
    }

    /// The file at `path`, or the target of a link. A regular or missing file is replaced; any other file is written
    /// directly.
    ///
    /// - Parameters:
    ///   - isResumable: `true` if a run after one that was killed continues the output.
    ///   - mark: The end of the incomplete output to continue.
    init(
        path: String, isAtomic: Bool, isResumable: Bool = false, continuing mark: OutputMark? = nil
    ) throws(CommandError) {
        let name = TargetDescription(text: path.escaped())
        let target = FileReplacement.target(of: path)
        let old = FileStatus(at: target)
        if old?.isRegular ?? true {
            // A directory can allow replacing a file that is not writable.
            guard old == nil || access(target, W_OK) == 0 else { throw name.error(errno) }
            let directory = FileReplacement.directory(of: target)
            if let partial = mark?.partial {
                let file = open(directory + partial, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
                if file >= 0 {
                    self.init(file, name, .rename(from: directory + partial, to: target), owned: [file])
                    keepsPartial = true
                    return
                }
            }
            let temporary = try Self.newFile(in: directory, isResumable: isResumable, name: name)
            TemporaryOutput.register(temporary.path)
            FileReplacement.copyAttributes(of: target, to: temporary.descriptor)
            self.init(
                temporary.descriptor, name, .rename(from: temporary.path, to: target),
                owned: [temporary.descriptor])
        } else {
            // Only links to open files are followed, such as that of `/dev/stdout`.
            let following = FileReplacement.isKernelLink(target) ? 0 : O_NOFOLLOW
            let file = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | following)
            guard file >= 0 else { throw name.error(errno) }
            if !isAtomic, mark == nil { Self.truncate(file) }
            try self.init(file, name: name, owned: [file], isAtomic: isAtomic)
        }
    }

    /// Throws the errors of ``init(path:isAtomic:)`` that can be detected before writing.
    static func check(path: String) throws(CommandError) {
        let name = TargetDescription(text: path.escaped())
        let directory = FileReplacement.directory(of: FileReplacement.target(of: path))
        guard access(path, F_OK) == 0 ? access(path, W_OK) == 0 : access(directory + ".", W_OK) == 0 else {
            throw name.error(errno)
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

    private init(
        _ target: Int32, name: TargetDescription, owned: [Int32], isAtomic: Bool
    ) throws(CommandError) {
        guard isAtomic else {
            self.init(target, name, .none, owned: owned)
            return
        }
        let directory =
            getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let temporary = TargetDescription(
            text: "a temporary file in \(directory.escaped())", hint: "set TMPDIR to another directory")
        let file = try Self.newFile(in: "\(directory)/", name: temporary)
        unlink(file.path)
        self.init(file.descriptor, temporary, .copy(to: target, name: name), owned: owned + [file.descriptor])
    }

    private init(_ descriptor: Int32, _ name: TargetDescription, _ action: CommitAction, owned: [Int32]) {
        self.descriptor = descriptor
        self.name = name
        self.action = action
        self.owned = owned
    }

    deinit {
        for descriptor in owned { close(descriptor) }
        guard !isCommitted, !keepsPartial, case .rename(let temporary, _) = action else { return }
        unlink(temporary)
        TemporaryOutput.unregister()
    }

    /// Describes a write error with the name of the target.
    func error(_ failure: OutputError) -> CommandError {
        if case .failed(let code) = failure { name.error(code) } else { CommandError(failure) }
    }

    /// Makes the complete output visible under its name.
    mutating func commit() throws {
        switch action {
        case .none: break
        case .rename(let temporary, let path):
            guard rename(temporary, path) == 0 else { throw OutputError.failed(errno) }
            TemporaryOutput.unregister()
        case .copy(let target, let targetName):
            name = targetName
            if target != STDOUT_FILENO { Self.truncate(target) }
            try copy(to: target)
        }
        isCommitted = true
    }

    /// Replaces the temporary file by one with more columns.
    func widen(_ widening: Widening) throws {
        guard case .rename(let path, let target) = action else { return }
        // Stays open until the end of the program, as its lock says that it is in use.
        let wide = try Self.newFile(in: FileReplacement.directory(of: path), name: name)
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

    private static func newFile(
        in directory: String, isResumable: Bool = false, name: TargetDescription
    ) throws(CommandError) -> (path: String, descriptor: Int32) {
        do { return try TemporaryOutput.create(in: directory, isResumable: isResumable) } catch {
            throw name.error(error.code.rawValue)
        }
    }

    /// Truncates a regular file; has no effect on other files.
    private static func truncate(_ file: Int32) { _ = ftruncate(file, 0) }
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
