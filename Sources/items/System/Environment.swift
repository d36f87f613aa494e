import Foundation
import RESTClient

/// The parts of the system that the command uses. Tests provide their own.
struct Environment: Sendable {
    /// The descriptor that items are written to.
    var output: Int32 = 1
    /// The descriptor that `-` reads.
    var input: Int32 = 0
    /// `true` if the standard input can contain a list: it is a pipe, or a file that is not empty.
    var hasInput: Bool {
        guard let status = FileStatus(of: input) else { return false }
        return status.isRegular ? status.size > 0 : [S_IFIFO, S_IFSOCK].contains(status.mode & S_IFMT)
    }
    /// Returns the exit code when a signal interrupts the program.
    var interruption: @Sendable () async -> ExitCode = { await Interrupt.wait() }
    var configuration: @Sendable () -> URLSessionConfiguration = { .ephemeral }
    /// Writes lines that are not items.
    var writeMessage: @Sendable (String) -> Void = Messages.toStandardError
    /// Returns `true` if the standard error is a terminal that can erase a line.
    var showsProgress: @Sendable () -> Bool = {
        isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }
    /// Returns `true` if the standard error is a terminal.
    var isInteractive: @Sendable () -> Bool = { isatty(STDERR_FILENO) == 1 }
    /// The width of the terminal with the given descriptor in columns, or `nil` if it is unknown.
    var terminalWidth: @Sendable (_ descriptor: Int32) -> Int? = Self.columns
    var askPassword: @Sendable (_ user: String) throws -> String = { try PasswordPrompt.ask(user: $0) }
    var variable: @Sendable (_ name: String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    /// Ends the process at once; `nil` in a test.
    var end: (@Sendable (ExitCode) -> Void)?
    /// The clock for all timeouts and delays of requests.
    var clock: any Clock<Duration> = ContinuousClock()

    @Sendable static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }
}
