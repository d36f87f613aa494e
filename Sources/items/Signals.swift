import Dispatch

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What the program does with signals, so that it ends the way its caller can read.
enum Signals {
    /// Lets through what ends or stops a program: a parent may have been careless, as Foundation's `Process` is, whose
    /// children are born with nearly every signal blocked.
    static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Makes a reader that goes away an error of `write`, so that the transfer is ended first.
    ///
    /// - Returns: whether the caller wants the signal ignored altogether.
    static func ignoreBrokenPipe() -> Bool {
        isIgnoring(signal(SIGPIPE, SIG_IGN))
    }

    /// Makes a file that may grow no further (`ulimit -f`) an error of `write`, as a full disk is one.
    static func ignoreFileSizeLimit() { signal(SIGXFSZ, SIG_IGN) }

    /// Ends by the signal that `write` would have raised.
    static func raiseBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        // Threads that serve tasks hold signals back.
        unblock()
        raise(SIGPIPE)
    }

    /// Leaves the terminal and the disk clean when a signal ends the program, which ends by it all the same.
    static func installCleanUp() {
        for ending in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            handle(ending) { number in
                // Nothing but calls that a signal handler may make.
                Progress.eraseForSignal()
                TemporaryOutput.remove()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Takes the progress off the terminal before Ctrl-Z stops the program; it comes back by itself when the program goes on.
    static func installStopHandler() { handle(SIGTSTP, stop) }

    /// Says so when the program is about to end by a trap: in practice the platform's HTTP library on a reply that it
    /// cannot read and that cannot be caught (PLATFORM B).
    static func reportTraps() {
        for trap in [SIGTRAP, SIGILL, SIGABRT, SIGSEGV, SIGBUS] {
            signal(trap) { _ in
                // Nothing but calls that a signal handler may make.
                Progress.eraseForSignal()
                TemporaryOutput.remove()
                say("items: internal error: ")
                if CrashContext.isRecorded {
                    say("the platform's HTTP library gave up on the reply to ")
                    CrashContext.write(to: STDERR_FILENO)
                    say("\n  hint: the same URL with curl -v may show what is wrong with the reply\n")
                } else {
                    say(
                        "this is a fault of items, not of the list\n  hint: please report it, and what was listed\n"
                    )
                }
                _exit(ExitCode.trap.rawValue)
            }
        }
    }

    typealias Handler = @convention(c) (Int32) -> Void

    /// Whether a signal was ignored that had the handler `before`; compared as addresses, as functions cannot be.
    static func isIgnoring(_ before: Handler?) -> Bool {
        unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN as Handler?, to: Int.self)
    }

    /// Leaves a signal ignored that whoever started the program has ignored, as `nohup` does.
    private static func handle(_ number: Int32, _ handler: @escaping Handler) {
        if isIgnoring(signal(number, handler)) { signal(number, SIG_IGN) }
    }
}

/// Writes to the standard error, as a signal handler may; not a member, because those have a context.
private func say(_ text: StaticString) { _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount) }

/// Stops the program, as a signal handler may, and is there again when it goes on.
private let stop: Signals.Handler = { number in
    Progress.eraseForSignal()
    signal(number, SIG_DFL)
    // Held back while its handler runs.
    var stopping = sigset_t()
    sigemptyset(&stopping)
    sigaddset(&stopping, number)
    raise(number)
    pthread_sigmask(SIG_UNBLOCK, &stopping, nil)
    signal(number, stop)
}

/// Ctrl-C, for what has something to put away first.
enum Interrupt {
    /// Returns when the interrupt comes; never, where whoever started the program has it ignored.
    static func wait() async {
        let isIgnored = Signals.isIgnoring(signal(SIGINT, SIG_IGN))
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            guard !isIgnored else { return source.activate() }
            source.setEventHandler {
                source.setEventHandler(handler: nil)
                done.resume()
            }
            source.activate()
        }
        source.cancel()
    }

    /// Ends the program by the interrupt itself, as its caller expects.
    static func raise() {
        signal(SIGINT, SIG_DFL)
        _ = kill(getpid(), SIGINT)
    }
}

/// The three descriptors that every program is given, made safe before anything is opened.
enum StandardDescriptors {
    /// Fills a descriptor that the caller has closed, the wrong way round, so that no socket or file gets its number
    /// and items are never written into one; using it fails as if it were still closed.
    static func openMissing() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one that is missing, as they are filled in order.
            _ = open("/dev/null", mode)
        }
    }
}
