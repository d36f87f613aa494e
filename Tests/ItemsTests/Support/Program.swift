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
        try await run("/bin/sh", ["-c", script], input: input)
    }

    /// Runs the program itself.
    static func run(_ arguments: String..., input: String = "") async throws -> Run {
        try await run(path, arguments, input: input)
    }

    private static func run(_ executable: String, _ arguments: [String], input: String) async throws -> Run {
        let standardInput = try Scratch(input)
        let output = try Scratch()
        let messages = try Scratch()
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(), "items": path]
        process.standardInput = standardInput.handle
        process.standardOutput = output.handle
        process.standardError = messages.handle
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in done.resume() }
            do { try process.run() } catch { done.resume(throwing: error) }
        }
        return Run(
            status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
            output: try output.text(), messages: try messages.text())
    }
}
