/// How the program ends: the numbers of the manual, of which those from 64 on are those of `sysexits.h`.
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
    /// The reply is not a valid or not a complete list.
    case badList = 8
    case limit = 9
    case usage = 64
    case noInput = 66
    case trap = 70
    case outputFailed = 74
    /// By Ctrl-C, or its like.
    case interrupted = 130
    /// The reader of the output went away.
    case brokenPipe = 141
}
