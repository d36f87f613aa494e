import Foundation
import RESTClient

/// The parts of the system that the command uses. Tests provide their own.
struct Environment: Sendable {
    /// The descriptor that items are written to.
    var output: Int32 = 1
    /// The descriptor that `-` reads.
    var input: Int32 = 0
    /// Returns when the user interrupts the program.
    var interrupt: @Sendable () async -> Void = { await Interrupt.wait() }
    /// The configuration of the URL session.
    var configuration: @Sendable () -> URLSessionConfiguration = { .ephemeral }
    /// Writes lines that are not items.
    var writeMessage: @Sendable (String) -> Void = Messages.toStandardError
    /// Returns `true` if the standard error is a terminal that can erase a line and the items go elsewhere.
    var showsProgress: @Sendable (Options) -> Bool = { options in
        options.action == .list && options.verbosity > .quiet && isatty(STDERR_FILENO) == 1
            && (options.output != nil || isatty(STDOUT_FILENO) == 0)
            && getenv("TERM").map { String(cString: $0) } != "dumb"
    }
    /// Returns `true` if the standard error is a terminal.
    var isInteractive: @Sendable () -> Bool = { isatty(STDERR_FILENO) == 1 }
    /// Asks for the password of a user.
    var askPassword: @Sendable (_ user: String) throws -> String = { try PasswordPrompt.ask(user: $0) }
    /// The value of an environment variable.
    var variable: @Sendable (_ name: String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    /// Records a request for the message of a crash.
    var recordRequest: @Sendable (String) -> Void = CrashContext.record
    /// The clock for all timeouts and delays of requests.
    var clock: any Clock<Duration> = ContinuousClock()
}
