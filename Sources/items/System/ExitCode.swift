/// The exit status of the program. Values from 64 follow `sysexits.h`.
enum ExitCode: Int32, CaseIterable, Sendable {
    /// The list is complete, or `--limit` was reached.
    case success = 0
    case failure = 1
    case timedOut = 2
    case redirection = 3
    case clientError = 4
    case serverError = 5
    case redirectRefused = 6
    case noConnection = 7
    /// The response is not a valid list, or not a complete one.
    case badList = 8
    case limit = 9
    /// A value has no column, or no item has a selected member.
    case missingColumn = 10
    case usage = 64
    case noInput = 66
    case outputFailed = 74
    /// Ended by SIGHUP, such as at the end of a remote session.
    case hungUp = 129
    /// Ended by an interrupt such as Ctrl-C.
    case interrupted = 130
    /// The reader of the output closed it.
    case brokenPipe = 141
    /// Ended by SIGTERM.
    case terminated = 143

    var isInterruption: Bool { [.hungUp, .interrupted, .terminated].contains(self) }
}
