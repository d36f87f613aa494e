import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What the command touches outside of itself; a test brings its own.
struct Environment: Sendable {
    /// The descriptor that items go to.
    var output: Int32 = 1
    /// The descriptor that `-` reads.
    var input: Int32 = 0
    /// Returns when someone has had enough.
    var interrupt: @Sendable () async -> Void = { await Interrupt.wait() }
    /// What the session is made from.
    var configuration: @Sendable () -> URLSessionConfiguration = { .ephemeral }
    /// Takes the lines that are not items.
    var writeMessage: @Sendable (String) -> Void = Messages.toStandardError
    /// Whether a terminal is there to see how far a list got, that the items do not go to, and that can take a line back.
    var showsProgress: @Sendable (Options) -> Bool = { options in
        options.action == .list && options.verbosity > .quiet && isatty(STDERR_FILENO) == 1
            && (options.output != nil || isatty(STDOUT_FILENO) == 0)
            && getenv("TERM").map { String(cString: $0) } != "dumb"
    }
    /// Asks for the password of a user.
    var askPassword: @Sendable (_ user: String) throws -> String = { try PasswordPrompt.ask(user: $0) }
    /// The value of an environment variable.
    var variable: @Sendable (_ name: String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    /// What all times and waits of requests are measured on.
    var clock: any Clock<Duration> = ContinuousClock()
}
