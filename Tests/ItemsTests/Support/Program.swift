import Foundation
import Testing

/// The built program, run as a process of its own.
struct Program {
    /// How a run ended.
    struct Run {
        var status: Int32
        var isSignal: Bool
        var output: String
        var messages: String
    }

    /// Beside the tests, where the build puts it.
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

    /// Runs `script` in a shell in which `$items` is the program.
    static func shell(_ script: String, input: String = "") async throws -> Run {
        try await run("/bin/sh", ["-c", script], input: try Scratch(input).handle)
    }

    /// Runs the program itself.
    static func run(_ arguments: String..., input: String = "") async throws -> Run {
        try await run(path, arguments, input: try Scratch(input).handle)
    }

    /// Runs any program with `input` as its standard input.
    static func run(
        _ executable: String, _ arguments: [String], input: FileHandle, into pipe: FileHandle? = nil
    ) async throws -> Run {
        let output = try Scratch()
        let messages = try Scratch()
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(), "items": path]
        process.standardInput = input
        process.standardOutput = pipe ?? output.handle
        process.standardError = messages.handle
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in done.resume() }
                do { try process.run() } catch { done.resume(throwing: error) }
            }
        } onCancel: {
            // With all that it started: as long as one of them lives, it is not seen to end.
            if process.isRunning { kill(-process.processIdentifier, SIGKILL) }
        }
        return Run(
            status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
            output: try output.text(), messages: try messages.text())
    }
}
