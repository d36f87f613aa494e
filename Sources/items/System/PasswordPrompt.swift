import Foundation
import Synchronization
import RESTClient

/// A password prompt on the terminal, without echo.
enum PasswordPrompt {
    /// Returns the password typed for `user`. Signals take effect after the echo was restored.
    static func ask(user: String) throws -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw CommandError.usage(
                "no terminal to ask for the password of \(user.quoted())",
                hint: "pass the password with -u USER:PASSWORD")
        }
        defer { close(terminal) }
        return try ask("Password for user \(user.escaped(80)): ", on: terminal)
    }

    private static func ask(_ prompt: String, on terminal: Int32) throws -> String {
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else {
            throw CommandError.usage("no terminal to ask for the password")
        }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)

        caught.store(0, ordering: .relaxed)
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
        let before = signals.map { Self.handle($0, catchSignal) }
        tcsetattr(terminal, TCSAFLUSH, &silent)
        try? Output.write(prompt, to: terminal)
        let line = readLine(from: terminal)
        tcsetattr(terminal, TCSAFLUSH, &settings)
        try? Output.write("\n", to: terminal)
        for (signal, var action) in zip(signals, before) { sigaction(signal, &action, nil) }

        let signal = caught.load(ordering: .relaxed)
        if signal != 0 {
            raise(signal)
            // The signal stopped the program, which has been continued, or was ignored.
            return try ask(prompt, on: terminal)
        }
        guard let line else { throw CommandError.usage("no password entered") }
        return line
    }

    /// Reads a line without its line break; returns `nil` at the end of the input or after a signal.
    private static func readLine(from terminal: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while caught.load(ordering: .relaxed) == 0 {
            switch read(terminal, &byte, 1) {
            case 1 where byte == UInt8(ascii: "\n"): return String(decoding: line, as: UTF8.self)
            case 1: line.append(byte)
            case let count where count < 0 && errno == EINTR: continue
            default: return nil
            }
        }
        return nil
    }

    private static func handle(
        _ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void
    ) -> sigaction {
        var action = sigaction()
        // Without SA_RESTART, so that a signal ends the read.
        // Each C library has its own name for the union of handlers.
        #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = handler
        #elseif canImport(Musl)
        action.__sa_handler.sa_handler = handler
        #else
        action.__sigaction_handler.sa_handler = handler
        #endif
        var before = sigaction()
        sigaction(signal, &action, &before)
        return before
    }
}

/// The signal received while the password was typed.
private let caught = Atomic<Int32>(0)
private let catchSignal: @convention(c) (Int32) -> Void = { caught.store($0, ordering: .relaxed) }
