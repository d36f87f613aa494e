import Foundation
import RESTClientHTTP
import Testing

/// The built program, run as a separate process.
struct Program {
    /// The result of a run.
    struct Run {
        var status: Int32
        var isSignal: Bool
        var output: String
        var messages: String
    }

    /// The path next to the test bundle.
    static let path: String = {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        // The tests are in a bundle on Apple platforms, and in an executable beside the program elsewhere.
        #if canImport(Darwin)
        // …/Package.xctest/Contents/MacOS
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        #endif
        return folder.appending(path: "items").path
    }()

    /// `true` if the tools of Linux exist that some tests use: `setsid`, and an `env` that restores signals.
    static let hasLinuxTools = FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid")

    /// Runs `script` in a shell in which `$items` is the program. A timeout ends a script that hangs, and its status
    /// fails the test.
    static func shell(
        _ script: String, input: String = "", environment: [String: String] = [:]
    ) async throws -> Run {
        let guards = ["/usr/bin/timeout", "/bin/timeout"].filter(FileManager.default.isExecutableFile)
        let command =
            guards.prefix(1) + (guards.isEmpty ? [] : ["-k", "1", "1000"]) + ["/bin/sh", "-c", script]
        return try await run(
            command[0], Array(command.dropFirst()), input: try TemporaryFile(input).handle,
            environment: environment
        )
    }

    /// Runs the program.
    static func run(_ arguments: String..., input: String = "") async throws -> Run {
        try await run(path, arguments, input: try TemporaryFile(input).handle)
    }

    /// Runs any program with `input` as its standard input.
    static func run(
        _ executable: String, _ arguments: [String], input: FileHandle, into pipe: FileHandle? = nil,
        messages terminal: FileHandle? = nil, environment: [String: String] = [:]
    ) async throws -> Run {
        try await semaphore.run {
            let output = try TemporaryFile()
            let messages = try TemporaryFile()
            let child = try ChildProcess(
                executable, arguments,
                environment: ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(), "items": path]
                    .merging(environment) { $1 },
                descriptors: [input, pipe ?? output.handle, terminal ?? messages.handle].map(\.fileDescriptor)
            )
            let status = await withTaskCancellationHandler {
                await child.status()
            } onCancel: {
                child.kill()
            }
            let signal = status & 0x7f
            return Run(
                status: signal == 0 ? status >> 8 & 0xff : signal, isSignal: signal != 0,
                output: try output.text(), messages: try messages.text())
        }
    }

    private static let semaphore = AsyncSemaphore(3)
}

/// A child process in a process group of its own.
///
/// `Foundation.Process` reads beyond the end of a directory entry when it lists the open descriptors. In a process
/// with more than a thousand of them, which the parallel tests have, that ends in a segmentation fault.
private final class ChildProcess: Sendable {
    /// The process identifier, or `nil` after the child has been waited for.
    private let identifier: LockedState<pid_t?>

    /// Starts a program that inherits `descriptors` as its descriptors 0, 1, … and no others.
    ///
    /// All signals are unblocked. Threads of the concurrency runtime block them, and `timeout` would not receive its
    /// alarm.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String], descriptors: [Int32]
    ) throws {
        // Darwin allocates these structures, and closes all other descriptors by a flag. Elsewhere they are values, and a
        // function of glibc closes the descriptors; musl does not have it, and the child inherits them.
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // See above. The Swift module of glibc does not declare this function (glibc 2.34).
        #if !canImport(Darwin)
        typealias CloseFrom =
            @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np")
        _ = unsafeBitCast(closeFrom, to: CloseFrom?.self)?(&actions, Int32(descriptors.count))
        #endif
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var words = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var child: pid_t = 0
        let error = posix_spawn(&child, executable, &actions, &attributes, &words, &variables)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
        identifier = LockedState(child)
    }

    /// Waits until the child has ended, and returns its status as `waitpid` reports it.
    func status() async -> Int32 {
        await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in
                var information = siginfo_t()
                var status: Int32 = 0
                guard let child = identifier.withLock({ $0 }) else { return done.resume(returning: status) }
                // The child is reaped under the lock, so that `kill` never signals a reused identifier.
                while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
                identifier.withLock { identifier in
                    waitpid(child, &status, 0)
                    identifier = nil
                }
                done.resume(returning: status)
            }
        }
    }

    /// Ends the whole process group.
    func kill() {
        identifier.withLock { identifier in
            if let identifier { _ = killpg(identifier, SIGKILL) }
        }
    }
}

/// Limits the number of concurrent calls.
///
/// URLSession on Linux uses a full CPU while it waits for a response head, so dozens of programs would leave no time
/// for their servers.
final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: LockedState<State>

    init(_ count: Int) { state = LockedState(State(free: count)) }

    /// Runs `body` when a slot is free.
    func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(turn)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { turn.resume() }
        }
        defer {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.free += 1
                return nil
            }
            next?.resume()
        }
        return try await body()
    }
}
