import Foundation

@main enum Main {
    static func main() async {
        Heap.useOne()
        openMissingDescriptors()
        let ignoresBrokenPipe = Signals.prepare()
        let own = ProcessArguments.own
        let arguments = own.dropFirst().map { String(cString: $0) }
        let invalid = own.dropFirst().firstIndex { String(validatingCString: $0) == nil }
        ProcessArguments.hideSecrets(in: own)
        let code = await run(
            arguments, refusal: refusal(invalid), environment: Environment(end: { _exit($0.rawValue) }))
        if code.isInterruption || code == .brokenPipe && !ignoresBrokenPipe {
            Signals.end(with: code.rawValue - 128)
        }
        // `_exit` instead of `exit`: threads of a running transfer would use objects that `exit` destroys.
        _exit(code.rawValue)
    }

    /// Returns the error of an argument that is not UTF-8, whose bytes would be lost, or of too few descriptors: without them,
    /// Foundation ends the process or waits. The argument can be a secret.
    private static func refusal(_ invalid: Int?) -> CommandError? {
        let free = (0..<32).map { _ in fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) }
        for file in free where file >= 0 { close(file) }
        if free.contains(-1) {
            return CommandError(.failure, "too few file descriptors are free", hint: "use ulimit -n 256")
        }
        return invalid.map {
            .usage(
                "argument \($0) is not valid UTF-8",
                hint: "percent-encode a URL; pass a body or a file with another name on standard input")
        }
    }

    /// Opens a closed standard descriptor in the wrong direction. So no socket or file gets its number and receives
    /// items, and using it fails as if it were still closed.
    private static func openMissingDescriptors() {
        let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        for (descriptor, mode) in modes where fcntl(descriptor, F_GETFD) < 0 {
            // `open` uses the lowest free number, which is the missing one.
            _ = open("/dev/null", mode)
        }
    }

    /// Runs the program with `arguments`, which do not include its name, or reports a `refusal`.
    static func run(
        _ arguments: [String], refusal: CommandError? = nil, environment: Environment
    ) async -> ExitCode {
        do {
            if let refusal { throw refusal }
            return await ItemsCommand(try OptionParser.parse(arguments), environment: environment).run()
        } catch {
            let failure = CommandError(error)
            let hasColor = ColorMode.auto.isOn(isTerminal: environment.isInteractive(), environment)
            Messages(level: .normal, hasColor: hasColor, write: environment.writeMessage).report(failure)
            return failure.code
        }
    }
}
