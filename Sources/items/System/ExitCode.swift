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
}

extension ExitCode {
    /// `true` if a signal ended the program.
    var isInterruption: Bool { [.hungUp, .interrupted, .terminated].contains(self) }

    /// The description of the exit code in the manual page.
    var meaning: String {
        switch self {
        case .success: "The list is complete, or --limit was reached."
        case .failure: "Any other error."
        case .timedOut: "A timeout elapsed."
        case .redirection: "The response has a status 3xx that was not followed as a redirect."
        case .clientError: "The response has a status 4xx."
        case .serverError: "The response has a status 5xx."
        case .redirectRefused: "Too many redirects, or an unsafe one."
        case .noConnection:
            "The connection failed: unknown host, connection refused, TLS error, or reset before the response."
        case .badList: "The response is not a valid list, or not a complete one."
        case .limit: "A limit was exceeded, such as --max-bytes."
        case .missingColumn: "A value has no column, or no item has a member that --field names."
        case .usage: "The command line is not valid."
        case .noInput: "The file does not exist or cannot be read."
        case .outputFailed: "The output cannot be written."
        case .hungUp: "The program was ended by SIGHUP."
        case .interrupted: "The program was interrupted by SIGINT."
        case .brokenPipe: "The reader closed the output (SIGPIPE)."
        case .terminated: "The program was ended by SIGTERM."
        }
    }
}
