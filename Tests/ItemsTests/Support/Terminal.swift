import Foundation
import Testing

/// A pseudoterminal of Linux for the program, and the text on its screen.
final class PseudoTerminal: @unchecked Sendable {
    // SAFETY: the descriptors never change; `shown` is used only by the test that owns the terminal.
    private let keyboard: Int32
    private let device: Int32
    /// The path of the terminal.
    let path: String
    private var shown = ""

    init() throws {
        keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(keyboard >= 0)
        // Equivalent to unlockpt and ptsname, which the module of the C library lacks.
        var lock: Int32 = 0
        try #require(ioctl(keyboard, 0x4004_5431, &lock) == 0)
        var number: Int32 = 0
        try #require(ioctl(keyboard, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        device = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(device >= 0)
    }

    deinit {
        close(keyboard)
        close(device)
    }

    /// `true` if typed text is echoed.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(device, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    var screen: String {
        var entry = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) > 0, readOnce() {}
        return shown
    }

    func setWidth(_ columns: UInt16) throws {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        // TIOCSWINSZ of Linux.
        try #require(ioctl(device, 0x5414, &size) == 0)
    }

    func type(_ text: String) { _ = text.withCString { write(keyboard, $0, strlen($0)) } }

    func read(until text: String) async throws {
        // A number of attempts instead of a deadline, because a busy machine slows down both sides.
        for _ in 0..<20_000 where !screen.contains(text) { try await Task.sleep(for: .milliseconds(10)) }
        try #require(shown.contains(text), "the screen shows \(shown)")
    }

    /// Runs the program on this terminal. If `shown`, its messages appear on the screen.
    func run(_ arguments: String..., shown: Bool = false) async throws -> Program.Run {
        let handle = FileHandle(fileDescriptor: device, closeOnDealloc: false)
        return try await Program.run(
            "/usr/bin/env", ["--default-signal=INT,QUIT", "setsid", "-cw", Program.path] + arguments,
            input: handle,
            messages: shown ? handle : nil)
    }

    private func readOnce() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = readBytes(keyboard, &bytes)
        guard count > 0 else { return false }
        shown += String(decoding: bytes[..<count], as: UTF8.self)
        return true
    }
}

private func readBytes(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
    read(descriptor, &bytes, bytes.count)
}
