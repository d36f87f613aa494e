#if canImport(Glibc)
import Foundation
import Glibc
import Testing

@testable import items

@Suite(.timeLimit(.minutes(1))) struct `A password asked for on the terminal` {
    @Test func `it is read without echo, and the echo comes back`() async throws {
        let terminal = try Terminal()
        let run = Task { try await terminal.run("-q", "-u", "someone", "--demo", "--count") }
        try await terminal.read(until: "Password for user someone: ")
        #expect(!terminal.echoes)
        terminal.type("secret\n")
        let result = try await run.value
        #expect(result.status == 0)
        #expect(result.output == "6\n")
        #expect(terminal.echoes)
        #expect(!terminal.screen.contains("secret"))
    }

    @Test func `an interrupt ends it, with the echo back on`() async throws {
        let terminal = try Terminal()
        let run = Task { try await terminal.run("-u", "someone", "--demo") }
        try await terminal.read(until: "Password for user someone: ")
        terminal.type("sec\u{3}")
        let result = try await run.value
        #expect(result.status == SIGINT)
        // What `setsid` says about a signal.
        #expect(result.messages.contains("did not exit normally"))
        #expect(result.output == "")
        #expect(terminal.echoes)
    }

    @Test func `an end of the input is no password`() async throws {
        let terminal = try Terminal()
        let run = Task { try await terminal.run("-u", "someone", "--demo", "-q") }
        try await terminal.read(until: "Password for user someone: ")
        terminal.type("\u{4}")
        let result = try await run.value
        #expect(result.status == ExitCode.usage.rawValue)
        #expect(result.messages == "items: no password was typed\n")
    }
}

/// A terminal that a program can have, and what is on its screen.
private final class Terminal: @unchecked Sendable {
    // SAFETY: the descriptors never change; `shown` is read and written by the one test that owns it.
    private let keyboard: Int32
    private let device: Int32
    private var shown = ""

    init() throws {
        keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(keyboard >= 0)
        // What unlockpt and ptsname do, which the Glibc module does not have.
        var lock: Int32 = 0
        try #require(ioctl(keyboard, 0x4004_5431, &lock) == 0)
        var number: Int32 = 0
        try #require(ioctl(keyboard, 0x8004_5430, &number) == 0)
        device = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(device >= 0)
    }

    deinit {
        close(keyboard)
        close(device)
    }

    /// Whether what is typed appears.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(device, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    var screen: String {
        var entry = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) > 0, readOnce() {}
        return shown
    }

    func type(_ text: String) { _ = text.withCString { write(keyboard, $0, strlen($0)) } }

    func read(until text: String) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(20))
        while !shown.contains(text) {
            try #require(ContinuousClock.now < deadline, "the screen shows \(shown)")
            var entry = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 20) > 0 { _ = readOnce() }
            await Task.yield()
        }
    }

    /// Runs the program with this as its terminal.
    func run(_ arguments: String...) async throws -> Program.Run {
        let input = FileHandle(fileDescriptor: device, closeOnDealloc: false)
        return try await Program.run("/usr/bin/setsid", ["-cw", Program.path] + arguments, input: input)
    }

    private func readOnce() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(keyboard, &bytes, bytes.count)
        guard count > 0 else { return false }
        shown += String(decoding: bytes[..<count], as: UTF8.self)
        return true
    }
}
#endif
