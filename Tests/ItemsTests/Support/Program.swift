import Foundation
import RESTClientHTTP
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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
        #if canImport(Darwin)
        // …/Package.xctest/Contents/MacOS
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        #endif
        return folder.appending(path: "items").path
    }()

    /// Runs `script` in a shell in which `$items` is the program. A timeout ends a script that hangs, and its status
    /// fails the test.
    static func shell(
        _ script: String, input: String = "", environment: [String: String] = [:]
    ) async throws -> Run {
        let guards = ["/usr/bin/timeout", "/bin/timeout"].filter(FileManager.default.isExecutableFile)
        let command =
            guards.prefix(1) + (guards.isEmpty ? [] : ["-k", "1", "100"]) + ["/bin/sh", "-c", script]
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
            let process = Process()
            process.executableURL = URL(filePath: executable)
            process.arguments = arguments
            process.environment = ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(), "items": path]
                .merging(environment) { $1 }
            process.standardInput = input
            process.standardOutput = pipe ?? output.handle
            process.standardError = terminal ?? messages.handle
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                    process.terminationHandler = { _ in done.resume() }
                    do { try withSignals { try process.run() } } catch { done.resume(throwing: error) }
                }
            } onCancel: {
                // Ends the whole process group, because the process is not reported as ended while a child lives.
                if process.isRunning { kill(-process.processIdentifier, SIGKILL) }
            }
            return Run(
                status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
                output: try output.text(), messages: try messages.text())
        }
    }

    private static let semaphore = AsyncSemaphore(3)

    /// Unblocks all signals while a process starts. Threads of the concurrency runtime block them and children
    /// inherit that, so `timeout` would not receive its alarm.
    private static func withSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
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
